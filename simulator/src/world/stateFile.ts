// The state file: what the projects were when the simulator last changed. Credentials are never in
// it; they come from the seed at every start.
import { readFileSync } from "node:fs";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import { type CompleteSeed, parse, projectSchema } from "../seed";
import type { Store } from "./store";

const FORMAT = "clouddb-simulator state, version 1";

const stateSchema = z.strictObject({
  format: z.literal(FORMAT),
  projects: z.array(projectSchema),
});

/** A state file that cannot be used, or could not be written. */
export class StateFileError extends Error {
  override readonly name = "StateFileError";
}

/**
 * Puts the projects of the state file into the store, in place of those of the seed; does nothing
 * where there is no file yet.
 *
 * @throws {StateFileError} where the file is there but damaged: it is never overwritten
 */
export function restoreState(store: Store, file: string, seed: CompleteSeed): void {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return;
    throw new StateFileError(`The state file ${file} cannot be read: ${messageOf(error)}`);
  }
  try {
    const { projects } = parse(stateSchema, JSON.parse(text), "The state");
    store.load({ ...seed, projects });
  } catch (error) {
    throw new StateFileError(
      `The state file ${file} is damaged or of another kind, and is left as it is: ` +
        `${messageOf(error)}\nMove it away to start from the seed, or bring back a good copy.`,
    );
  }
}

export interface StateWriter {
  /** Ends when everything changed so far is on disk. @throws {StateFileError} */
  flush(): Promise<void>;
}

/** Writes the store after each change; changes that come during a write share the next one. */
export function writeStateOf(store: Store, file: string): StateWriter {
  let dirty = false;
  let running: Promise<void> | undefined;

  async function write(): Promise<void> {
    try {
      while (dirty) {
        dirty = false;
        const state = { format: FORMAT, projects: store.snapshot() };
        await writeFileAtomic(file, `${JSON.stringify(state, undefined, 1)}\n`);
      }
    } catch (error) {
      dirty = true;
      throw new StateFileError(`The state file ${file} cannot be written: ${messageOf(error)}`);
    } finally {
      running = undefined;
    }
  }

  const flush = () => {
    if (!dirty) return running ?? Promise.resolve();
    running ??= write();
    return running;
  };
  store.onChange(() => {
    dirty = true;
    // Whoever needs to know waits for flush(), which tries again and reports.
    flush().catch(() => undefined);
  });
  return { flush };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
