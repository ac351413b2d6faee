/** Runs the rows of the matrix. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withReleases } from "../releases";
import { type RowFailure, failureOf } from "./failure";
import { type Workplace, createProject, install } from "./installation";
import { runProgram } from "./program";
import { type Format, type Installation, type Row, groupByInstallation } from "./rows";
import type { Step } from "./steps";

/** The result of a row. */
export interface RowResult {
  readonly row: Row;
  /** How long the row took; the first row of an installation includes it. */
  readonly seconds: number;
  /** Undefined if all steps succeeded. */
  readonly failure: RowFailure | undefined;
}

/** How to run the rows. */
export interface RunOptions extends Workplace {
  /** The steps of each row. */
  readonly steps: readonly Step[];
  /** How many installations run at once. */
  readonly jobs: number;
  /** Called with the result of each row. */
  readonly onResult: (result: RowResult) => void;
}

/**
 * Runs rows. Those of one installation run one after the other.
 */
export async function runRows(rows: readonly Row[], options: RunOptions): Promise<void> {
  const pending = [...groupByInstallation(rows)];
  const work = async () => {
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      await runInstallation(options, next.installation, next.formats);
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, work));
}

async function runInstallation(
  options: RunOptions,
  installation: Installation,
  formats: readonly Format[],
): Promise<void> {
  await withReleases(async (release) => {
    const parent = await mkdtemp(join(tmpdir(), "clouddb-matrix-"));
    release(() => rm(parent, { recursive: true, force: true }));
    const project = await createProject(options, installation, join(parent, "project"));
    let start = performance.now();
    const installing = await failureOf("install", install(project, options, release));
    for (const format of formats) {
      const failure = installing ?? (await runProgram(project, format, options.steps, release));
      const end = performance.now();
      options.onResult({
        row: { ...installation, format },
        seconds: (end - start) / 1000,
        failure,
      });
      start = end;
    }
  });
}
