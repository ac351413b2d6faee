// @ts-check
/** `npm run pulumi -- <args>`: runs Pulumi on the root stack, against the simulator. */
import fs from "node:fs";
import path from "node:path";
import { bootstrap, findPulumiCli } from "./bootstrap/index.mjs";
import { withDemoService } from "./demoService.mjs";
import { withoutLoopbackProxy, withoutSettings } from "./environment.mjs";
import { command } from "./terminal/command.mjs";
import { Failure } from "./terminal/failure.mjs";
import { capture, run } from "./terminal/run.mjs";
import { demoFolder, root } from "./workspace.mjs";

const help = `
npm run up                        pulumi up --yes on the quickstart stack
npm run up -- --fresh             the same, after deleting the state of the stack and the simulator
npm run pulumi -- <args>          any Pulumi command: preview --diff, refresh --yes, destroy --yes, ...
npm run pulumi -- help            Pulumi's own help

Installs the dependencies and the Pulumi CLI and builds the packages if needed. Then starts the
simulator, runs Pulumi on the stack of Pulumi.yaml, and stops the simulator. If \`npm run simulator\` is
running, it uses that simulator instead. The state is in .clouddb/demo/; no account or network access
is needed. For a real service, use plain \`pulumi\` instead.`;

const stackName = "quickstart";

await command(help, async (commandLine) => {
  const { args, fresh } = parse(commandLine);
  await bootstrap();
  const bin = await findPulumiCli();
  return withDemoService({ fresh }, async (service) => {
    const env = environment(bin, service);
    await createStack(env);
    // When interrupted, Pulumi cancels cleanly. Its exit code becomes that of the command.
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
    throw new Failure("--fresh is only supported by `up`: npm run up -- --fresh");
  }
  return { args, fresh };
}

/**
 * @param {string} bin the folder of the Pulumi CLI
 * @param {{ url: string, caFile: string }} service
 * @returns {NodeJS.ProcessEnv}
 */
function environment(bin, service) {
  return {
    ...withoutLoopbackProxy(withoutSettings(process.env)),
    // Pulumi's language host and provider use the same Node.js as the tools.
    PATH: [bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
    PULUMI_BACKEND_URL: `file://${path.join(demoFolder, "backend")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    // `stack select` would also change the stack that is selected for a real service.
    PULUMI_STACK: stackName,
    CLOUDDB_BASE_URL: service.url,
    CLOUDDB_CA_FILE: service.caFile,
    CLOUDDB_PUBLIC_KEY: "demo",
    CLOUDDB_PRIVATE_KEY: "demo-secret",
  };
}

/** @param {NodeJS.ProcessEnv} env */
async function createStack(env) {
  fs.mkdirSync(path.join(demoFolder, "backend"), { recursive: true });
  const init = ["stack", "init", stackName, "--no-select", "--non-interactive"];
  const { code, output } = await capture("pulumi", init, { cwd: root, env });
  if (code !== 0 && !output.includes("already exists")) {
    throw new Failure(`Cannot create the stack ${stackName}:\n${output}`);
  }
}
