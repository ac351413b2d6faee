// @ts-check
/** Runs a command in scripts/: prints its help, checks the Node.js version, sets the exit code. */
import { Failure } from "./failure.mjs";
import { red, say } from "./console.mjs";
import { manifest } from "../workspace.mjs";

/**
 * @param {string} help printed if the first argument is `--help`
 * @param {(args: string[]) => Promise<number>} main returns the exit code
 */
export async function command(help, main) {
  const args = process.argv.slice(2);
  if (args[0] === "--help" || args[0] === "-h") {
    process.stdout.write(`${help.trim()}\n`);
    return;
  }
  try {
    requireNode();
    process.exitCode = await main(args);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    say(red(error.message));
    process.exitCode = error.exitCode;
  }
}

function requireNode() {
  const needed = manifest().engines.node.replace(/^>=/, "");
  const [major = 0, minor = 0] = needed.split(".").map(Number);
  const [ownMajor = 0, ownMinor = 0] = process.versions.node.split(".").map(Number);
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return;
  throw new Failure(
    `Node.js ${needed} or later is required; ${process.execPath} is ${process.versions.node}.\n` +
      "Install it (https://nodejs.org, or `nvm install`), then run the command again.",
  );
}
