/** How each package manager installs the packages. */
import { type Network, npmSettings } from "./network";
import type { Files } from "./project";
import type { Manager } from "./rows";

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
