/** The programs that rows run with: versions of Node.js, package managers and the packed packages. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { maxSatisfying, minVersion } from "semver";
import { z } from "zod";
import manifest from "../../provider/package.json";
import { pack } from "../../tests/package/packed";
import { type Network, npmSettings, readNetwork } from "./network";
import { packageManagers } from "./packageManagers";
import type { Installation, Manager, NodeMajor, SdkAge } from "./rows";

/** What the rows run with. */
export interface Toolchain {
  readonly network: Network;
  readonly nodes: ReadonlyMap<NodeMajor, Tool>;
  readonly managers: ReadonlyMap<Manager, Tool>;
  /** The versions of `@pulumi/pulumi`. */
  readonly sdks: Readonly<Record<SdkAge, string>>;
  /** The packed packages: the paths of the tarballs by the names of the packages. */
  readonly tarballs: Readonly<Record<string, string>>;
}

/** An executable that npm downloaded, or that was on PATH. */
export interface Tool {
  /** The folder of the executable; undefined if it is on PATH. */
  readonly folder: string | undefined;
  readonly version: string;
}

/** The folder for downloads, which all runs share. */
export const cacheFolder = join(__dirname, "..", "..", ".clouddb", "matrix");

/** The range of versions of `@pulumi/pulumi` that pulumi-clouddb accepts. */
const supported = manifest.peerDependencies["@pulumi/pulumi"];

/**
 * Downloads the tools of the rows, and packs the packages. It blocks this process, so no service may run
 * in it yet.
 *
 * @param rows the rows that need the tools
 * @param folder the folder for the tarballs
 */
export function prepareToolchain(rows: readonly Installation[], folder: string): Toolchain {
  const network = readNetwork();
  const env = { ...withoutNpm(process.env), ...npmSettings(network) };
  const run: Run = (command, args) =>
    execFileSync(command, args, { encoding: "utf8", env, stdio: "pipe" }).trim();
  const nodes = unique(rows.map(({ node }) => node));
  const managers = unique(rows.map(({ manager }) => manager));
  return {
    network,
    nodes: new Map(nodes.map((node) => [node, findNode(run, node)])),
    managers: new Map(managers.map((manager) => [manager, findManager(run, manager)])),
    sdks: findSdks(run),
    tarballs: {
      "clouddb-connection-strings": packTarball("connection-strings", folder),
      "pulumi-clouddb": packTarball("provider", folder),
    },
  };
}

/** Returns an environment without what `npm run` adds, such as the settings of this repository's .npmrc. */
export function withoutNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(environment).filter(([name]) => !/^npm_/i.test(name));
  return Object.fromEntries(own);
}

/** Runs a command, and returns its standard output. */
type Run = (command: string, args: readonly string[]) => string;

function findNode(run: Run, major: NodeMajor): Tool {
  const path = npmExec(run, `node@${major}`, ["node", "--print", "process.execPath"]);
  return { folder: dirname(path), version: run(path, ["--version"]).replace(/^v/, "") };
}

function findManager(run: Run, manager: Manager): Tool {
  const { package: spec, command } = packageManagers[manager];
  const script = "process.env.PATH.split(require('node:path').delimiter)[0]";
  const folder = spec === undefined ? undefined : npmExec(run, spec, ["node", "--print", script]);
  const path = folder === undefined ? command : join(folder, command);
  return { folder, version: run(path, ["--version"]) };
}

/** Runs a command with the executables of a package first on PATH. */
function npmExec(run: Run, spec: string, command: readonly string[]): string {
  const options = ["--silent", "--yes", "--prefer-offline", "--package", spec];
  return run("npm", ["exec", ...options, "--", ...command]);
}

function findSdks(run: Run): Record<SdkAge, string> {
  const args = ["view", "--json", "--prefer-offline", "@pulumi/pulumi", "versions"];
  const versions = z.array(z.string()).parse(JSON.parse(run("npm", args)));
  const [oldest, newest] = [minVersion(supported)?.version, maxSatisfying(versions, supported)];
  if (oldest === undefined || newest === null) {
    throw new Error(`npm has no version of @pulumi/pulumi that satisfies ${supported}.`);
  }
  return { oldest, newest };
}

/** Packs a package. The name of the tarball contains its digest, because package managers cache it by name. */
function packTarball(workspace: string, parent: string): string {
  const folder = join(parent, workspace);
  mkdirSync(folder);
  const packed = join(folder, pack(workspace, folder));
  const digest = createHash("sha256").update(readFileSync(packed)).digest("hex").slice(0, 12);
  const named = packed.replace(/\.tgz$/, `-${digest}.tgz`);
  renameSync(packed, named);
  return named;
}

function unique<T>(values: readonly T[]): readonly T[] {
  return [...new Set(values)];
}
