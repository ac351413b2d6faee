// @ts-check
/** Downloads the official release of the Pulumi CLI with the launcher of the npm package `pulumi`. */
import fs from "node:fs";
import path from "node:path";
import { step } from "../terminal/console.mjs";
import { capture, lastLine } from "../terminal/run.mjs";
import { installed } from "../workspace.mjs";

/**
 * @param {string} home an empty folder; the executables are written to its subfolder `bin`
 * @param {string} version
 * @returns {Promise<string | undefined>} why the download failed, or undefined
 */
export async function downloadCli(home, version) {
  // The launcher downloads the CLI into a Pulumi home before it runs a command. A separate home
  // keeps an incomplete download out of the cache.
  const pulumiHome = path.join(home, "launcher");
  const env = { ...process.env, PULUMI_HOME: pulumiHome, PULUMI_VERSION: version };
  const launcher = [installed("pulumi/run.js"), "version"];
  const { code, output } = await step(`Downloading the Pulumi CLI ${version}`, (progress) =>
    capture(process.execPath, launcher, { env, onLine: progress }),
  );
  const bin = path.join(pulumiHome, "versions", version, "bin");
  const downloadError = code === 0 && fs.existsSync(bin) ? undefined : reasonIn(output);
  if (downloadError === undefined) fs.renameSync(bin, path.join(home, "bin"));
  fs.rmSync(pulumiHome, { recursive: true, force: true });
  return downloadError;
}

/** @param {string} output */
function reasonIn(output) {
  return lastLine(output).replace(/^pulumi: /, "") || "unknown reason";
}
