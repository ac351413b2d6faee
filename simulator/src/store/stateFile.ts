/** The state file, which keeps the projects between runs, but no credentials, which come from the seed. */
import { readFileSync } from "node:fs";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import { StateFileError, codeOf, messageOf } from "../errors";
import { type CompleteSeed, projectSchema } from "../seed/seed";
import { parse } from "../seed/validation";
import type { Store } from "./store";

const stateFormat = "clouddb-simulator state, version 1";

const stateSchema = z.strictObject({
  format: z.literal(stateFormat),
  projects: z.array(projectSchema),
});

/**
 * Replaces the projects of the store with those of the state file. Does nothing if the file does not exist.
 * @internal
 */
export function restoreState(store: Store, file: string, seed: CompleteSeed): void {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw new StateFileError(`The state file ${file} cannot be read: ${messageOf(error)}`);
  }
  try {
    const { projects } = parse(stateSchema, JSON.parse(text), "The state");
    store.load({ ...seed, projects });
  } catch (error) {
    throw new StateFileError(
      `The state file ${file} is damaged or not a state file, and was not changed: ` +
        `${messageOf(error)}\nMove it to start from the seed, or restore a backup.`,
    );
  }
}

/** Writes the store to the state file after each later change, before the change returns. @internal */
export function keepState(store: Store, file: string): void {
  store.onChange(() => {
    try {
      const state = { format: stateFormat, projects: store.snapshot() };
      writeFileAtomic.sync(file, `${JSON.stringify(state, undefined, 1)}\n`);
    } catch (error) {
      throw new StateFileError(`The state file ${file} cannot be written: ${messageOf(error)}`);
    }
  });
}
