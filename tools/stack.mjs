// @ts-check
// `npm run pulumi -- <args>`: Pulumi on the root stack, against the simulator.
import fs from "node:fs";
import path from "node:path";
import { bootstrap, findPulumiCli } from "./bootstrap/index.mjs";
import { withSimulator } from "./simulator.mjs";
import { command } from "./terminal/command.mjs";
import { Failure } from "./terminal/failure.mjs";
import { capture, run } from "./terminal/run.mjs";
import { demoFolder, root } from "./workspace.mjs";

const HELP = `
npm run up                        pulumi up --yes on the quickstart stack
npm run up -- --fresh             the same, after forgetting its state and the simulator's
npm run pulumi -- <args>          any Pulumi command: preview --diff, refresh --yes, destroy --yes, ...
npm run pulumi -- help            Pulumi's own help

Installs, builds and gets the Pulumi CLI as far as they are missing, starts the simulator, runs
Pulumi on the stack of Pulumi.yaml, and stops the simulator. State is kept in .clouddb/: no account
and no network are needed. With a real service, use plain \`pulumi\` instead.`;

const STACK = "quickstart";

await command(HELP, async (commandLine) => {
  const { args, fresh } = parse(commandLine);
  await bootstrap();
  const bin = await findPulumiCli();
  if (fresh) fs.rmSync(demoFolder, { recursive: true, force: true });
  return withSimulator(async (service) => {
    const env = environment(bin, service);
    await createStack(env);
    // Pulumi cancels in order when it is interrupted; the exit code stays its own.
    return run("pulumi", args, { cwd: root, env, ignoreInterruption: true });
  });
});

/** @param {string[]} commandLine */
function parse(commandLine) {
  const end = commandLine.indexOf("--");
  const isFresh = (/** @type {string} */ arg, /** @type {number} */ index) =>
    arg === "--fresh" && (end === -1 || index < end);
  const args = commandLine.filter((arg, index) => !isFresh(arg, index));
  const fresh = args.length < commandLine.length;
  if (fresh && args[0] !== "up") {
    throw new Failure(
      "--fresh starts the stack over, and goes with `up` only: npm run up -- --fresh",
    );
  }
  return { args, fresh };
}

/**
 * @param {string} bin the CLI's folder
 * @param {{ url: string, caFile: string }} service
 * @returns {NodeJS.ProcessEnv}
 */
function environment(bin, service) {
  // Settings meant for a real service must not reach the demo: a key would be sent to the wrong
  // server, and an apiPath or a second pair of credentials would break it.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("CLOUDDB_"));
  return {
    ...Object.fromEntries(inherited),
    // The same Node for Pulumi's language host and provider as for the tools.
    PATH: [bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
    PULUMI_BACKEND_URL: `file://${path.join(demoFolder, "backend")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    // Instead of `stack select`, which would change the stack selected for a real service.
    PULUMI_STACK: STACK,
    CLOUDDB_BASE_URL: service.url,
    CLOUDDB_CA_FILE: service.caFile,
    CLOUDDB_PUBLIC_KEY: "demo",
    CLOUDDB_PRIVATE_KEY: "demo-secret",
  };
}

/** @param {NodeJS.ProcessEnv} env */
async function createStack(env) {
  fs.mkdirSync(path.join(demoFolder, "backend"), { recursive: true });
  const init = ["stack", "init", STACK, "--no-select", "--non-interactive"];
  const { code, output } = await capture("pulumi", init, { cwd: root, env });
  if (code !== 0 && !output.includes("already exists")) {
    throw new Failure(`The stack ${STACK} cannot be created:\n${output}`);
  }
}
