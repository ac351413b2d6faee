/** Runs the rows of the matrix: each installs the packages, and then runs its program on the real engine. */
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import type { Cleanup } from "../../tests/cleanup";
import { projectId, settingsFor, startService } from "../../tests/service";
import { withReleases } from "../releases";
import {
  type ProjectFolder,
  type Workplace,
  createProject,
  install,
  programs,
  runCommand,
  writeFiles,
} from "./installation";
import { packageManagers } from "./toolchain";
import { type Format, type Installation, type Row, formats, groupByInstallation } from "./rows";

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
 * Runs rows. Those of one installation run in sequence.
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

/** The first step of a row that failed. */
export interface RowFailure {
  readonly step: string;
  /** Why, and what the step printed. */
  readonly output: string;
}

/** Waits for a step, and returns its failure. */
async function failureOf(step: string, work: Promise<unknown>): Promise<RowFailure | undefined> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return { step, output: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Replaces the program in the folder, and runs it.
 *
 * @param steps the steps, in the order they run
 * @param release stops what is still running
 * @returns undefined if all steps succeeded
 */
async function runProgram(
  project: ProjectFolder,
  format: Format,
  steps: readonly Step[],
  release: Cleanup,
): Promise<RowFailure | undefined> {
  const { folder, installation } = project;
  await placeProgram(project, format);
  const [backend, temporary] = [`${folder}-${format}-backend`, `${folder}-${format}-tmp`];
  for (const each of [backend, temporary]) await mkdir(each);
  const service = await startService();
  release(() => service.stop());
  const env = {
    ...project.environment,
    ...settingsFor(service),
    TMPDIR: temporary,
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
  };
  const [command, ...prefix] = packageManagers[installation.manager].pulumi;
  const context = {
    pulumi: (...args: readonly string[]) => {
      const all = [...prefix, ...args, "--non-interactive"];
      return runCommand(release, command, all, { cwd: folder, env });
    },
    disablePrivateIpMode: () => {
      service.project(projectId).setPrivateIpMode(false);
    },
    node: installation.node,
  };
  for (const { name, run } of steps) {
    const failure = await failureOf(name, run(context));
    if (failure !== undefined) return failure;
  }
  return undefined;
}

/** Replaces the program of another format. */
async function placeProgram({ folder, manifest }: ProjectFolder, format: Format): Promise<void> {
  for (const name of formats.flatMap((each) => Object.keys(programs[each].files))) {
    await rm(join(folder, name), { force: true });
  }
  const program = programs[format];
  const packageFile = JSON.stringify({ ...manifest, ...program.manifest });
  await writeFiles(folder, { ...program.files, "package.json": packageFile });
}

/** A step of a row. */
export interface Step {
  readonly name: string;
  /** Rejects if the step fails. */
  readonly run: (context: StepContext) => Promise<unknown>;
}

/** What steps need. */
export interface StepContext {
  /** Runs the Pulumi CLI in the folder of the program. Resolves with what it printed; rejects if it fails. */
  readonly pulumi: (...args: readonly string[]) => Promise<string>;
  /** Changes the setting that the program manages, outside of Pulumi. */
  readonly disablePrivateIpMode: () => void;
  /** The major version of Node.js that must run the program. */
  readonly node: number;
}

/** The steps, in the order they run. */
export const allSteps: readonly Step[] = [
  { name: "creation of the stack", run: ({ pulumi }) => pulumi("stack", "init", "test") },
  {
    name: "preview",
    run: async ({ pulumi }) => {
      assert.match(await pulumi("preview"), /again *: "db\+srv:\/\/orders\./);
    },
  },
  { name: "up", run: ({ pulumi }) => pulumi("up", "--yes", "--skip-preview") },
  {
    name: "outputs",
    run: async ({ pulumi, node }) => {
      const outputs = parseOutputs(await pulumi("stack", "output", "--json", "--show-secrets"));
      const { url, again, ...rest } = outputs;
      assert.match(String(url), /^db\+srv:\/\/app:p%40ss@orders\./);
      assert.match(String(again), /^db\+srv:\/\/orders\./);
      assert.deepEqual(rest, { legacy: true, isResource: true, isSecret: true, node });
    },
  },
  {
    name: "preview without changes",
    run: ({ pulumi }) => pulumi("preview", "--expect-no-changes"),
  },
  {
    name: "refresh",
    run: ({ pulumi }) => pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes"),
  },
  {
    // SDKs before 3.216.0 ignore the inputs that a provider reads, and the engine compares inputs.
    name: "preview of drift",
    run: async ({ pulumi, disablePrivateIpMode }) => {
      disablePrivateIpMode();
      assert.match(await pulumi("preview", "--refresh", "--diff"), /enabled *: false => true/);
    },
  },
  { name: "destroy", run: ({ pulumi }) => pulumi("destroy", "--yes", "--skip-preview") },
];

/** The steps without those that differ little between rows. */
export const mainSteps: readonly Step[] = allSteps.filter(
  ({ name }) => !["preview", "preview without changes", "refresh"].includes(name),
);

function parseOutputs(text: string): Record<string, unknown> {
  return z.record(z.string(), z.unknown()).parse(JSON.parse(text));
}
