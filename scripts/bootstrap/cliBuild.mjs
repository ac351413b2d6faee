// @ts-check
/**
 * Builds the Pulumi CLI from Go modules, for networks that allow package registries but no other
 * downloads. scripts/pulumi-cli pins both modules: go.mod their versions, go.sum all their hashes.
 */
import fs from "node:fs";
import path from "node:path";
import { Failure, Interruption } from "../terminal/failure.mjs";
import { say, step } from "../terminal/console.mjs";
import { capture, lastLine } from "../terminal/run.mjs";
import { root } from "../workspace.mjs";

const sdkModule = "github.com/pulumi/pulumi/sdk/v3";
const engineFolder = path.join(root, "scripts", "pulumi-cli", "engine");
// The language host has no published module; this is the last version of the SDK that contains it.
const languageHostFolder = path.join(root, "scripts", "pulumi-cli", "language-host");
const maxFailureLines = 15;

/**
 * @param {string} home a folder; the executables are written to its subfolder `bin`
 * @param {string} version
 * @param {string} downloadError why the CLI could not be downloaded
 * @throws {Failure} what to install if Go is missing, or Go's message if the build fails
 */
export async function buildCli(home, version, downloadError) {
  const go = await goEnvironment(home, version, downloadError);
  const bin = path.join(home, "bin");
  fs.mkdirSync(bin);
  say(
    `The Pulumi CLI ${version} cannot be downloaded (${downloadError}); ` +
      "building it from Go modules instead. This happens once.",
  );
  await goBuild(go, {
    title: "Building the Pulumi engine",
    expect: "about 6 minutes on 2 cores, and 2 minutes of downloads",
    module: engineFolder,
    flags: [
      "-tags=osusergo,grpcnotrace",
      `-ldflags=-s -w -X ${sdkModule}/go/common/version.Version=v${version}`,
    ],
    output: path.join(bin, "pulumi"),
    target: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
  });
  await goBuild(go, {
    title: "Building Pulumi's Node.js language host",
    expect: "about a minute",
    module: languageHostFolder,
    flags: ["-ldflags=-s -w"],
    output: path.join(bin, "pulumi-language-nodejs"),
    target: `${sdkModule}/nodejs/cmd/pulumi-language-nodejs`,
  });
  await copyProviderLauncher(go, bin);
  fs.rmSync(go.GOTMPDIR, { recursive: true, force: true });
}

/**
 * Returns the environment for Go.
 * @param {string} home
 * @param {string} version
 * @param {string} downloadError
 * @throws {Failure} what to install if Go is missing or too old
 */
async function goEnvironment(home, version, downloadError) {
  const temporary = path.join(home, "go-tmp");
  fs.mkdirSync(temporary);
  // GOTMPDIR is in `home`, so that the files of a killed build are removed with it.
  const go = { ...process.env, GOWORK: "off", GOTMPDIR: temporary };
  const needed = /^go (\d+\.\d+)/m.exec(
    fs.readFileSync(path.join(engineFolder, "go.mod"), "utf8"),
  )?.[1];
  const { version: found, problem } = await goVersion(go);
  if (found !== undefined && !isOlder(found, needed ?? "")) return go;
  throw new Failure(
    "No suitable Pulumi CLI is on PATH or in the cache, " +
      `it cannot be downloaded (${downloadError}), and building it needs Go ${needed} or later: ` +
      `${problem ?? `the version of go on PATH is ${found}`}.\n` +
      "Install one of these, then run the command again:\n" +
      `  the Pulumi CLI ${version}: https://www.pulumi.com/docs/iac/download-install/\n` +
      `  Go ${needed} or later: https://go.dev/dl/ (the CLI is then built once, in about 8 minutes)`,
  );
}

/**
 * Returns the version of Go, or why it is unknown. In the folder of the module, Go reports the
 * toolchain that it would download for it, and fails if it may not download one.
 * @param {NodeJS.ProcessEnv} go
 * @returns {Promise<{ version?: string, problem?: string }>}
 */
async function goVersion(go) {
  try {
    const options = { cwd: engineFolder, env: go };
    const { code, output } = await capture("go", ["env", "GOVERSION"], options);
    const version = code === 0 ? /^go(\d+\.\d+)/m.exec(output)?.[1] : undefined;
    return version ? { version } : { problem: `go env GOVERSION failed: ${lastLine(output)}` };
  } catch (error) {
    if (error instanceof Interruption || !(error instanceof Failure)) throw error;
    return { problem: "go is not on PATH" };
  }
}

/**
 * @param {string} version such as "1.26"
 * @param {string} needed
 */
function isOlder(version, needed) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const [neededMajor = 0, neededMinor = 0] = needed.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

/**
 * @param {NodeJS.ProcessEnv} go
 * @param {{ title: string, expect: string, module: string, flags: string[], output: string, target: string }} build
 */
async function goBuild(go, { title, expect, module, flags, output, target }) {
  const args = ["build", "-v", "-mod=readonly", "-trimpath", ...flags, "-o", output, target];
  await step(
    title,
    async (progress) => {
      const result = await capture("go", args, { cwd: module, env: go, onLine: progress });
      if (result.code === 0) return;
      const lines = result.output.trim().split("\n").slice(-maxFailureLines);
      throw new Failure(
        `go build of ${target} failed:\n${lines.join("\n")}\n` +
          "The build needs access to a Go module proxy (GOPROXY) and about 4 GB of disk space for Go's caches. " +
          "Compiled packages stay in the cache, so the next attempt is faster.",
      );
    },
    { expect },
  );
}

/**
 * Copies the script that starts dynamic providers, which is a file in the SDK's module. Go verifies
 * the module with go.sum, like the code that it compiles.
 * @param {NodeJS.ProcessEnv} go
 * @param {string} bin
 */
async function copyProviderLauncher(go, bin) {
  const download = ["mod", "download", "-json", sdkModule];
  const { code, output } = await capture("go", download, { cwd: engineFolder, env: go });
  if (code !== 0) throw new Failure(`go mod download of ${sdkModule} failed:\n${output}`);
  const { Dir: folder } = JSON.parse(output);
  const script = path.join(bin, "pulumi-resource-pulumi-nodejs");
  fs.copyFileSync(path.join(folder, "nodejs", "dist", path.basename(script)), script);
  fs.chmodSync(script, 0o755);
}
