/**
 * The SDKs that `pulumi package add` generates from the plugin's schema, and the programs that are
 * needed for it. They are built from Go modules once, and kept in node_modules/.cache.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { processFolder } from "../../cleanup";
import { buildWithGo } from "../../goProgram";
import { Missing } from "../../missing";

const root = join(__dirname, "..", "..", "..");
const modules = join(root, "scripts", "pulumi-cli");

/**
 * Generates the SDKs for Node.js and Python, and compiles the one for Node.js.
 *
 * @returns the folder, with `nodejs/bin` and `python`
 * @throws Missing if Go is not installed
 */
export function generateSdks(): string {
  // Below the repository, the SDK finds @pulumi/pulumi in its node_modules.
  const folder = join(root, ".clouddb", "tests", `sdks-${process.pid}`);
  if (existsSync(folder)) return folder;
  process.once("exit", () => {
    rmSync(folder, { recursive: true, force: true });
  });
  const generator = buildWithGo(join(modules, "engine"), "sdk-generator", "./sdk-generator");
  execFileSync(generator, [join(root, "plugin", "schema.json"), folder]);
  const compiler = join(root, "node_modules", "typescript", "bin", "tsc");
  // The generated settings are those of an older compiler.
  const options = ["--ignoreDeprecations", "6.0", "--types", "node"];
  execFileSync(process.execPath, [compiler, "-p", join(folder, "nodejs"), ...options]);
  // The SDK reads its version from the package.json next to its compiled files.
  copyFileSync(
    join(folder, "nodejs", "package.json"),
    join(folder, "nodejs", "bin", "package.json"),
  );
  return folder;
}

/**
 * Installs Python's SDK of Pulumi and the generated one into a virtual environment, and builds Pulumi's
 * language host for Python.
 *
 * @returns the folders to put first on PATH
 * @throws Missing if Go, Python or the package registry of Python is not available
 */
export function installPython(): string[] {
  const environment = join(processFolder, "python");
  const python = (file: string, args: readonly string[]) => {
    try {
      execFileSync(file, args, { stdio: ["ignore", "ignore", "pipe"] });
    } catch (error) {
      throw new Missing(`Python with pip and venv is not available: ${String(error)}`);
    }
  };
  if (!existsSync(environment)) {
    python("python3", ["-m", "venv", environment]);
    const pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    const sdk = join(generateSdks(), "python");
    python(join(environment, "bin", "python"), [...pip, "pulumi>=3.231,<4", sdk]);
  }
  const module = "github.com/pulumi/pulumi/sdk/v3";
  const host = buildWithGo(
    join(modules, "language-host"),
    "pulumi-language-python",
    `${module}/python/cmd/pulumi-language-python`,
  );
  const sources = execFileSync("go", ["list", "-m", "-f", "{{.Dir}}", module], {
    cwd: join(modules, "language-host"),
    encoding: "utf8",
  }).trim();
  const launcher = "pulumi-language-python-exec";
  copyFileSync(join(sources, "python", "cmd", launcher), join(dirname(host), launcher));
  return [join(environment, "bin"), dirname(host)];
}
