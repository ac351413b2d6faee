/**
 * The state file, which keeps the projects between runs, and snapshots. They contain no credentials; those
 * come from the seed at every start.
 */
import { readFileSync } from "node:fs";
import writeFileAtomic from "write-file-atomic";
import { z } from "zod";
import { StateFileError, codeOf, escapeMessage, escapeText, messageOf } from "../errors";
import { clusterSchema } from "../seed/cluster";
import { type CompleteSeed, type SeedProject, projectSchema } from "../seed/seed";
import { parse } from "../seed/validation";
import { type OffsetClock, latestTime } from "./clock";
import type { Store } from "./store";

const stateFormat = "clouddb-simulator state, version 1";

/** The projects of a simulator at one time, as plain data that can be kept as JSON. It contains no credentials. */
export interface Snapshot {
  /** The simulated time, in milliseconds since 1970. */
  now: number;
  /** All projects, with their clusters. */
  projects: SeedProject[];
}

/** @internal */
export const snapshotSchema = z.strictObject({
  now: z.number().min(0).max(latestTime),
  projects: z.array(projectSchema),
});

/** @internal */
export function takeSnapshot(store: Store, clock: OffsetClock): Snapshot {
  return structuredClone({ now: clock.now(), projects: store.snapshot() });
}

/** Replaces the projects and the time by those of a snapshot. Changes nothing if it is invalid. @internal */
export function restoreSnapshot(
  store: Store,
  clock: OffsetClock,
  seed: CompleteSeed,
  snapshot: Snapshot,
): void {
  const { now, projects } = parse(snapshotSchema, snapshot, "The snapshot");
  store.load({ ...seed, projects });
  clock.set(now);
}

const stateSchema = z.strictObject({
  format: z.literal(stateFormat),
  projects: z.array(
    projectSchema.extend({
      // The first release did not record the number of nodes; each cluster had three host names.
      clusters: z.array(clusterSchema.extend({ nodes: clusterSchema.shape.nodes.default(3) })),
    }),
  ),
});

/**
 * Replaces the projects of the store with those of the state file. Does nothing if the file does not
 * exist.
 * @internal
 */
export function restoreState(store: Store, file: string, seed: CompleteSeed): void {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if (codeOf(error) === "ENOENT") return;
    throw new StateFileError(
      `The state file ${escapeText(file)} cannot be read: ${escapeMessage(messageOf(error))}`,
    );
  }
  try {
    const { projects } = parse(stateSchema, JSON.parse(text), "The state");
    store.load({ ...seed, projects });
  } catch (error) {
    throw new StateFileError(
      `The state file ${escapeText(file)} is damaged or not a state file, and was not changed: ` +
        `${escapeMessage(messageOf(error))}\nMove it to start from the seed, or restore a backup.`,
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
      throw new StateFileError(
        `The state file ${escapeText(file)} cannot be written: ${escapeMessage(messageOf(error))}`,
      );
    }
  });
}
