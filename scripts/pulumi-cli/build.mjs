// @ts-check
/**
 * Builds the Pulumi CLI from Go modules, for networks that allow package registries but no other downloads. The
 * folders here pin the versions (go.mod) and the hashes (go.sum) of both modules.
 * docs/internals/decisions.md#0004-cli-from-go-modules says what the build leaves out and why.
 */
import fs from "node:fs";
import path from "node:path";
import { capture, lastLine } from "../processes.mjs";
import { Failure, Interruption, say, step } from "../terminal.mjs";
import { root } from "../workspace.mjs";
import { shorten } from "./shorten.mjs";

const engineModule = "github.com/pulumi/pulumi/pkg/v3";
const sdkModule = "github.com/pulumi/pulumi/sdk/v3";
const engineFolder = path.join(root, "scripts", "pulumi-cli", "engine");
// The language host has no published module. This is the last version of the SDK that contains it.
const languageHostFolder = path.join(root, "scripts", "pulumi-cli", "language-host");
const maxFailureLines = 15;

/** @typedef {{ env: NodeJS.ProcessEnv, signal?: AbortSignal }} Go */

/**
 * @param {string} home a folder; the executables are written to its subfolder `bin`
 * @param {string} version
 * @param {string} downloadError why the CLI could not be downloaded
 * @param {AbortSignal} [signal] stops the build
 * @throws {Failure} what to install if Go is missing, or Go's message if the build fails
 */
export async function buildCli(home, version, downloadError, signal) {
  // Below `home`, so that the files of a killed build are removed with it.
  const temporary = path.join(home, "go-tmp");
  const bin = path.join(home, "bin");
  for (const folder of [temporary, bin]) fs.mkdirSync(folder);
  const env = { ...process.env, GOWORK: "off", GOTMPDIR: temporary };
  const go = { env, ...(signal ? { signal } : {}) };
  await requireGo(go, version, downloadError);
  say(
    `The Pulumi CLI ${version} cannot be downloaded (${downloadError}). ` +
      "Building it from Go modules instead, once, which takes a few minutes.",
  );
  const sources = await step("Downloading the sources of the Pulumi CLI", (progress) =>
    downloadSources(go, home, progress),
  );
  /** Resolves when the engine's build no longer compiles the standard library, which both builds need. */
  let startHost = () => {};
  const engineIsHalfBuilt = new Promise((resolve) => (startHost = () => resolve(undefined)));
  let built = 0;
  const engine = step("Building the Pulumi engine", (progress) =>
    goBuild(
      go,
      engineFolder,
      path.join(bin, "pulumi"),
      [
        `-modfile=${sources.modfile}`,
        "-tags=osusergo,grpcnotrace",
        `-ldflags=-s -w -X ${sdkModule}/go/common/version.Version=v${version}+pulumi-clouddb`,
        `${engineModule}/cmd/pulumi`,
      ],
      () => {
        built += 1;
        progress(`${built} of ${sources.packages} packages`);
        if (built > sources.packages / 2) startHost();
      },
    ),
  ).finally(startHost);
  const host = engineIsHalfBuilt.then(() =>
    step("Building Pulumi's Node.js language host", () =>
      goBuild(go, languageHostFolder, path.join(bin, "pulumi-language-nodejs"), [
        "-ldflags=-s -w",
        `${sdkModule}/nodejs/cmd/pulumi-language-nodejs`,
      ]),
    ),
  );
  const results = await Promise.allSettled([engine, host]);
  for (const result of results) if (result.status === "rejected") throw result.reason;
  const launcher = path.join(bin, "pulumi-resource-pulumi-nodejs");
  fs.copyFileSync(path.join(sources.sdk, "nodejs", "dist", path.basename(launcher)), launcher);
  fs.chmodSync(launcher, 0o755);
  for (const folder of [temporary, sources.folder]) fs.rmSync(folder, { recursive: true });
}

/**
 * Downloads the modules that the engine needs, verifies them with go.sum, and shortens a copy of the engine's
 * module.
 * @param {Go} go
 * @param {string} home
 * @param {(detail: string) => void} progress
 */
async function downloadSources(go, home, progress) {
  let downloads = 0;
  const onLine = (/** @type {string} */ line) => {
    if (line.startsWith("go: downloading")) progress(`${(downloads += 1)} modules`);
  };
  const modules = ["mod", "download", "-json", engineModule, sdkModule];
  const downloaded = await succeed(go, engineFolder, modules, onLine);
  const [engine = "", sdk = ""] = [...downloaded.matchAll(/"Dir": (".*")/g)].map(([, folder]) =>
    JSON.parse(folder ?? ""),
  );
  const folder = path.join(home, "sources");
  shorten(engine, path.join(folder, "pkg"));
  const modfile = path.join(folder, "go.mod");
  const replacement = `\nreplace ${engineModule} => ${path.join(folder, "pkg")}\n`;
  fs.writeFileSync(
    modfile,
    fs.readFileSync(path.join(engineFolder, "go.mod"), "utf8") + replacement,
  );
  fs.copyFileSync(path.join(engineFolder, "go.sum"), path.join(folder, "go.sum"));
  const list = ["list", "-deps", `-modfile=${modfile}`, "-tags=osusergo,grpcnotrace"];
  const listed = await succeed(go, engineFolder, [...list, `${engineModule}/cmd/pulumi`], onLine);
  const packages = listed.split("\n").filter((line) => !line.startsWith("go: ")).length;
  return { folder, modfile, sdk, packages };
}

/**
 * @param {Go} go
 * @param {string} version
 * @param {string} downloadError
 * @throws {Failure} what to install if Go is missing or too old
 */
async function requireGo(go, version, downloadError) {
  const modfile = fs.readFileSync(path.join(engineFolder, "go.mod"), "utf8");
  const needed = /^go (\d+\.\d+)/m.exec(modfile)?.[1] ?? "";
  const { found, problem } = await goVersion(go);
  if (found !== undefined && found.localeCompare(needed, "en", { numeric: true }) >= 0) return;
  throw new Failure(
    "No suitable Pulumi CLI is on PATH or in the cache. " +
      `It cannot be downloaded (${downloadError}), or built without Go ${needed} or later ` +
      `(${problem ?? `the version of go on PATH is ${found}`}).\n` +
      "Install one of these, then run the command again:\n" +
      `  the Pulumi CLI ${version}: https://www.pulumi.com/docs/iac/download-install/\n` +
      `  Go ${needed} or later: https://go.dev/dl/ (the CLI is then built once, in a few minutes)`,
  );
}

/**
 * Returns the version of Go, or why it is unknown. In the module's folder, Go reports the toolchain that it would
 * download, or fails if downloads are not allowed.
 * @param {Go} go
 * @returns {Promise<{ found?: string, problem?: string }>}
 */
async function goVersion(go) {
  try {
    const options = { cwd: engineFolder, ...go };
    const { code, output } = await capture("go", ["env", "GOVERSION"], options);
    const found = code === 0 ? /^go(\d+\.\d+)/m.exec(output)?.[1] : undefined;
    return found ? { found } : { problem: `go env GOVERSION failed: ${lastLine(output)}` };
  } catch (error) {
    if (error instanceof Interruption || !(error instanceof Failure)) throw error;
    return { problem: "go is not on PATH" };
  }
}

/**
 * @param {Go} go
 * @param {string} cwd the folder of the module
 * @param {string} output
 * @param {string[]} args flags and the package
 * @param {(line: string) => void} [onLine]
 */
async function goBuild(go, cwd, output, args, onLine = () => undefined) {
  // Without inlining, compiling takes 28 % less time, and a preview 5 % longer.
  const flags = ["-v", "-mod=readonly", "-trimpath", "-gcflags=all=-l -dwarf=false"];
  await succeed(go, cwd, ["build", ...flags, "-o", output, ...args], onLine);
}

/**
 * Runs Go.
 * @param {Go} go
 * @param {string} cwd
 * @param {string[]} args
 * @param {(line: string) => void} onLine
 * @returns {Promise<string>} the output
 * @throws {Failure} Go's message
 */
async function succeed(go, cwd, args, onLine) {
  const { code, output } = await capture("go", args, { cwd, ...go, onLine });
  if (code === 0) return output;
  const lines = output.trim().split("\n").slice(-maxFailureLines);
  throw new Failure(
    `go ${args[0]} of ${args.at(-1)} failed:\n${lines.join("\n")}\n` +
      "The build needs access to a Go module proxy (GOPROXY) and about 4 GB of disk space for Go's caches. " +
      "Compiled packages stay in the cache, so the next attempt is faster.",
  );
}
