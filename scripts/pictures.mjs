// @ts-check
/** `npm run pictures`: writes the pictures of the documentation, from real runs. */
import fs from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { withoutLoopbackProxy, withoutSettings } from "./environment.mjs";
import { prepareWithCli } from "./firstRun/index.mjs";
import { capture } from "./processes.mjs";
import { recordPreviews, recordings } from "./recordPreviews.mjs";
import { Failure, command } from "./terminal.mjs";
import { demoFolder, root } from "./workspace.mjs";

const help = `
npm run pictures    writes docs/pictures: a preview that refuses a disable, its report, reports of recorded previews, and
                    the simulator's page; needs Chromium (CHROMIUM=<path> if it is not /usr/bin/chromium)
npm run pictures -- --reports
                    only the reports of recorded previews
npm run pictures -- --record [name...]
                    instead, records previews for the tests of the command report`;

const example = path.join(root, "examples", "pr-check");
const pictures = path.join(root, "docs", "pictures");

const commentStyles = `
  main { width: 900px; }
  .comment { border: 1px solid #d0d7de; border-radius: 6px; background: #fff; }
  header { padding: 9px 16px; background: #f6f8fa; border-bottom: 1px solid #d0d7de; }
  article { padding: 16px; }
  h3 { margin: 0 0 14px; font-size: 20px; }
  h4 { margin: 18px 0 8px; font-size: 15px; }
  table { border-collapse: collapse; }
  th, td { border: 1px solid #d0d7de; padding: 5px 12px; text-align: left; }
  .comment pre { margin: 0; padding: 12px; background: #f6f8fa; border-radius: 6px; }
  td code, p code, h3 code, h4 code { padding: 2px 4px; background: #eff1f3; border-radius: 4px; }`;

await command(help, async ([option, ...names]) => {
  if (option === "--reports") {
    await onPage(async (page) => {
      for (const [name = "", html = ""] of await reportDocuments())
        await photograph(page, name, html);
    });
    return 0;
  }
  const bin = await prepareWithCli();
  if (option === "--record") {
    await recordPreviews(bin, names);
    return 0;
  }
  const { startSimulator } = await import("clouddb-simulator");
  const parent = path.join(path.dirname(demoFolder), "pictures");
  fs.mkdirSync(parent, { recursive: true });
  // In the repository, so that the program finds the packages.
  const folder = fs.mkdtempSync(path.join(parent, "run-"));
  const seed = JSON.parse(fs.readFileSync(path.join(example, "seed.json"), "utf8"));
  // Without `caFile`: the page would show the path.
  const simulator = await startSimulator({ seed, port: 0, control: true });
  try {
    const project = simulator.project("64a0c0ffee0000000000a001");
    project.updateCluster("billing", { version: "5.0.1" });
    project.updateCluster("sessions", { version: "6.0.5" });
    const preview = await runCheck(bin, folder, simulator);
    await onPage(async (page) => {
      await photograph(page, "refused-disable", await terminalDocument(preview));
      for (const [name = "", html = ""] of await reportDocuments())
        await photograph(page, name, html);
      await page.goto(simulator.url);
      await page.getByText("Connected", { exact: true }).waitFor();
      // Leaves room for the other clusters.
      await page
        .locator("article details")
        .evaluateAll((all) => all.forEach((each) => each.removeAttribute("open")));
      const pagePicture = path.join(pictures, "simulator-page.png");
      await page.screenshot({ path: pagePicture, animations: "disabled" });
    });
    // For the diff of a change, and for the test that compares them with the README.
    const text = stripVTControlCharacters(preview).replace(/ +$/gm, "");
    fs.writeFileSync(path.join(pictures, "refused-disable.txt"), text);
  } finally {
    await simulator.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  return 0;
});

/**
 * Deploys the example with the mode on, and previews its disable.
 * @param {string} bin the folder of the Pulumi CLI
 * @param {string} cwd
 * @param {{ url: string, ca: string }} simulator
 * @returns {Promise<string>} the output, with colors
 */
async function runCheck(bin, cwd, { url, ca }) {
  fs.cpSync(example, cwd, { recursive: true });
  fs.writeFileSync(path.join(cwd, "ca.pem"), ca);
  fs.mkdirSync(path.join(cwd, "backend"));
  const env = {
    ...withoutLoopbackProxy(withoutSettings(process.env)),
    PATH: [bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
    TMPDIR: cwd,
    PULUMI_BACKEND_URL: `file://${path.join(cwd, "backend")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    PULUMI_STACK: "production",
    CLOUDDB_BASE_URL: url,
    CLOUDDB_CA_FILE: path.join(cwd, "ca.pem"),
    CLOUDDB_PUBLIC_KEY: "demo",
    CLOUDDB_PRIVATE_KEY: "demo-secret",
  };
  const pulumi = (/** @type {string} */ line) => capture("pulumi", line.split(" "), { cwd, env });
  const program = path.join(cwd, "index.ts");
  const disabling = fs.readFileSync(program, "utf8");
  await pulumi("stack init production --no-select");
  fs.writeFileSync(program, disabling.replace("enabled: false", "enabled: true"));
  await pulumi("up --yes --non-interactive");
  fs.writeFileSync(program, disabling);
  const preview = await pulumi("preview --non-interactive --suppress-progress --color always");
  const output = preview.output.trim();
  if (!output.includes("cannot be disabled") || output.includes(root)) {
    throw new Failure(
      `The run for the pictures did not refuse the disable as expected:\n${output}`,
    );
  }
  return `$ pulumi preview\n${output}\n`;
}

/** @param {(page: import("playwright-core").Page) => Promise<void>} work */
async function onPage(work) {
  const { chromium } = await import("playwright-core");
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const context = await browser.newContext({
      colorScheme: "light",
      deviceScaleFactor: 1.4,
      ignoreHTTPSErrors: true,
      // The height ends the picture of the page between two lines of text.
      viewport: { width: 1100, height: 639 },
    });
    await work(await context.newPage());
  } finally {
    await browser.close();
  }
}

/** @param {import("playwright-core").Page} page @param {string} name @param {string} html */
async function photograph(page, name, html) {
  await page.setContent(html);
  const file = path.join(pictures, `${name}.png`);
  // Those with two columns would be too large.
  const scale = name.startsWith("report-") ? "css" : "device";
  await page.locator("main").screenshot({ path: file, omitBackground: true, scale });
}

/** The reports of recorded previews, by the names of their pictures. */
async function reportDocuments() {
  const comment = fs.readFileSync(path.join(recordings, "refused-by-one.md"), "utf8");
  return [
    ["pull-request-comment", documentOf(commentStyles, await commentBody(comment))],
    ["report-of-a-changed-string", await comparisonDocument("string-changed")],
    ["report-of-drift", await comparisonDocument("drift")],
  ];
}

/** @param {string} output the content of the terminal, with escape sequences for colors */
async function terminalDocument(output) {
  const { AnsiUp } = await import("ansi_up");
  const ansi = new AnsiUp();
  ansi.use_classes = true;
  return documentOf(
    `main { width: 900px; border-radius: 10px; border: 1px solid #d0d7de; background: #fff; }
    pre { margin: 0; padding: 18px 20px; }
    .ansi-red-fg, .ansi-bright-red-fg { color: #cf222e; }
    .ansi-green-fg, .ansi-bright-green-fg { color: #116329; }
    .ansi-yellow-fg, .ansi-bright-yellow-fg { color: #7d4e00; }
    .ansi-blue-fg, .ansi-bright-blue-fg { color: #0550ae; }
    .ansi-magenta-fg, .ansi-bright-magenta-fg { color: #8250df; }
    .ansi-cyan-fg, .ansi-bright-cyan-fg { color: #1b7c83; }
    .ansi-black-fg, .ansi-bright-black-fg { color: #57606a; }`,
    `<pre>${ansi.ansi_to_html(output)}</pre>`,
  );
}

/** @param {string} markdown */
async function commentBody(markdown) {
  const { default: markdownIt } = await import("markdown-it");
  // A report has HTML of its own: folded parts, line breaks in tables.
  const html = markdownIt({ html: true })
    .render(markdown)
    .replace(/\s+<\/code>/g, "</code>");
  return `<div class="comment"><header><b>github-actions</b> commented</header><article>${html}</article></div>`;
}

/**
 * Shows what pulumi prints beside the report of it.
 * @param {string} name of a recording
 */
async function comparisonDocument(name) {
  const { AnsiUp } = await import("ansi_up");
  const recording = path.join(recordings, name);
  const { raw } = JSON.parse(fs.readFileSync(`${recording}.json`, "utf8"));
  const terminal = new AnsiUp().ansi_to_html(`$ pulumi preview --diff\n${raw}`);
  const comment = await commentBody(fs.readFileSync(`${recording}.md`, "utf8"));
  return documentOf(
    `${commentStyles}
    main { width: 1280px; display: grid; grid-template-columns: 1fr 1fr; gap: 16px; align-items: start; }
    body { font-size: 13px; } pre, code { font-size: 11.5px; }
    .terminal { margin: 0; padding: 14px; border: 1px solid #d0d7de; border-radius: 6px; background: #fff; }`,
    `<pre class="terminal">${terminal}</pre>${comment}`,
  );
}

/**
 * @param {string} styles
 * @param {string} content
 */
function documentOf(styles, content) {
  return `<!doctype html><meta charset="utf-8"><style>
    body { margin: 20px; background: transparent; color: #1f2328; font: 14px/1.5 "Liberation Sans", Arial, sans-serif; }
    pre, code { font: 13px/1.55 "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
    ${styles}</style><main>${content}</main>`;
}
