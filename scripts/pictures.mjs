// @ts-check
/**
 * `npm run pictures`: writes the pictures of the documentation, from the simulator's page and from previews of the
 * real CLI, which are recorded with their reports in tests/unit/report/recordings. Tests of reports read them, too.
 */
import { AnsiUp } from "ansi_up";
import markdownIt from "markdown-it";
import fs from "node:fs";
import path from "node:path";
import { stackEnvironment } from "./environment.mjs";
import { prepareWithCli } from "./firstRun/index.mjs";
import { capture } from "./processes.mjs";
import { Failure, command } from "./terminal.mjs";
import { demoFolder, root } from "./workspace.mjs";

const help = `
npm run pictures    writes docs/pictures: recorded previews and their reports, and the simulator's page; needs Chromium
                    (CHROMIUM=<path> if it is not /usr/bin/chromium)
npm run pictures -- --record [name...]
                    instead, records previews with the real CLI, for the pictures and for the tests of reports`;

/** The recordings that are shown beside their reports, in the order of docs/guides/reports.md. */
const compared = [
  "first-stack",
  "no-change",
  "string-changed",
  "kind-changed",
  "disable-allowed",
  "refused-by-one",
  "refused-by-40",
  "drift",
  "replaced-project",
  "deleted-lookup",
  "300-resources",
  "failed-login",
];

const styles = `
  body { margin: 0; color: #1f2328; font: 14px/1.5 "Liberation Sans", Arial, sans-serif; }
  main { width: 900px; background: #fff; }
  pre, code { font: 13px/1.55 "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
  .compared { width: 1320px; display: grid; grid-template-columns: 3fr 4fr; gap: 12px; align-items: start; }
  .compared, .compared :is(pre, code) { font-size: 12px; }
  .terminal { margin: 0; padding: 14px; border: 1px solid #ccc; border-radius: 6px; }
  .ansi-red-fg, .ansi-bright-red-fg { color: #cf222e; }
  .ansi-green-fg, .ansi-bright-green-fg { color: #116329; }
  .ansi-yellow-fg, .ansi-bright-yellow-fg { color: #7d4e00; }
  .ansi-blue-fg, .ansi-bright-blue-fg { color: #0550ae; }
  .ansi-magenta-fg, .ansi-bright-magenta-fg { color: #8250df; }
  .comment { border: 1px solid #ccc; border-radius: 6px; }
  header { padding: 9px 16px; background: #eee; border-bottom: 1px solid #ccc; }
  article { padding: 16px; }
  h3 { margin: 0 0 14px; font-size: 18px; }
  h4 { margin: 18px 0 8px; font-size: 15px; }
  details { margin-top: 14px; }
  table { margin-bottom: 12px; border-collapse: collapse; }
  th, td { border: 1px solid #ccc; padding: 5px 12px; text-align: left; }
  td code { overflow-wrap: normal; }
  .comment pre code { white-space: pre; }
  .comment pre { margin: 0; padding: 12px; background: #eee; border-radius: 6px; }
  td code, p code, h3 code, h4 code { padding: 2px 4px; background: #eee; border-radius: 4px; }`;

const example = path.join(root, "examples", "pr-check");
const pictures = path.join(root, "docs", "pictures");
const recordings = path.join(root, "tests", "unit", "report", "recordings");

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
const analyticsLookup =
  'const analytics = new clouddb.ClusterConnectionStrings("analytics", { projectId, clusterName: "analytics", network: { kind: "privateEndpoint", region: "us-east-1" } });\nexport const analyticsUrl = analytics.recommended;';
/** Resources of another provider. @param {number} settings */
const others = (settings) => `
class Other extends pulumi.CustomResource {
  constructor(name: string, value: unknown) {
    const handler = "exports.handler = () => ({ create: async (inputs) => ({ id: 'id', outs: inputs }), diff: async (id, olds, news) => ({ changes: olds.value !== news.value }), update: async (id, olds, news) => ({ outs: news }) })";
    super("pulumi-nodejs:dynamic/other:Bucket", name, { __provider: handler, value });
  }
}
for (let index = 0; index < 297; index++) new Other(\`bucket-\${index}\`, index < ${settings} ? "new" : "old");`;

/**
 * @typedef {import("clouddb-simulator").Simulator} Simulator
 * @typedef {object} Scenario
 * @property {string} [before] the program of an update before the preview; default: none
 * @property {string} program the previewed program
 * @property {string} [stack] default: production
 * @property {(seed: any) => void} [seed] changes the service before everything
 * @property {(simulator: Simulator) => void} [change] changes the service before the preview
 * @property {string[]} [preview] default: pulumi preview
 * @property {NodeJS.ProcessEnv} [env]
 * @property {boolean} [export] whether to record `pulumi stack export` as well
 * @property {boolean} [events] whether to keep the event log
 */

const base = program(mode(true), ordersLookup());
const disable = { before: base, program: program(mode(false), ordersLookup()) };
/** @type {Readonly<Record<string, Scenario>>} */
const scenarios = {
  "first-stack": { program: base },
  "no-change": { before: base, program: base },
  "string-changed": { before: base, program: program(mode(true), ordersLookup("internet")) },
  "kind-changed": {
    seed: (seed) => (seed.projects[0].clusters[1].version = "4.4.29"),
    before: program(mode(true), ordersLookup(), analyticsLookup),
    program: program(mode(true), ordersLookup(), analyticsLookup),
    change: (simulator) =>
      simulator.project(orders).updateCluster("analytics", { version: "8.0.4" }),
  },
  "disable-allowed": { ...disable, events: true },
  "refused-by-one": {
    ...disable,
    change: (simulator) => simulator.project(orders).updateCluster("billing", { version: "5.0.1" }),
    events: true,
  },
  "refused-by-40": {
    ...disable,
    change: (simulator) => {
      for (let index = 1; index <= 40; index++) {
        simulator.project(orders).addCluster({ name: `shop-${index}`, version: "6.0.5" });
      }
    },
  },
  drift: {
    before: base,
    program: base,
    change: (simulator) => simulator.project(orders).setPrivateIpMode(false),
    events: true,
  },
  "drift-refreshed": {
    before: base,
    program: base,
    preview: ["refresh", "--preview-only"],
    change: (simulator) => simulator.project(orders).setPrivateIpMode(false),
    events: true,
  },
  "replaced-project": {
    before: base,
    program: program(mode(true, `"${staging}"`), ordersLookup()),
  },
  "two-stacks-production": {
    ...disable,
    change: (simulator) => {
      simulator.project(orders).updateCluster("billing", { version: "5.0.1" });
      simulator.project(orders).updateCluster("sessions", { version: "6.0.5" });
    },
  },
  "two-stacks-staging": { ...disable, stack: "staging" },
  "deleted-lookup": { before: program(mode(true), ordersLookup(), analyticsLookup), program: base },
  "300-resources": {
    before: program(mode(true), ordersLookup(), analyticsLookup, others(0)),
    program: program(mode(false), ordersLookup(), analyticsLookup, others(10)),
  },
  "failed-login": { before: base, program: base, env: { CLOUDDB_PRIVATE_KEY: "wrong-secret" } },
  "secret-string": {
    before: program(
      mode(true),
      ordersLookup("peering", '{ additionalSecretOutputs: ["recommended"] }'),
    ),
    program: program(
      mode(true),
      ordersLookup("internet", '{ additionalSecretOutputs: ["recommended"] }'),
    ),
    events: true,
    export: true,
  },
  "program-error": {
    program: program(mode(true), 'throw new Error("no such environment");'),
    events: true,
  },
};

await command(help, async ([option, ...names]) => {
  if (option === "--record") await recordPreviews(await prepareWithCli(), names);
  else await writePictures();
  return 0;
});

async function writePictures() {
  const { chromium } = await import("playwright-core");
  const { startSimulator } = await import("clouddb-simulator");
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const seedFile = path.join(root, "examples", "pr-check", "seed.json");
  const seed = JSON.parse(fs.readFileSync(seedFile, "utf8"));
  // Without `caFile`: the page would show the path.
  const simulator = await startSimulator({ seed, port: 0, control: true });
  try {
    const context = await browser.newContext({
      colorScheme: "light",
      deviceScaleFactor: 1.4,
      ignoreHTTPSErrors: true,
      // The height ends the picture of the page between two lines of text.
      viewport: { width: 1100, height: 639 },
    });
    const page = await context.newPage();
    const converter = await context.newPage();
    const write = async (/** @type {string} */ name, /** @type {Buffer} */ png) => {
      const source = `data:image/png;base64,${png.toString("base64")}`;
      await converter.setContent(`<canvas></canvas><img src="${source}">`);
      const webp = await converter.locator("canvas").evaluate(async (canvas) => {
        const picture = canvas.nextSibling;
        await picture.decode();
        [canvas.width, canvas.height] = [picture.width, picture.height];
        const context = canvas.getContext("2d");
        context.drawImage(picture, 0, 0);
        // 16 levels of each color take less than half of the space. The quality 1 is lossless.
        const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
        for (const [at, level] of pixels.data.entries())
          pixels.data[at] = 17 * Math.round(level / 17);
        context.putImageData(pixels, 0, 0);
        return canvas.toDataURL("image/webp", 1).replace(/^.*,/, "");
      });
      fs.writeFileSync(path.join(pictures, `${name}.webp`), webp, "base64");
    };
    const documents = {
      "refused-disable": `<main>${terminal("two-stacks-production")}</main>`,
      "pull-request-comment": `<main>${comment("refused-by-one")}</main>`,
      ...Object.fromEntries(compared.map((name) => [`report-${name}`, comparison(name)])),
      "report-two-stacks": comparison("two-stacks-production", "two-stacks-staging"),
    };
    for (const [name, html] of Object.entries(documents)) {
      await page.setContent(`<!doctype html><meta charset="utf-8"><style>${styles}</style>${html}`);
      await write(name, await page.locator("main").screenshot());
    }
    const project = simulator.project("64a0c0ffee0000000000a001");
    project.updateCluster("billing", { version: "5.0.1" });
    project.updateCluster("sessions", { version: "6.0.5" });
    await page.goto(simulator.url);
    await page.getByText("Connected", { exact: true }).waitFor();
    // Leaves room for the other clusters.
    await page
      .locator("article details")
      .evaluateAll((all) => all.forEach((each) => each.removeAttribute("open")));
    await write("simulator-page", await page.screenshot({ animations: "disabled" }));
  } finally {
    await simulator.stop();
    await browser.close();
  }
}

/** @param {string} recording */
function terminal(recording) {
  const { raw } = JSON.parse(fs.readFileSync(path.join(recordings, `${recording}.json`), "utf8"));
  const ansi = new AnsiUp();
  ansi.use_classes = true;
  return `<pre class="terminal">${ansi.ansi_to_html(`$ pulumi preview --diff\n${raw}`)}</pre>`;
}

/** @param {string} recording */
function comment(recording) {
  const markdown = fs.readFileSync(path.join(recordings, `${recording}.md`), "utf8");
  // A report has HTML of its own: folded parts, line breaks in tables.
  const html = markdownIt({ html: true })
    .render(markdown)
    .replace(/\s+<\/code>/g, "</code>");
  return `<div class="comment"><header><b>github-actions</b> commented</header><article>${html}</article></div>`;
}

/**
 * Shows what pulumi prints beside the report of it.
 * @param {string[]} compared
 */
function comparison(...compared) {
  const rows = compared.map((recording) => terminal(recording) + comment(recording));
  return `<main class="compared">${rows.join("")}</main>`;
}

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
    const seed = JSON.parse(fs.readFileSync(path.join(example, "seed.json"), "utf8"));
    seed.organizations[0].apiKeys[0].roles.push({ projectId: staging, role: "owner" });
    seed.projects.push({ ...seed.projects[0], id: staging, name: "orders-staging" });
    scenario.seed?.(seed);
    const simulator = await startSimulator({ seed, port: 0 });
    // In the repository, so that the program finds the packages.
    const folder = fs.mkdtempSync(path.join(parent, "run-"));
    try {
      const recording = await record(bin, folder, simulator, scenario);
      fs.writeFileSync(path.join(recordings, `${name}.json`), `${JSON.stringify(recording)}\n`);
      fs.writeFileSync(path.join(recordings, `${name}.md`), await reportOf(recording, folder));
      console.log(`recorded ${name}`);
    } finally {
      await simulator.stop();
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** @param {{ exitCode: number, json: unknown, events?: unknown[] }} recording @param {string} cwd */
async function reportOf({ exitCode, json, events }, cwd) {
  const files = { "preview.json": [json], ...(events && { "events.jsonl": events }) };
  for (const [file, lines] of Object.entries(files)) {
    const text = lines.map((line) => JSON.stringify(line)).join("\n");
    fs.writeFileSync(path.join(cwd, file), text);
  }
  // Without the program, in which the command would look for failed resources.
  fs.rmSync(path.join(cwd, "index.ts"));
  const cli = path.join(root, "provider", "dist", "cli.js");
  const options = ["--exit-zero", "--exit-code", String(exitCode)];
  const args = [cli, "report", ...options, ...Object.keys(files)];
  const { code, output } = await capture(process.execPath, args, { cwd });
  if (code !== 0) throw new Failure(`The report failed:\n${output}`);
  return `${output}\n`;
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
  const events = path.join(cwd, "events.jsonl");
  const { stack = "production" } = scenario;
  const service = { url: simulator.url, caFile: path.join(cwd, "ca.pem") };
  const env = {
    ...stackEnvironment(bin, path.join(cwd, "backend"), stack, service),
    TMPDIR: cwd,
    // Makes the option --event-log available.
    PULUMI_DEBUG_COMMANDS: "true",
  };
  const pulumi = (/** @type {string[]} */ args, /** @type {NodeJS.ProcessEnv} */ more = {}) =>
    capture("pulumi", args, { cwd, env: { ...env, ...more } });
  const write = (/** @type {string} */ text) => fs.writeFileSync(path.join(cwd, "index.ts"), text);
  await pulumi(["stack", "init", stack, "--no-select"]);
  if (scenario.before !== undefined) {
    write(scenario.before);
    const { code, output } = await pulumi(["up", "--yes", "--skip-preview", "--non-interactive"]);
    if (code !== 0) throw new Failure(`The update before the preview failed:\n${output}`);
  }
  write(scenario.program);
  scenario.change?.(simulator);
  const command = scenario.preview ?? ["preview"];
  const json = await pulumi([...command, "--json", "--event-log", events], scenario.env);
  const raw = await pulumi([...command, "--diff", "--color", "always"], scenario.env);
  const log = fs
    .readFileSync(events, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const recording = {
    exitCode: json.code,
    program: scenario.program,
    raw: raw.output.trim(),
    json: JSON.parse(json.output),
    events: scenario.events
      ? log.filter((each) => each.diagnosticEvent?.severity !== "debug")
      : undefined,
    export: scenario.export ? JSON.parse((await pulumi(["stack", "export"])).output) : undefined,
  };
  return withoutMachine(recording, cwd);
}

/**
 * Removes what differs between machines, and makes the packages look installed.
 * @param {unknown} recording
 * @param {string} cwd
 */
function withoutMachine(recording, cwd) {
  const dropped = [
    "propertyDependencies",
    "created",
    "modified",
    "manifest",
    "timestamp",
    "duration",
  ];
  const text = JSON.stringify(recording, (key, value) => {
    if (dropped.includes(key)) return undefined;
    return key === "stackTrace" ? value.slice(0, 3) : value;
  })
    .replaceAll(cwd, "/infra")
    .replaceAll(root, "/infra")
    .replace(/project:\/\/\/(\.\.\/)+node_modules/g, "project:///node_modules")
    .replace(/project:\/\/\/(\.\.\/)+provider/g, "project:///node_modules/pulumi-clouddb");
  return JSON.parse(text);
}
