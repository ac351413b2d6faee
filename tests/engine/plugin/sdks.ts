/**
 * Provides the SDKs that `pulumi package add` generates from the plugin's schema, and Pulumi's language hosts. They
 * are built from Go modules once, unless a release of the CLI is installed.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, cpSync, existsSync, rmSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { buildPublished, buildWithGo } from "../../support/goProgram";
import { pythonEnvironment } from "../../support/pythonEnvironment";

const root = join(__dirname, "..", "..", "..");
const modules = join(root, "scripts", "pulumi-cli");

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
      cpSync(join(modules, "sdk-generator"), join(sources, "sdk-generator"), { recursive: true });
      const sdk = "github.com/pulumi/pulumi/sdk/v3";
      for (const args of [
        ["mod", "edit", `-dropreplace=${sdk}`],
        ["get", `${sdk}@${pulumi}`],
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

/** The flags of buildWithGo, whose compiled packages are then used again. */
export const goEnvironment = {
  GOFLAGS:
    "-mod=mod -trimpath -tags=osusergo,grpcnotrace '-gcflags=all=-l -dwarf=false' '-ldflags=-s -w'",
};

/** The modules that contain a language host, as folders of scripts/pulumi-cli, and its package. */
const hosts = {
  python: ["language-host", "github.com/pulumi/pulumi/sdk/v3/python/cmd/pulumi-language-python"],
  go: ["go-host", "github.com/pulumi/pulumi/sdk/v3/go/pulumi-language-go"],
  yaml: ["yaml-host", "github.com/pulumi/pulumi-yaml/cmd/pulumi-language-yaml"],
} as const;

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
  const [module, target] = hosts[language];
  const folder = join(modules, module);
  const host = buildWithGo(folder, name, target);
  if (language === "python") {
    const sdk = ["list", "-m", "-f", "{{.Dir}}", "github.com/pulumi/pulumi/sdk/v3"];
    const sources = execFileSync("go", sdk, { cwd: folder, encoding: "utf8" }).trim();
    const launcher = "pulumi-language-python-exec";
    copyFileSync(join(sources, "python", "cmd", launcher), join(dirname(host), launcher));
  }
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
