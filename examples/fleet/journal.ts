/** Records the results of a run on one machine in a file, so that an interrupted run can be resumed. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { type Result, type Results, resultSchema } from "./result";

/** The results of a run on one machine. */
export interface Journal extends Results {
  /** Removes the file: the next run starts with all stacks. */
  readonly remove: () => void;
}

/** Opens the journal in a file, with one result per line. A missing file is an empty journal. */
export function openJournal(file: string): Journal {
  mkdirSync(dirname(file), { recursive: true });
  return {
    read: () => {
      const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n") : [];
      return Promise.resolve(lines.flatMap(parseResult));
    },
    record: (result) => {
      // Starts with a line break, in case a killed process left an incomplete line.
      appendFileSync(file, `\n${JSON.stringify(result)}`);
      return Promise.resolve();
    },
    remove: () => {
      rmSync(file, { force: true });
    },
  };
}

/** Returns nothing for an incomplete line: the stack runs again, which changes nothing. */
function parseResult(line: string): Result[] {
  try {
    return [resultSchema.parse(JSON.parse(line))];
  } catch {
    return [];
  }
}
