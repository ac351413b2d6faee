/** The programs that rows run with: versions of Node.js, package managers and the packed packages. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { maxSatisfying, minVersion } from "semver";
import { z } from "zod";
import manifest from "../../provider/package.json";
import { pack } from "../../tests/package/packed";
import type { Installation, Manager, NodeMajor, SdkAge } from "./rows";

/** A file's content by its name. */
export type Files = Readonly<Record<string, string>>;

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
  const run = commandRunner(network);
  const managers = unique(rows.map(({ manager }) => manager));
  return {
    network,
    nodes: findNodes(unique(rows.map(({ node }) => node)), network),
    managers: new Map(managers.map((manager) => [manager, findManager(run, manager)])),
    sdks: findSdks(run),
    tarballs: {
      "clouddb-connection-strings": packTarball("connection-strings", folder),
      "pulumi-clouddb": packTarball("provider", folder),
    },
  };
}

/** Downloads versions of Node.js from npm. */
export function findNodes(
  majors: readonly NodeMajor[],
  network: Network = readNetwork(),
): ReadonlyMap<NodeMajor, Tool> {
  const run = commandRunner(network);
  return new Map(majors.map((major) => [major, findNode(run, major)]));
}

function commandRunner(network: Network): Run {
  const env = { ...withoutNpm(process.env), ...npmSettings(network) };
  return (command, args) =>
    execFileSync(command, args, { encoding: "utf8", env, stdio: "pipe" }).trim();
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

/** How to reach the registry. */
export interface Network {
  readonly registry: string;
  /** A file with CA certificates. */
  readonly cafile: string | undefined;
  readonly proxy: string | undefined;
  readonly httpsProxy: string | undefined;
}

/** Reads npm's settings. */
function readNetwork(): Network {
  const names = ["registry", "cafile", "proxy", "https-proxy"];
  return parseNetwork(execFileSync("npm", ["config", "get", ...names], { encoding: "utf8" }));
}

/**
 * Parses settings.
 *
 * @param text what `npm config get` prints for several settings: `name=value` lines
 */
function parseNetwork(text: string): Network {
  const settings = new Map(
    text
      .split("\n")
      .map((line) => /^([\w-]+)=(.*)$/.exec(line.trim()))
      .flatMap((match) => (match === null ? [] : [[match[1], match[2]] as const])),
  );
  const get = (name: string) => {
    const value = settings.get(name);
    return value === undefined || value === "" || value === "null" ? undefined : value;
  };
  const registry = get("registry");
  if (registry === undefined)
    throw new Error("npm has no registry. Set it: npm config set registry");
  return {
    registry,
    cafile: get("cafile"),
    proxy: get("proxy"),
    httpsProxy: get("https-proxy"),
  };
}

/** Returns the environment variables from which npm, pnpm and Yarn 1 read the settings. */
function npmSettings({ registry, cafile, proxy, httpsProxy }: Network): Record<string, string> {
  return {
    npm_config_registry: registry,
    ...(cafile === undefined ? {} : { npm_config_cafile: cafile }),
    ...(proxy === undefined ? {} : { npm_config_proxy: proxy }),
    ...(httpsProxy === undefined ? {} : { npm_config_https_proxy: httpsProxy }),
  };
}

/** A package manager. */
export interface PackageManager {
  /** Its name in the document. */
  readonly title: string;
  /** Its executable. */
  readonly command: "npm" | "pnpm" | "yarn";
  /** What npm downloads to get it; undefined for the npm on PATH. */
  readonly package: string | undefined;
  /** The arguments that install what package.json declares. */
  readonly install: (cacheFolder: string) => readonly string[];
  /**
   * Returns fields of package.json that select the packages for all dependents, like a registry that
   * has them.
   */
  readonly manifest: (packages: Tarballs) => Readonly<Record<string, unknown>>;
  /** Returns its settings files. */
  readonly files: (packages: Tarballs) => Files;
  /** The command that runs the Pulumi CLI, and its first arguments. */
  readonly pulumi: readonly [string, ...string[]];
  /** Returns its settings for this machine, as environment variables. */
  readonly environment: (network: Network, cacheFolder: string) => Readonly<Record<string, string>>;
}

/** Where package.json finds packages: `file:./<tarball>`, by their names. */
type Tarballs = Readonly<Record<string, string>>;

const npm: PackageManager = {
  title: "npm",
  command: "npm",
  package: undefined,
  install: () => ["install", "--prefer-offline", "--no-audit", "--no-fund"],
  // npm uses the dependency of the project wherever its version matches.
  manifest: () => ({}),
  files: () => ({}),
  environment: npmSettings,
  pulumi: ["pulumi"],
};

const pnpm: PackageManager = {
  title: "pnpm",
  command: "pnpm",
  package: "pnpm@12",
  install: (cacheFolder) => ["install", "--prefer-offline", "--store-dir", cacheFolder],
  manifest: () => ({}),
  files: (packages) => ({
    // pnpm fails if it is not told whether to run the build script of a dependency. Pulumi's SDK does
    // not need the one of protobufjs.
    "pnpm-workspace.yaml": JSON.stringify({
      overrides: packages,
      allowBuilds: { protobufjs: false },
    }),
  }),
  environment: npmSettings,
  pulumi: ["pulumi"],
};

const yarn1: PackageManager = {
  title: "Yarn 1",
  command: "yarn",
  package: "yarn@1",
  install: (cacheFolder) => [
    ...["install", "--non-interactive", "--no-progress", "--prefer-offline"],
    // Installations that share a cache must not run at the same time.
    ...["--cache-folder", cacheFolder, "--mutex", `file:${cacheFolder}.mutex`],
  ],
  manifest: (packages) => ({ resolutions: packages }),
  files: () => ({}),
  environment: (network) => ({
    ...npmSettings(network),
    YARN_REGISTRY: network.registry,
  }),
  pulumi: ["pulumi"],
};

const yarn4: PackageManager = {
  title: "Yarn 4",
  command: "yarn",
  package: "@yarnpkg/cli-dist@4",
  install: () => ["install"],
  manifest: (packages) => ({ resolutions: packages }),
  // Without a lock file, Yarn 4 looks for a project in the folders above.
  files: () => ({ "yarn.lock": "", ".yarnrc.yml": "nodeLinker: node-modules\n" }),
  environment: ({ registry, cafile, proxy, httpsProxy }, cacheFolder) => ({
    YARN_NPM_REGISTRY_SERVER: registry,
    ...(registry.startsWith("http:")
      ? { YARN_UNSAFE_HTTP_WHITELIST: new URL(registry).hostname }
      : {}),
    ...(cafile === undefined ? {} : { YARN_HTTPS_CA_FILE_PATH: cafile }),
    ...(proxy === undefined ? {} : { YARN_HTTP_PROXY: proxy }),
    ...(httpsProxy === undefined ? {} : { YARN_HTTPS_PROXY: httpsProxy }),
    YARN_GLOBAL_FOLDER: cacheFolder,
    YARN_ENABLE_TELEMETRY: "false",
    // In CI, Yarn 4 would refuse to create a lock file.
    YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
  }),
  pulumi: ["pulumi"],
};

/** The package managers of the matrix. */
export const packageManagers: Readonly<Record<Manager, PackageManager>> = {
  npm,
  pnpm,
  yarn1,
  yarn4,
  "yarn4-pnp": {
    ...yarn4,
    title: "Yarn 4 with Plug'n'Play",
    files: () => ({ "yarn.lock": "", ".yarnrc.yml": "nodeLinker: pnp\n" }),
    // Without `yarn exec`, Node.js finds no packages.
    pulumi: ["yarn", "exec", "pulumi"],
  },
};
