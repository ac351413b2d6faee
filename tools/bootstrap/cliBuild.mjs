// @ts-check
// The Pulumi CLI from Go modules, for networks that reach package registries but no downloads.
// tools/pulumi-cli pins both modules: go.mod their versions, go.sum the hash of all they bring.
import fs from "node:fs";
import path from "node:path";
import { Failure } from "../terminal/failure.mjs";
import { say, step } from "../terminal/console.mjs";
import { capture } from "../terminal/run.mjs";
import { root } from "../workspace.mjs";

const SDK_MODULE = "github.com/pulumi/pulumi/sdk/v3";
const ENGINE = path.join(root, "tools", "pulumi-cli", "engine");
// Its own module is not published: this is the last version of the SDK that contains it.
const LANGUAGE_HOST = path.join(root, "tools", "pulumi-cli", "language-host");
const LINES_OF_A_FAILURE = 15;

/**
 * @param {string} home folder that receives `bin` with the executables
 * @param {string} version
 * @param {string} refusal why the CLI could not be downloaded
 * @throws {Failure} what to install, where there is no Go; Go's own words, if the build fails
 */
export async function buildCli(home, version, refusal) {
  const go = await goEnvironment(home, version, refusal);
  const bin = path.join(home, "bin");
  fs.mkdirSync(bin);
  say(
    `The Pulumi CLI ${version} cannot be downloaded (${refusal}); ` +
      "it is built from Go modules instead. This happens once.",
  );
  await goBuild(go, {
    title: "Building the Pulumi engine",
    expect: "about 6 minutes on 2 cores, and 2 minutes of downloads",
    module: ENGINE,
    flags: [
      "-tags=osusergo,grpcnotrace",
      `-ldflags=-s -w -X ${SDK_MODULE}/go/common/version.Version=v${version}`,
    ],
    output: path.join(bin, "pulumi"),
    target: "github.com/pulumi/pulumi/pkg/v3/cmd/pulumi",
  });
  await goBuild(go, {
    title: "Building Pulumi's Node language host",
    expect: "about a minute",
    module: LANGUAGE_HOST,
    flags: ["-ldflags=-s -w"],
    output: path.join(bin, "pulumi-language-nodejs"),
    target: `${SDK_MODULE}/nodejs/cmd/pulumi-language-nodejs`,
  });
  await copyProviderLauncher(go, bin);
  fs.rmSync(go.GOTMPDIR, { recursive: true, force: true });
}

/**
 * The environment for Go, once it is known that there is a Go which will do.
 * @param {string} home
 * @param {string} version
 * @param {string} refusal
 */
async function goEnvironment(home, version, refusal) {
  const temporary = path.join(home, "go-tmp");
  fs.mkdirSync(temporary);
  // GOTMPDIR: what a killed build leaves behind is removed together with its folder.
  const go = { ...process.env, GOWORK: "off", GOTMPDIR: temporary };
  const needed = /^go (\d+\.\d+)/m.exec(fs.readFileSync(path.join(ENGINE, "go.mod"), "utf8"))?.[1];
  const found = await goVersion(go);
  if (found !== undefined && !isOlder(found, needed ?? "")) return go;
  throw new Failure(
    `There is no Pulumi CLI on PATH or in the cache that will do, it cannot be downloaded (${refusal}), and ` +
      `building it needs Go ${needed} or later: ${found ? `go here is ${found}` : "there is no go on PATH"}.\n` +
      "Install one of the two, then run the command again:\n" +
      `  the Pulumi CLI ${version}: https://www.pulumi.com/docs/iac/download-install/\n` +
      `  Go ${needed} or later: https://go.dev/dl/ (the CLI is then built once, in about 8 minutes)`,
  );
}

/**
 * Asked in the module's folder, where Go answers with the toolchain that it would fetch for it.
 * @param {NodeJS.ProcessEnv} go
 */
async function goVersion(go) {
  try {
    const { output } = await capture("go", ["env", "GOVERSION"], { cwd: ENGINE, env: go });
    return /^go(\d+\.\d+)/m.exec(output)?.[1];
  } catch (error) {
    if (error instanceof Failure && error.exitCode === 1) return undefined;
    throw error;
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
      const lines = result.output.trim().split("\n").slice(-LINES_OF_A_FAILURE);
      throw new Failure(
        `go build of ${target} failed:\n${lines.join("\n")}\n` +
          "It needs a Go module proxy it can reach (GOPROXY) and about 4 GB of disk for Go's caches. " +
          "What is already compiled is kept there, so that the next try is quicker.",
      );
    },
    { expect },
  );
}

/**
 * The script that starts dynamic providers is a file of the SDK's module, not a Go program. Go
 * checks the module it comes from against go.sum, as it does for the code it compiles.
 * @param {NodeJS.ProcessEnv} go
 * @param {string} bin
 */
async function copyProviderLauncher(go, bin) {
  const download = ["mod", "download", "-json", SDK_MODULE];
  const { code, output } = await capture("go", download, { cwd: ENGINE, env: go });
  if (code !== 0) throw new Failure(`go mod download of ${SDK_MODULE} failed:\n${output}`);
  const { Dir: folder } = JSON.parse(output);
  const script = path.join(bin, "pulumi-resource-pulumi-nodejs");
  fs.copyFileSync(path.join(folder, "nodejs", "dist", path.basename(script)), script);
  fs.chmodSync(script, 0o755);
}
