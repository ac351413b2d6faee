/** The SDKs that `pulumi package add` generates, and language hosts, which are built from Go modules once. */
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { buildPublished } from "../../support/goProgram";
import { pythonEnvironment } from "../../support/pythonEnvironment";

const root = join(__dirname, "..", "..", "..");

const sdkModule = "github.com/pulumi/pulumi/sdk/v3";
const pulumi = "v3.259.0";

/**
 * Generates the SDKs for Node.js, Python and Go, and compiles the one for Node.js.
 *
 * @returns the folder, with `nodejs/bin`, `python` and `go`
 * @throws Missing if Go is not installed
 */
export function generateSdks(): string {
  // Below the repository, the SDK finds @pulumi/pulumi in its node_modules.
  const folder = join(root, ".clouddb", "tests", `sdks-${process.pid}`);
  if (existsSync(folder)) return folder;
  process.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const generator = buildPublished({
    name: "sdk-generator",
    module: "github.com/pulumi/pulumi/pkg/v3",
    // With 3.269.0 and later, the SDKs need that version of @pulumi/pulumi, which declares Node.js 22.
    version: pulumi,
    target: "./sdk-generator",
    prepare: (sources) => {
      const own = join(root, "scripts", "pulumi-cli", "sdk-generator");
      cpSync(own, join(sources, "sdk-generator"), { recursive: true });
      for (const args of [
        ["mod", "edit", `-dropreplace=${sdkModule}`],
        ["get", `${sdkModule}@${pulumi}`],
      ])
        execFileSync("go", args, { cwd: sources, stdio: "ignore" });
    },
  });
  execFileSync(generator, [join(root, "plugin", "schema.json"), folder]);
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  // The generated settings are for an older compiler.
  const options = ["--ignoreDeprecations", "6.0", "--types", "node"];
  execFileSync(process.execPath, [compiler, "-p", join(folder, "nodejs"), ...options]);
  // The SDK reads its version from the package.json next to its compiled files.
  copyFileSync(
    join(folder, "nodejs", "package.json"),
    join(folder, "nodejs", "bin", "package.json"),
  );
  return folder;
}

/** The flags of buildPublished, whose compiled packages are then used again. */
export const goEnvironment = {
  GOFLAGS:
    "-mod=mod -trimpath -tags=osusergo,grpcnotrace '-gcflags=all=-l -dwarf=false' '-ldflags=-s -w'",
};

/** The last version of each module that contains a language host, and its package. */
const hosts = {
  python: {
    module: sdkModule,
    version: "v3.68.0",
    target: "./python/cmd/pulumi-language-python",
    prepare: (sources: string, destination: string) => {
      const launcher = "pulumi-language-python-exec";
      copyFileSync(join(sources, "python", "cmd", launcher), join(destination, launcher));
    },
  },
  go: { module: sdkModule, version: "v3.60.0", target: "./go/pulumi-language-go" },
  yaml: {
    module: "github.com/pulumi/pulumi-yaml",
    version: "v1.28.0",
    target: "./cmd/pulumi-language-yaml",
  },
};

/**
 * Finds Pulumi's host for a language on PATH, where a release of the CLI has it, or builds it.
 *
 * @returns the PATH for the Pulumi CLI
 * @throws Missing if Go is not installed, or the modules cannot be downloaded
 */
export function pathWithHost(language: keyof typeof hosts): string {
  const name = `pulumi-language-${language}`;
  const path = process.env["PATH"] ?? "";
  if (path.split(delimiter).some((folder) => existsSync(join(folder, name)))) return path;
  const host = buildPublished({ name, ...hosts[language] });
  return `${dirname(host)}${delimiter}${path}`;
}

/**
 * Installs Python's SDK of Pulumi and the generated one into a virtual environment.
 *
 * @returns the virtual environment
 * @throws Missing if Python or its package registry is not available
 */
export function sdkEnvironment(): string {
  return pythonEnvironment("python", () => ["pulumi>=3.231,<4", join(generateSdks(), "python")]);
}
