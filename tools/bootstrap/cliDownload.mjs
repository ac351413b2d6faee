// @ts-check
// The Pulumi CLI as npm's launcher downloads it: the official release, through the official installer.
import fs from "node:fs";
import path from "node:path";
import { step } from "../terminal/console.mjs";
import { capture } from "../terminal/run.mjs";
import { installed } from "../workspace.mjs";

/**
 * @param {string} home empty folder; `bin` in it receives the executables
 * @param {string} version
 * @returns {Promise<string | undefined>} why there is no download from here; undefined: done
 */
export async function downloadCli(home, version) {
  // The launcher downloads into a Pulumi home before it runs what it is asked to run: a home of
  // its own keeps a download that breaks off out of the cache.
  const pulumiHome = path.join(home, "launcher");
  const env = { ...process.env, PULUMI_HOME: pulumiHome, PULUMI_VERSION: version };
  const launcher = [installed("pulumi/run.js"), "version"];
  const { code, output } = await step(
    `Looking for a download of the Pulumi CLI ${version}`,
    (progress) => capture(process.execPath, launcher, { env, onLine: progress }),
  );
  const bin = path.join(pulumiHome, "versions", version, "bin");
  const refusal = code === 0 && fs.existsSync(bin) ? undefined : lastLine(output);
  if (refusal === undefined) fs.renameSync(bin, path.join(home, "bin"));
  fs.rmSync(pulumiHome, { recursive: true, force: true });
  return refusal;
}

/** @param {string} output */
function lastLine(output) {
  return (
    output
      .trim()
      .split("\n")
      .at(-1)
      ?.replace(/^pulumi: /, "") || "no reason given"
  );
}
