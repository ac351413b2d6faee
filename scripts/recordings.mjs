// @ts-check
/**
 * Records previews of the real CLI, with its whole output and their reports, in tests/unit/report/recordings, where tests
 * of reports read them.
 */
import fs from "node:fs";
import path from "node:path";
import { stackEnvironment } from "./environment.mjs";
import { prepareWithCli } from "./firstRun/index.mjs";
import { capture } from "./processes.mjs";
import { Failure, command } from "./terminal.mjs";
import { demoFolder, root } from "./workspace.mjs";

const help = `
node scripts/recordings.mjs [name...]    records previews of the real CLI and their reports in
                                         tests/unit/report/recordings; all of them take 5 minutes`;

const recordings = path.join(root, "tests", "unit", "report", "recordings");

const example = path.join(root, "examples", "pr-check");

const seedFile = path.join(root, "examples", "quickstart", "seed.json");

const [orders, staging] = ["64a0c0ffee0000000000a001", "64a0c0ffee0000000000a002"];

/** @param {string[]} lines */
const program = (...lines) =>
  [
    'import * as pulumi from "@pulumi/pulumi";',
    'import * as clouddb from "pulumi-clouddb";',
    "",
    `const projectId = pulumi.getStack() === "staging" ? "${staging}" : "${orders}";`,
    ...lines,
    "",
  ].join("\n");

/** @param {boolean} enabled */
const mode = (enabled, project = "projectId") =>
  `new clouddb.PrivateIpMode("orders", { projectId: ${project}, enabled: ${enabled} });`;
/** @param {string} [network] @param {string} [options] */
const ordersLookup = (network = "peering", options) =>
  `const orders = new clouddb.ClusterConnectionStrings("orders", { projectId, clusterName: "orders", network: { kind: "${network}" } }${options ? `, ${options}` : ""});\nexport const ordersUrl = orders.recommended;`;
/** Lookups of one cluster. @param {string} network */
const manyLookups = (network) =>
  `for (let index = 0; index < 30; index++) new clouddb.ClusterConnectionStrings(\`orders-\${index}\`, { projectId, clusterName: "orders", network: { kind: "${network}" } });`;
/** Resources of another provider. @param {number} count @param {number} settings @param {string} region */
const others = (count, settings, region) => `
class Bucket extends pulumi.CustomResource {
  constructor(name: string, inputs: pulumi.Inputs) {
    const handler = "exports.handler = () => ({ create: async (inputs) => ({ id: 'id', outs: inputs }), diff: async (id, olds, news) => ({ changes: olds.value !== news.value || olds.region !== news.region, replaces: olds.region === news.region ? [] : ['region'] }), update: async (id, olds, news) => ({ outs: news }) })";
    super("pulumi-nodejs:dynamic/other:Bucket", name, { __provider: handler, ...inputs });
  }
}
for (let index = 0; index < ${count}; index++) new Bucket(\`bucket-\${index}\`, { value: index < ${settings} ? "new" : "old", region: "a" });
new Bucket("archive", { value: "old", region: "${region}" });`;

/** A secret with a connection string, and the resources that use it. */
const shop = `
class Other extends pulumi.CustomResource {
  constructor(type: string, name: string, inputs: pulumi.Inputs) {
    const handler = "exports.handler = () => ({ create: async (inputs) => ({ id: 'id', outs: inputs }), diff: async (id, olds, news) => ({ changes: JSON.stringify(olds) !== JSON.stringify(news) }), update: async (id, olds, news) => ({ outs: news }) })";
    super(\`pulumi-nodejs:dynamic/app:\${type}\`, name, { __provider: handler, ...inputs });
  }
}
const url = clouddb.withCredentials(orders.recommended, { username: "app", password: pulumi.secret("never-shown") });
const secret = new Other("Secret", "orders-db", { url });
`;
const receivers = `${shop}new Other("Deployment", "api", { secret: secret.id });\nexport const DATABASE_URL = url;`;

/**
 * @typedef {import("clouddb-simulator").Simulator} Simulator
 * @typedef {object} Scenario
 * @property {string} [before] the program of an update before the preview; default: none
 * @property {string} program the previewed program
 * @property {(seed: any) => void} [seed] changes the service before everything
 * @property {(simulator: Simulator) => void} [change] changes the service before the preview
 * @property {NodeJS.ProcessEnv} [env] of the preview
 * @property {boolean} [withoutState] whether the recording has no state, so that it is short
 */

const base = program(mode(true), ordersLookup());
const disable = { before: base, program: program(mode(false), ordersLookup()) };
const unchanged = { before: base, program: base };
/** @param {string} kind */
const used = (kind) => program(mode(true), ordersLookup(kind), receivers);
const secretLookup = (network = "peering") =>
  program(mode(true), ordersLookup(network, '{ additionalSecretOutputs: ["recommended"] }'));
/** @type {Readonly<Record<string, Scenario>>} */
const scenarios = {
  "first-stack": { program: base },
  "no-change": unchanged,
  "string-changed": { before: used("peering"), program: used("internet") },
  "many-lookups": {
    before: program(mode(true), manyLookups("peering")),
    program: program(mode(true), manyLookups("internet")),
    withoutState: true,
  },
  "secret-string": { before: secretLookup(), program: secretLookup("internet") },
  "disable-allowed": {
    before: used("peering"),
    program: used("peering").replace("enabled: true", "enabled: false"),
  },
  "refused-by-one": {
    ...disable,
    change: (simulator) => simulator.project(orders).updateCluster("billing", { version: "5.0.1" }),
  },
  "refused-by-60": {
    ...disable,
    change: (simulator) => {
      for (let index = 1; index <= 60; index++) {
        const version = index % 5 === 0 ? "6.0.5" : "5.0.14";
        simulator.project(orders).addCluster({ name: `shop-${index}`, version });
      }
    },
    withoutState: true,
  },
  drift: {
    ...unchanged,
    change: (simulator) => simulator.project(orders).setPrivateIpMode(false),
  },
  "replaced-project": {
    before: base,
    program: program(mode(true, `"${staging}"`), ordersLookup()),
  },
  "other-provider": {
    before: program(mode(true), ordersLookup(), others(40, 0, "a")),
    program: program(mode(true), ordersLookup(), others(38, 32, "b")),
    withoutState: true,
  },
  "misspelled-cluster": {
    before: base,
    program: base.replace('clusterName: "orders"', 'clusterName: "order"'),
  },
  "failed-login": { ...unchanged, env: { CLOUDDB_PRIVATE_KEY: "wrong-secret" } },
  "program-error": {
    program: program(mode(true), 'throw new Error("no such environment");'),
  },
};

/**
 * @param {string} bin the folder of the Pulumi CLI
 * @param {readonly string[]} names of the previews to record; empty for all
 */
async function recordPreviews(bin, names) {
  const { startSimulator } = await import("clouddb-simulator");
  const unknown = names.find((name) => !(name in scenarios));
  if (unknown)
    throw new Failure(`There is no preview ${unknown}: ${Object.keys(scenarios).join(", ")}`);
  const parent = path.join(path.dirname(demoFolder), "recordings");
  fs.mkdirSync(parent, { recursive: true });
  fs.mkdirSync(recordings, { recursive: true });
  for (const [name, scenario] of Object.entries(scenarios)) {
    if (names.length > 0 && !names.includes(name)) continue;
    const seed = JSON.parse(fs.readFileSync(seedFile, "utf8"));
    seed.organizations[0].apiKeys[0].roles.push({ projectId: staging, role: "owner" });
    seed.projects.push({ ...seed.projects[0], id: staging, name: "orders-staging" });
    scenario.seed?.(seed);
    const simulator = await startSimulator({ seed, port: 0 });
    // In the repository, so that the program finds the packages.
    const folder = fs.mkdtempSync(path.join(parent, "run-"));
    try {
      const recording = await record(bin, folder, simulator, scenario);
      fs.writeFileSync(path.join(recordings, `${name}.json`), `${JSON.stringify(recording)}\n`);
      fs.writeFileSync(path.join(recordings, `${name}.md`), await reportOf(recording));
      console.log(`recorded ${name}`);
    } finally {
      await simulator.stop();
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }
}

/**
 * Reports a recording.
 * @param {{ exitCode: number, log: string, events: unknown[], state?: unknown }} recording
 */
async function reportOf({ exitCode, log, events, state }) {
  const [{ readEventLog }, { readStackExport }, { interpret }, { markdown }] = await Promise.all([
    import("../provider/dist/report/eventLog.js"),
    import("../provider/dist/report/stackExport.js"),
    import("../provider/dist/report/meaning.js"),
    import("../provider/dist/report/markdown.js"),
  ]);
  const lines = events.map((each) => JSON.stringify(each));
  const report = interpret({
    preview: readEventLog(lines, "the recording"),
    state: state === undefined ? [] : readStackExport(JSON.stringify(state), "the recording"),
    ...{ exitCode, log },
    // The recording has the program in this folder.
    folder: "/infra",
  });
  return markdown(report);
}

/**
 * @param {string} bin
 * @param {string} cwd
 * @param {Simulator} simulator
 * @param {Scenario} scenario
 */
async function record(bin, cwd, simulator, scenario) {
  for (const file of ["package.json", "tsconfig.json"]) {
    fs.copyFileSync(path.join(example, file), path.join(cwd, file));
  }
  fs.writeFileSync(path.join(cwd, "Pulumi.yaml"), "name: infra\nruntime: nodejs\n");
  fs.writeFileSync(path.join(cwd, "ca.pem"), simulator.ca);
  const stack = "production";
  const service = { url: simulator.url, caFile: path.join(cwd, "ca.pem") };
  const env = {
    ...stackEnvironment(bin, path.join(cwd, "backend"), stack, service),
    TMPDIR: cwd,
    // Makes the option --event-log available.
    PULUMI_DEBUG_COMMANDS: "true",
  };
  const pulumi = (/** @type {string[]} */ args, /** @type {NodeJS.ProcessEnv} */ more = {}) => {
    const streams = 'exec pulumi "$@" > stdout 2> stderr';
    return capture("sh", ["-c", streams, "sh", ...args], { cwd, env: { ...env, ...more } });
  };
  const read = (/** @type {string} */ file) => {
    const name = path.join(cwd, file);
    return fs.existsSync(name) ? fs.readFileSync(name, "utf8").trim() : "";
  };
  const write = (/** @type {string} */ text) => fs.writeFileSync(path.join(cwd, "index.ts"), text);
  await pulumi(["stack", "init", stack, "--no-select"]);
  if (scenario.before !== undefined) {
    write(scenario.before);
    const { code } = await pulumi(["up", "--yes", "--skip-preview", "--non-interactive"]);
    if (code !== 0) throw new Failure(`The update before the preview failed:\n${read("stdout")}`);
  }
  write(scenario.program);
  scenario.change?.(simulator);
  await pulumi(["stack", "export"]);
  const state = read("stdout");
  const { code: exitCode } = await pulumi(
    ["preview", "--non-interactive", "--json", "--event-log", "events.jsonl"],
    scenario.env,
  );
  const [log, events] = [read("stderr"), read("events.jsonl")];
  await pulumi(["preview", "--non-interactive", "--diff", "--color", "always"], scenario.env);
  const recording = {
    exitCode,
    program: scenario.program,
    raw: [read("stdout"), read("stderr")].join("\n").trim(),
    log,
    events: eventsIn(events),
    state: state && !scenario.withoutState ? JSON.parse(state) : undefined,
  };
  return withoutMachine(recording, cwd);
}

/** @param {string} text @returns {any[]} */
function eventsIn(text) {
  const lines = text.split("\n").filter(Boolean);
  return lines.map((line) => JSON.parse(line)).filter(isKept);
}

/** Debug messages contain the values of secrets. @param {any} event */
function isKept({ diagnosticEvent, preludeEvent, cancelEvent }) {
  return diagnosticEvent?.severity !== "debug" && !preludeEvent && !cancelEvent;
}

/** The fields that differ between machines, or that nothing reads. */
const dropped = [
  ...["created", "modified", "manifest", "timestamp", "duration", "durationSeconds", "salt", "id"],
  ...[
    "custom",
    "type",
    "parent",
    "detailedDiff",
    "diffs",
    "keys",
    "logical",
    "planning",
    "isPreview",
  ],
];

/**
 * Removes the differences between machines, and makes the packages look installed.
 * @param {unknown} recording
 * @param {string} cwd
 */
function withoutMachine(recording, cwd) {
  const text = JSON.stringify(recording, (key, value) => {
    if (dropped.includes(key)) return undefined;
    if (key === "provider" && value.includes("::default::")) return undefined;
    if (key === "__provider" && value.length > 100) return value.slice(0, 20);
    return key === "stackTrace" ? value.slice(0, 2) : value;
  })
    .replaceAll(cwd, "/infra")
    .replaceAll(root, "/infra")
    .replace(/project:\/\/\/(\.\.\/)+node_modules/g, "project:///node_modules")
    .replace(/project:\/\/\/(\.\.\/)+provider/g, "project:///node_modules/pulumi-clouddb");
  return JSON.parse(text);
}

await command(help, async (names) => {
  await recordPreviews(await prepareWithCli(), names);
  return 0;
});
