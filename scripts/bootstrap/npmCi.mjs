// @ts-check
/** Runs `npm ci`. Uses Node.js modules only, because nothing else is installed yet. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Failure } from "../terminal/failure.mjs";
import { forwardSignals, stopSignal } from "../terminal/signals.mjs";

const maxFailureLines = 15;

/** npm's codes for a registry that cannot be reached: no network, no DNS, nobody listening, no response, or offline mode. */
const unreachableCodes = [
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTCACHED",
  "ENOTFOUND",
  "ERR_SOCKET_TIMEOUT",
  "ETIMEDOUT",
];

/** Options of an `npm` that runs this process, such as `npm pack -w provider --dry-run`. */
const inheritedOptions = /^npm_config_(workspaces?|include_workspace_root|dry_run)$/i;

/**
 * Installs the dependencies of a repository.
 * @param {string} folder the repository's root
 * @throws {Failure} npm's message, or how to continue if there is no network
 */
export async function npmCi(folder) {
  // Without a network, npm ci retries every package for minutes. `npm ping` fails within seconds.
  const ping = await npm(folder, ["ping", "--fetch-retries=0", "--fetch-timeout=10000"]);
  const unreachable = ping.code !== undefined && unreachableCodes.includes(ping.code);
  // NODE_ENV=production would omit the tools.
  const args = ["ci", "--include=dev", ...(unreachable ? ["--offline"] : [])];
  const { code, problem } = await npm(folder, args);
  if (problem === undefined) return;
  if (code !== undefined && unreachableCodes.includes(code)) {
    throw new Failure(
      "Cannot install the dependencies: the package registry cannot be reached " +
        `(${ping.code ?? code}), and npm's cache does not contain all of them.\n` +
        "Check the network and npm's settings `registry`, `proxy` and `offline`, then run the command again.",
    );
  }
  throw new Failure(
    `npm ci failed:\n${problem}\n` +
      "npm ci needs access to a package registry, and a package-lock.json that matches package.json.",
  );
}

/**
 * Runs npm.
 * @param {string} folder
 * @param {string[]} args
 * @returns {Promise<{ code?: string | undefined, problem?: string }>} npm's error code and message, if it fails
 */
async function npm(folder, args) {
  stopSignal.throwIfAborted();
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !inheritedOptions.test(name)),
  );
  // `npm run -s` would hide the errors.
  const running = promisify(execFile)("npm", [...args, "--loglevel=error"], { cwd: folder, env });
  forwardSignals(running.child);
  try {
    await running;
    return {};
  } catch (error) {
    stopSignal.throwIfAborted();
    const { stderr, message } = /** @type {import("node:child_process").ExecFileException} */ (
      error
    );
    const lines = (stderr || message).trim().split("\n");
    return {
      code: /^npm error code (\w+)$/m.exec(stderr ?? "")?.[1],
      problem: lines.slice(0, maxFailureLines).join("\n"),
    };
  }
}
