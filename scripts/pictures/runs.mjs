// @ts-check
/** The runs that the pictures show: a refused disable in a terminal and in the pull request check. */
import fs from "node:fs";
import path from "node:path";
import { startSimulator } from "clouddb-simulator";
import { parse } from "yaml";
import { withoutLoopbackProxy, withoutSettings } from "../environment.mjs";
import { capture } from "../processes.mjs";
import { Failure } from "../terminal.mjs";
import { demoFolder, root } from "../workspace.mjs";

const example = path.join(root, "examples", "pr-check");
const projectId = "64a0c0ffee0000000000a001";

/**
 * @typedef {object} Runs
 * @property {string} preview the command and its output, with colors
 * @property {string} comment the Markdown that the pull request check posts
 * @property {string} pageUrl the address of the simulator's page
 */

/**
 * Starts the simulator with two clusters below 7.0, previews a disable, and keeps the simulator running
 * during the work.
 * @param {string} bin the folder of the Pulumi CLI
 * @param {(runs: Runs) => Promise<void>} work
 */
export async function withRuns(bin, work) {
  // In the repository, so that the program finds the packages.
  const parent = path.join(path.dirname(demoFolder), "pictures");
  fs.mkdirSync(parent, { recursive: true });
  const folder = fs.mkdtempSync(path.join(parent, "run-"));
  const caFile = path.join(folder, "ca.pem");
  const seed = JSON.parse(fs.readFileSync(path.join(example, "seed.json"), "utf8"));
  // Without `caFile`: the page would show the path.
  const simulator = await startSimulator({ seed, port: 0, control: true });
  try {
    fs.writeFileSync(caFile, simulator.ca);
    const project = simulator.project(projectId);
    project.updateCluster("billing", { version: "5.0.1" });
    project.updateCluster("sessions", { version: "6.0.5" });
    fs.cpSync(example, folder, { recursive: true });
    const env = environment(bin, folder, { url: simulator.url, caFile });
    await deployEnabled(folder, env);
    const preview = await previewInTerminal(folder, env);
    const comment = await commentOfCheck(folder, env);
    await work({ preview, comment, pageUrl: simulator.url });
  } finally {
    await simulator.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} bin
 * @param {string} folder
 * @param {{ url: string, caFile: string }} service
 * @returns {NodeJS.ProcessEnv}
 */
function environment(bin, folder, { url, caFile }) {
  const backend = path.join(folder, "backend");
  fs.mkdirSync(backend, { recursive: true });
  return {
    ...withoutLoopbackProxy(withoutSettings(process.env)),
    PATH: [folder, bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
    TMPDIR: folder,
    PULUMI_BACKEND_URL: `file://${backend}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    PULUMI_STACK: "production",
    CLOUDDB_BASE_URL: url,
    CLOUDDB_CA_FILE: caFile,
    CLOUDDB_PUBLIC_KEY: "demo",
    CLOUDDB_PRIVATE_KEY: "demo-secret",
  };
}

/**
 * Deploys the stack with the mode on, which the example turns off.
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 */
async function deployEnabled(cwd, env) {
  const program = path.join(cwd, "index.ts");
  const disabling = fs.readFileSync(program, "utf8");
  fs.writeFileSync(program, disabling.replace("enabled: false", "enabled: true"));
  for (const args of [
    ["stack", "init", "production", "--no-select"],
    ["up", "--yes", "--non-interactive"],
  ]) {
    const { code, output } = await capture("pulumi", args, { cwd, env });
    if (code !== 0) throw new Failure(`Cannot deploy the stack for the pictures:\n${output}`);
  }
  fs.writeFileSync(program, disabling);
}

/**
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 */
async function previewInTerminal(cwd, env) {
  const args = ["preview", "--non-interactive", "--suppress-progress", "--color", "always"];
  const { output } = await capture("pulumi", args, { cwd, env });
  return `$ pulumi preview\n${requireRefusal(output)}`;
}

/**
 * Runs the steps of the workflow, with a `gh` that does nothing: the comment stays in comment.md.
 * @param {string} cwd
 * @param {NodeJS.ProcessEnv} env
 */
async function commentOfCheck(cwd, env) {
  fs.writeFileSync(path.join(cwd, "gh"), "#!/bin/sh\n", { mode: 0o755 });
  const workflow = path.join(cwd, ".github", "workflows", "preview.yml");
  /** @type {{ name?: string, run?: string }[]} */
  const steps = parse(fs.readFileSync(workflow, "utf8")).jobs.preview.steps;
  for (const name of ["Preview", "Comment"]) {
    const script = steps.find((step) => step.name === name)?.run;
    if (script === undefined) throw new Failure(`${workflow} has no step ${name}.`);
    const bash = ["--noprofile", "--norc", "-eo", "pipefail", "-c", script];
    await capture("bash", bash, { cwd, env: { ...env, OUTCOME: "failure", PULL_REQUEST: "7" } });
  }
  const comment = fs.readFileSync(path.join(cwd, "comment.md"), "utf8");
  // Whether there is a line of progress depends on the speed of the machine.
  return requireRefusal(comment.replace(/^@ previewing update\.*\n/gm, ""));
}

/** @param {string} output */
function requireRefusal(output) {
  if (output.includes("cannot be disabled") && !output.includes(root)) return output;
  throw new Failure(`The run for the pictures did not refuse the disable as expected:\n${output}`);
}
