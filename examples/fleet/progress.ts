/** Prints the progress of a run: on a terminal, one line that is updated; otherwise, a line for each stack. */
import { clearLine, cursorTo } from "node:readline";
import type { WriteStream } from "node:tty";
import type { Result } from "./result";
import { detailOf } from "./summary";

/** The progress of a run. */
export interface Progress {
  readonly started: (stack: string) => void;
  /** This process finished a stack, or stopped working on it without a result. */
  readonly finished: (stack: string, result?: Result) => void;
  /** The results of all processes have changed. */
  readonly results: (results: readonly Result[]) => void;
  /** Prints a separate line. */
  readonly say: (line: string) => void;
  readonly end: () => void;
}

/**
 * Creates the progress of a run.
 *
 * @param total the number of stacks
 * @param verb the action, such as `up`
 */
export function createProgress(total: number, verb: string, out: WriteStream): Progress {
  const running = new Set<string>();
  const counts = { done: 0, failed: 0 };
  const clear = () => {
    if (!out.isTTY) return;
    clearLine(out, 0);
    cursorTo(out, 0);
  };
  const status = () =>
    `${counts.done}/${total} ${verb}${counts.failed > 0 ? `, ${counts.failed} failed` : ""}`;
  const draw = () => {
    if (!out.isTTY) return;
    clear();
    const line = [status(), ...running].join("  ");
    out.write(line.slice(0, out.columns - 1));
  };
  const say = (line: string) => {
    clear();
    out.write(`${line}\n`);
    draw();
  };
  return {
    started: (stack) => {
      running.add(stack);
      draw();
    },
    finished: (stack, result) => {
      running.delete(stack);
      if (result === undefined) draw();
      else if (!out.isTTY || result.status !== "succeeded") {
        const detail = detailOf(result);
        say(
          `${status()}  ${stack} ${result.status} in ${result.seconds} s${detail && `: ${detail}`}`,
        );
      }
    },
    results: (results) => {
      counts.done = results.length;
      counts.failed = results.filter((result) => result.status === "failed").length;
      draw();
    },
    say,
    end: clear,
  };
}
