/** Runs a program in an installation, with its own service and backend. */
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Cleanup } from "../../tests/cleanup";
import { projectId, settingsFor, startService } from "../../tests/service";
import { runCommand } from "./command";
import { type RowFailure, failureOf } from "./failure";
import { type ProjectFolder, writeFiles } from "./installation";
import { packageManagers } from "./packageManagers";
import { programs } from "./project";
import { type Format, formats } from "./rows";
import type { Step } from "./steps";

/**
 * Replaces the program in the folder, and runs it.
 *
 * @param steps the steps, in the order they run
 * @param release stops what is still running
 * @returns undefined if all steps succeeded
 */
export async function runProgram(
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
