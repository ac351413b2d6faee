/** Installs the packages into an empty folder, as a user would. */
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { basename, delimiter, join } from "node:path";
import type { Cleanup } from "../../tests/cleanup";
import { runCommand } from "./command";
import { packageManagers } from "./packageManagers";
import { type Files, projectFile } from "./project";
import type { Installation } from "./rows";
import { type Toolchain, withoutNpm } from "./toolchain";

/** What the rows of an installation run with. */
export interface Workplace {
  readonly toolchain: Toolchain;
  /** The folder for downloads, which later runs use again. */
  readonly cacheFolder: string;
}

/** A folder for the packages and a program. */
export interface ProjectFolder {
  readonly installation: Installation;
  readonly folder: string;
  /** Fields of package.json, without those of a module format. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** The environment of all commands. */
  readonly environment: NodeJS.ProcessEnv;
}

/**
 * Creates a folder with everything but the packages and the program.
 *
 * @param folder a folder that does not exist
 */
export async function createProject(
  { toolchain, cacheFolder }: Workplace,
  installation: Installation,
  folder: string,
): Promise<ProjectFolder> {
  await mkdir(folder);
  const manager = packageManagers[installation.manager];
  const names = Object.entries(toolchain.tarballs);
  const tarballs = Object.fromEntries(
    names.map(([name, path]) => [name, `file:./${basename(path)}`]),
  );
  for (const [, path] of names) await copyFile(path, join(folder, basename(path)));
  const manifest = {
    name: "matrix",
    private: true,
    dependencies: {
      ...tarballs,
      "@pulumi/pulumi": toolchain.sdks[installation.sdk],
    },
    devDependencies: { "@types/node": "^20", typescript: "^5" },
    ...manager.manifest(tarballs),
  };
  await writeFiles(folder, {
    ...manager.files(tarballs),
    "Pulumi.yaml": projectFile(manager.command),
    "package.json": JSON.stringify(manifest),
  });
  const managerCache = join(cacheFolder, installation.manager);
  return {
    installation,
    folder,
    manifest,
    environment: {
      ...withoutNpm(process.env),
      ...manager.environment(toolchain.network, managerCache),
      PATH: searchPath(toolchain, installation),
    },
  };
}

/** Installs the packages. Rejects with the output of the package manager if it fails. */
export async function install(
  { installation, folder, environment }: ProjectFolder,
  { cacheFolder }: Workplace,
  release: Cleanup,
): Promise<void> {
  const { command, install: argsFor } = packageManagers[installation.manager];
  const args = argsFor(join(cacheFolder, installation.manager));
  await runCommand(release, command, args, { cwd: folder, env: environment });
}

/** Writes files into a folder. */
export async function writeFiles(folder: string, files: Files): Promise<void> {
  await Promise.all(
    Object.entries(files).map(([name, content]) => writeFile(join(folder, name), content)),
  );
}

/** Puts the version of Node.js and the package manager first on PATH. */
function searchPath({ nodes, managers }: Toolchain, { node, manager }: Installation): string {
  const folders = [nodes.get(node)?.folder, managers.get(manager)?.folder, process.env["PATH"]];
  return folders.filter((each) => each !== undefined).join(delimiter);
}
