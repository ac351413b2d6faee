/** The versions of Node.js, the package managers and the packed packages of the rows. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { basename, join } from "node:path";
import { maxSatisfying, minVersion } from "semver";
import { z } from "zod";
import manifest from "../../provider/package.json";
import { pack } from "../../tests/package/packed";
import type { Manager, Runtime, Row, SdkVersion } from "./rows";

export interface Toolchain {
  readonly network: Network;
  /** The folders of the executables. */
  readonly nodes: ReadonlyMap<Runtime, string>;
  /** The folders of the executables of managers that are not on PATH. */
  readonly managers: ReadonlyMap<Manager, string>;
  /** The versions of `@pulumi/pulumi`. */
  readonly sdks: Readonly<Record<SdkVersion, string>>;
  /** The folder of the tarballs. */
  readonly folder: string;
  /** The packed packages as dependencies in package.json, in a folder that contains the tarballs. */
  readonly packages: Packages;
}

/** `file:./<tarball>` by the names of the packages. */
type Packages = Readonly<Record<string, string>>;

/** The folder for downloads, which all runs share. */
export const cacheFolder = join(__dirname, "..", "..", ".clouddb", "matrix");

/**
 * Downloads the tools of the rows, and packs the packages. It blocks this process, so no service may run
 * in it yet.
 *
 * @param rows the rows that need the tools
 * @param folder the folder for the tarballs
 */
export function prepareToolchain(rows: readonly Row[], folder: string): Toolchain {
  const runtimes = new Set(rows.map(({ node }) => node));
  const managers = new Set(rows.map(({ manager }) => manager));
  return {
    network: readNetwork(),
    nodes: new Map([...runtimes].map((runtime) => [runtime, nodeFolder(runtime)])),
    managers: new Map(
      [...managers].flatMap((manager) => {
        const { package: spec } = packageManagers[manager];
        return spec === undefined ? [] : [[manager, folderOf(spec)]];
      }),
    ),
    sdks: findSdks(),
    folder,
    packages: {
      "clouddb-connection-strings": `file:./${packTarball("connection-strings", folder)}`,
      "pulumi-clouddb": `file:./${packTarball("provider", folder)}`,
    },
  };
}

/** Returns an environment without what `npm run` adds, such as the settings of this repository's .npmrc. */
export function withoutNpm(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(environment).filter(([name]) => !/^npm_/i.test(name));
  return Object.fromEntries(own);
}

/** Runs a command, and returns its standard output. */
function run(command: string, ...args: readonly string[]): string {
  const env = { ...withoutNpm(process.env), ...npmSettings(readNetwork()) };
  return execFileSync(command, args, { encoding: "utf8", env, stdio: "pipe" }).trim();
}

/** Downloads a package with npm, and returns the folder of its executables. */
function folderOf(spec: string): string {
  const options = ["--silent", "--yes", "--prefer-offline", "--package", spec];
  const expression = "process.env.PATH.split(require('node:path').delimiter)[0]";
  return run("npm", "exec", ...options, "--", "node", "--print", expression);
}

/** Returns a folder whose command `node` is a version of Node.js or Bun. */
function nodeFolder(runtime: Runtime): string {
  if (runtime !== "bun") return folderOf(`node@${runtime}`);
  const folder = join(cacheFolder, "bun");
  mkdirSync(folder, { recursive: true });
  rmSync(join(folder, "node"), { force: true });
  symlinkSync(join(folderOf("bun@1"), "bun"), join(folder, "node"));
  return folder;
}

function findSdks(): Toolchain["sdks"] {
  const supported = manifest.peerDependencies["@pulumi/pulumi"];
  const printed = run("npm", "view", "--json", "--prefer-offline", "@pulumi/pulumi", "versions");
  const versions = z.array(z.string()).parse(JSON.parse(printed));
  const oldest = minVersion(supported)?.version;
  const newest = maxSatisfying(versions, supported);
  if (oldest === undefined || newest === null) {
    throw new Error(`npm has no version of @pulumi/pulumi that satisfies ${supported}.`);
  }
  const lastForNode20 = manifest.devDependencies["@pulumi/pulumi"];
  return { oldest, lastForNode20, newest };
}

/**
 * Packs a package. The name of the tarball contains its digest, because package managers cache it by name.
 *
 * @returns the name of the tarball in the folder
 */
function packTarball(workspace: string, folder: string): string {
  const packing = join(folder, workspace);
  mkdirSync(packing);
  const packed = join(packing, pack(workspace, packing));
  const digest = createHash("sha256").update(readFileSync(packed)).digest("hex").slice(0, 12);
  const name = basename(packed).replace(/\.tgz$/, `-${digest}.tgz`);
  renameSync(packed, join(folder, name));
  return name;
}

/** npm's settings for the registry. */
type Network = z.infer<typeof networkSchema>;

const networkSchema = z.object({
  registry: z.string(),
  cafile: z.string().nullable(),
  proxy: z.string().nullable().catch(null), // npm accepts false.
  "https-proxy": z.string().nullable(),
});

function readNetwork(): Network {
  const printed = execFileSync("npm", ["config", "list", "--json"], {
    encoding: "utf8",
    stdio: "pipe",
  });
  return networkSchema.parse(JSON.parse(printed));
}

/** Returns the environment variables from which npm and pnpm read the settings. */
function npmSettings(network: Network): Record<string, string> {
  return variables({
    npm_config_registry: network.registry,
    npm_config_cafile: network.cafile,
    npm_config_proxy: network.proxy,
    npm_config_https_proxy: network["https-proxy"],
  });
}

function variables(settings: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, value]) => (value === null ? [] : [[name, value]])),
  );
}

/** A package manager. */
interface PackageManager {
  /** Its executable. */
  readonly command: "npm" | "pnpm" | "yarn";
  /** What npm downloads to get it; undefined for the npm on PATH. */
  readonly package?: string;
  /** The arguments that install the dependencies in package.json. */
  readonly install: (cacheFolder: string) => readonly string[];
  /** Returns fields of package.json that select the packages for all dependents, as a registry that had them would. */
  readonly manifest?: (packages: Packages) => Readonly<Record<string, unknown>>;
  /** Returns the content of its settings files, by name. */
  readonly files?: (packages: Packages) => Readonly<Record<string, string>>;
  /** Returns its settings for this machine, as environment variables. */
  readonly environment: (network: Network, cacheFolder: string) => Readonly<Record<string, string>>;
}

/** The package managers of the matrix. */
export const packageManagers: Readonly<Record<Manager, PackageManager>> = {
  npm: {
    command: "npm",
    // npm uses the dependency of the project wherever its version matches.
    install: () => ["install", "--prefer-offline", "--no-audit", "--no-fund"],
    environment: npmSettings,
  },
  pnpm: {
    command: "pnpm",
    package: "pnpm@12",
    install: (cacheFolder) => ["install", "--prefer-offline", "--store-dir", cacheFolder],
    // pnpm fails unless each dependency's build script is allowed or denied. Pulumi's SDK does not need the build
    // script of protobufjs.
    files: (packages) => ({
      "pnpm-workspace.yaml": JSON.stringify({
        overrides: packages,
        allowBuilds: { protobufjs: false },
      }),
    }),
    environment: npmSettings,
  },
  yarn4: {
    command: "yarn",
    package: "@yarnpkg/cli-dist@4",
    install: () => ["install"],
    manifest: (packages) => ({ resolutions: packages }),
    // Without a lock file, Yarn 4 looks for a project in the folders above.
    files: () => ({ "yarn.lock": "", ".yarnrc.yml": "nodeLinker: node-modules\n" }),
    environment: ({ registry, cafile, proxy, "https-proxy": httpsProxy }, cacheFolder) =>
      variables({
        YARN_NPM_REGISTRY_SERVER: registry,
        YARN_UNSAFE_HTTP_WHITELIST: registry.startsWith("http:")
          ? new URL(registry).hostname
          : null,
        YARN_HTTPS_CA_FILE_PATH: cafile,
        YARN_HTTP_PROXY: proxy,
        YARN_HTTPS_PROXY: httpsProxy,
        YARN_GLOBAL_FOLDER: cacheFolder,
        YARN_ENABLE_TELEMETRY: "false",
        // In CI, Yarn 4 would refuse to create a lock file.
        YARN_ENABLE_IMMUTABLE_INSTALLS: "false",
      }),
  },
};
