// @ts-check
/** Runs Pulumi on the demo stack, the root stack of this repository, against the simulator. */
import fs from "node:fs";
import path from "node:path";
import { stackEnvironment } from "../environment.mjs";
import { startPreparing } from "../firstRun/index.mjs";
import { withLock } from "../firstRun/lock.mjs";
import { capture, run, stopSignal } from "../processes.mjs";
import { Failure, bold, say } from "../terminal.mjs";
import { demoFolder, root } from "../workspace.mjs";
import { withDemoService } from "./service.mjs";

/** The help of `npm run up` and `npm run pulumi`. */
export const help = `
npm run up                        pulumi up --yes --skip-preview on the quickstart stack
npm run up -- --fresh             the same, after deleting the state of the stack and the simulator
npm run pulumi -- <args>          any Pulumi command: preview --diff, refresh --yes, destroy --yes, ...
npm run pulumi -- cancel --yes    removes the lock of the stack after a command was killed
npm run pulumi -- help            Pulumi's own help

Installs the dependencies and the Pulumi CLI and builds the packages if needed. Then starts the
simulator, runs Pulumi on the stack of Pulumi.yaml, and stops the simulator. If \`npm run simulator\` is
running, it uses that simulator instead. Commands run one after the other. The state is in .clouddb/demo/;
no account is needed. For a real service, use plain \`pulumi\` instead.`;

const stackName = "quickstart";
const backend = path.join(demoFolder, "backend");
/** Where the backend keeps the state. */
const stateFile = path.join(
  backend,
  ".pulumi",
  "stacks",
  "clouddb-quickstart",
  `${stackName}.json`,
);
/** Outside the folder, because `--fresh` deletes the folder. */
const lock = `${demoFolder}.stack.lock`;

/**
 * Runs a Pulumi command on the demo stack, after all other commands on it have ended.
 * @param {string[]} commandLine the arguments of Pulumi, and `--fresh`
 * @returns {Promise<number>} Pulumi's exit code
 */
export async function runOnDemoStack(commandLine) {
  const { args, fresh } = parse(commandLine);
  const { packages, cli } = startPreparing();
  await packages;
  if (asksForHelp(args)) return run(path.join(await cli, "pulumi"), args, { cwd: root });
  fs.mkdirSync(path.dirname(lock), { recursive: true });
  const waiting = `Waiting for another command on the stack (lock: ${lock}).`;
  // Start the simulator while the CLI is still being built.
  const work = () =>
    withDemoService({ fresh }, async (service) => {
      const code = await runPulumi(args, stackEnvironment(await cli, backend, stackName, service));
      if (code === 0 && args[0] === "up") say(nextSteps(service));
      return code;
    });
  return withLock(lock, work, { waiting });
}

/**
 * Returns what to do after an update.
 * @param {{ url: string, pid?: number }} service pid: the process of `npm run simulator`, if that is running
 */
function nextSteps({ url, pid }) {
  const page =
    pid === undefined
      ? "npm run simulator            keeps the simulator running, with a page to change its clusters"
      : `${url}       the page to change the simulator's clusters`;
  return `
${bold("Next, change a cluster and see the preview change:")}
  ${page}
  npm run pulumi -- preview    in another terminal, shows what the change does to the stack
docs/getting-started.md has an example, and continues with a stack of your own.`;
}

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<number>} Pulumi's exit code
 */
async function runPulumi(args, env) {
  if (!fs.existsSync(stateFile)) await initStack(env);
  // When interrupted, Pulumi cancels cleanly. The command exits with its exit code.
  const code = await run("pulumi", args, { cwd: root, env, ignoreInterruption: true });
  // Only the creation says that a stack is locked.
  const hasFailed = code !== 0 && !stopSignal.aborted && args[0] !== "cancel";
  if (hasFailed && (await initStack(env)) === "locked") {
    say(
      "The stack is locked. A killed command leaves its lock behind. If no pulumi process is running, remove " +
        "the lock and repeat your command:\n  npm run pulumi -- cancel --yes",
    );
  }
  return code;
}

/** @param {string[]} commandLine */
function parse(commandLine) {
  const args = commandLine.filter((arg) => arg !== "--fresh");
  // With `npm run up --fresh`, without `--`, npm passes the option only in the environment.
  const fresh = args.length < commandLine.length || process.env.npm_config_fresh === "true";
  if (fresh && args[0] !== "up") {
    throw new Failure("--fresh is only supported by `up`: npm run up -- --fresh");
  }
  return { args, fresh };
}

/**
 * Returns whether a command uses neither the stack nor the simulator.
 * @param {string[]} args
 */
function asksForHelp(args) {
  return ["help", "version", "--version"].includes(args[0] ?? "") || args.includes("--help");
}

/**
 * Creates the stack unless it exists.
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<"exists" | "locked">} locked: by a command that no longer runs
 */
async function initStack(env) {
  const init = ["stack", "init", stackName, "--no-select", "--non-interactive"];
  const { code, output } = await capture("pulumi", init, { cwd: root, env });
  if (output.includes("currently locked")) return "locked";
  if (code === 0 || output.includes("already exists")) return "exists";
  throw new Failure(`Cannot create the stack ${stackName}:\n${output}`);
}
