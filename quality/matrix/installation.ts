/** Creates the projects of rows, and installs the packages in them. */
import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { basename, delimiter, join } from "node:path";
import type { Cleanup } from "../../tests/cleanup";
import { type CommandOptions, startCommand } from "../../tests/command";
import { projectId } from "../../tests/service";
import type { Format, Installation } from "./rows";
import { type Files, type Toolchain, packageManagers, withoutNpm } from "./toolchain";

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

/** How a program of a module format differs from the others. */
interface ProgramFormat {
  /** Fields of package.json. */
  readonly manifest: Readonly<Record<string, string>>;
  readonly files: Files;
}

/** The outputs of each program. */
const outputs = "url, again, legacy, isResource, isSecret, node";

/** Uses the resources, an explicit provider and a function, and reports what runs them. */
const body = `
const projectId = "${projectId}";
const provider = new clouddb.Provider("same", { publicKey: "demo", privateKey: "demo-secret" });
const mode = new clouddb.PrivateIpMode("orders", { projectId, enabled: true });
const args = { projectId: mode.projectId, clusterName: "orders" };
const orders = new clouddb.ClusterConnectionStrings("orders", args, { provider });
const url = clouddb.withCredentials(orders.recommended, { username: "app", password: "p@ss" });
const again = clouddb.getConnectionStringsOutput(args).recommended;
const legacy = orders.legacy.apply((text) => text === undefined);
const isResource = [mode, orders].every((each) => each instanceof pulumi.CustomResource);
const isSecret = pulumi.isSecret(url);
const node = Number.parseInt(process.versions.node);
`;

const moduleProgram = `import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
${body}
export { ${outputs} };
`;

const commonJsProgram = `const pulumi = require("@pulumi/pulumi");
const clouddb = require("pulumi-clouddb");
${body}
module.exports = { ${outputs} };
`;

/** The compiler options of Pulumi's templates. */
const tsconfig = {
  compilerOptions: {
    strict: true,
    outDir: "bin",
    target: "es2020",
    module: "commonjs",
    moduleResolution: "node",
    sourceMap: true,
    pretty: true,
    noFallthroughCasesInSwitch: true,
    noImplicitReturns: true,
    forceConsistentCasingInFileNames: true,
  },
  files: ["index.ts"],
};

/** The programs of all formats. They do the same. */
export const programs: Readonly<Record<Format, ProgramFormat>> = {
  typescript: {
    manifest: { main: "index.ts" },
    files: { "index.ts": moduleProgram, "tsconfig.json": JSON.stringify(tsconfig) },
  },
  commonjs: { manifest: { main: "index.js" }, files: { "index.js": commonJsProgram } },
  esm: { manifest: { main: "index.js", type: "module" }, files: { "index.js": moduleProgram } },
};

/**
 * Returns the Pulumi.yaml of a program.
 *
 * @param packageManager the command of the package manager
 */
function projectFile(packageManager: string): string {
  return [
    "name: matrix",
    "runtime:",
    "  name: nodejs",
    "  options:",
    `    packagemanager: ${packageManager}`,
    "",
  ].join("\n");
}

/** A command that takes longer is killed. */
const maxMinutes = 10;

/**
 * Runs a command without blocking this process, which runs the service.
 *
 * @param release kills the command if it is still running
 * @returns its standard output
 * @throws an error with its whole output if it fails
 */
export async function runCommand(
  release: Cleanup,
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<string> {
  const started = startCommand(release, command, args, options);
  const timeout = setTimeout(() => {
    started.kill("SIGKILL");
  }, maxMinutes * 60_000);
  const { code, stdout, stderr } = await started.result.finally(() => {
    clearTimeout(timeout);
  });
  if (code === 0) return stdout;
  const ended =
    code === null
      ? `was killed, or did not end within ${maxMinutes} minutes`
      : `exited with code ${code}`;
  throw new Error(`${command} ${args.join(" ")} ${ended}:\n${stdout}${stderr}`);
}
