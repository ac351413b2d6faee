// @ts-check
/** `npm run pictures`: writes the pictures of the documentation, from real runs. */
import fs from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { withoutLoopbackProxy, withoutSettings } from "./environment.mjs";
import { prepareWithCli } from "./firstRun/index.mjs";
import { capture } from "./processes.mjs";
import { recordPreviews } from "./recordPreviews.mjs";
import { Failure, command } from "./terminal.mjs";
import { demoFolder, root } from "./workspace.mjs";

const help = `
npm run pictures    writes docs/pictures: a preview that refuses a disable, the comment of the pull request check, and
                    the simulator's page; needs Chromium (CHROMIUM=<path> if it is not /usr/bin/chromium)
npm run pictures -- --record [name...]
                    instead, records previews for the tests of the command report`;

const example = path.join(root, "examples", "pr-check");
const pictures = path.join(root, "docs", "pictures");

await command(help, async ([option, ...names]) => {
  const bin = await prepareWithCli();
  if (option === "--record") {
    await recordPreviews(bin, names);
    return 0;
  }
  const { chromium } = await import("playwright-core");
  const { startSimulator } = await import("clouddb-simulator");
  const parent = path.join(path.dirname(demoFolder), "pictures");
  fs.mkdirSync(parent, { recursive: true });
  // In the repository, so that the program finds the packages.
  const folder = fs.mkdtempSync(path.join(parent, "run-"));
  const seed = JSON.parse(fs.readFileSync(path.join(example, "seed.json"), "utf8"));
  // Without `caFile`: the page would show the path.
  const simulator = await startSimulator({ seed, port: 0, control: true });
  const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  try {
    const project = simulator.project("64a0c0ffee0000000000a001");
    project.updateCluster("billing", { version: "5.0.1" });
    project.updateCluster("sessions", { version: "6.0.5" });
    const { preview, comment } = await runCheck(bin, folder, simulator);
    const context = await browser.newContext({
      colorScheme: "light",
      deviceScaleFactor: 1.4,
      ignoreHTTPSErrors: true,
      // The height ends the picture of the page between two lines of text.
      viewport: { width: 1100, height: 639 },
    });
    const page = await context.newPage();
    for (const [name, html] of [
      ["refused-disable", await terminalDocument(preview)],
      ["pull-request-comment", await commentDocument(comment)],
    ]) {
      await page.setContent(html ?? "");
      const file = path.join(pictures, `${name}.png`);
      await page.locator("main").screenshot({ path: file, omitBackground: true });
    }
    await page.goto(simulator.url);
    await page.getByText("Connected", { exact: true }).waitFor();
    // Leaves room for the other clusters.
    await page
      .locator("article details")
      .evaluateAll((all) => all.forEach((each) => each.removeAttribute("open")));
    const pagePicture = path.join(pictures, "simulator-page.png");
    await page.screenshot({ path: pagePicture, animations: "disabled" });
    // For the diff of a change, and for the test that compares them with the README.
    const text = stripVTControlCharacters(preview).replace(/ +$/gm, "");
    fs.writeFileSync(path.join(pictures, "refused-disable.txt"), text);
    fs.writeFileSync(path.join(pictures, "pull-request-comment.txt"), comment);
  } finally {
    await browser.close();
    await simulator.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
  return 0;
});

/**
 * Deploys the example with the mode on, previews its disable, and runs the steps of its workflow.
 * @param {string} bin the folder of the Pulumi CLI
 * @param {string} cwd
 * @param {{ url: string, ca: string }} simulator
 * @returns {Promise<{ preview: string, comment: string }>} preview: with colors; comment: Markdown
 */
async function runCheck(bin, cwd, { url, ca }) {
  const { parse } = await import("yaml");
  fs.cpSync(example, cwd, { recursive: true });
  fs.writeFileSync(path.join(cwd, "ca.pem"), ca);
  fs.mkdirSync(path.join(cwd, "backend"));
  // The comment stays in comment.md.
  fs.writeFileSync(path.join(cwd, "gh"), "#!/bin/sh\n", { mode: 0o755 });
  const env = {
    ...withoutLoopbackProxy(withoutSettings(process.env)),
    PATH: [cwd, bin, path.dirname(process.execPath), process.env.PATH].join(path.delimiter),
    TMPDIR: cwd,
    PULUMI_BACKEND_URL: `file://${path.join(cwd, "backend")}`,
    PULUMI_CONFIG_PASSPHRASE: "",
    PULUMI_SKIP_UPDATE_CHECK: "1",
    PULUMI_STACK: "production",
    CLOUDDB_BASE_URL: url,
    CLOUDDB_CA_FILE: path.join(cwd, "ca.pem"),
    CLOUDDB_PUBLIC_KEY: "demo",
    CLOUDDB_PRIVATE_KEY: "demo-secret",
    OUTCOME: "failure",
    PULL_REQUEST: "7",
  };
  const pulumi = (/** @type {string} */ line) => capture("pulumi", line.split(" "), { cwd, env });
  const program = path.join(cwd, "index.ts");
  const disabling = fs.readFileSync(program, "utf8");
  await pulumi("stack init production --no-select");
  fs.writeFileSync(program, disabling.replace("enabled: false", "enabled: true"));
  await pulumi("up --yes --non-interactive");
  fs.writeFileSync(program, disabling);
  const preview = await pulumi("preview --non-interactive --suppress-progress --color always");
  const workflow = parse(
    fs.readFileSync(path.join(cwd, ".github", "workflows", "preview.yml"), "utf8"),
  );
  /** @type {{ name?: string, run?: string }[]} */
  const steps = workflow.jobs.preview.steps;
  for (const { run } of steps.filter(({ name = "" }) => ["Preview", "Comment"].includes(name))) {
    await capture("bash", ["-eo", "pipefail", "-c", run ?? ""], { cwd, env });
  }
  const comment = fs.readFileSync(path.join(cwd, "comment.md"), "utf8");
  for (const output of [preview.output, comment]) {
    if (output.includes("cannot be disabled") && !output.includes(root)) continue;
    throw new Failure(
      `The run for the pictures did not refuse the disable as expected:\n${output}`,
    );
  }
  return {
    preview: `$ pulumi preview\n${preview.output.trim()}\n`,
    // Whether there is a line of progress depends on the speed of the machine.
    comment: comment.replace(/^@ previewing update\.*\n/gm, ""),
  };
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
async function commentDocument(markdown) {
  const { default: markdownIt } = await import("markdown-it");
  const html = markdownIt()
    .render(markdown)
    .replace(/\s+<\/code>/, "</code>");
  return documentOf(
    `main { width: 900px; border: 1px solid #d0d7de; border-radius: 6px; background: #fff; }
    header { padding: 9px 16px; background: #f6f8fa; border-bottom: 1px solid #d0d7de; }
    article { padding: 16px; }
    h3 { margin: 0 0 14px; font-size: 20px; }
    pre { margin: 0; padding: 16px; background: #f6f8fa; border-radius: 6px; }`,
    `<header><b>github-actions</b> commented</header><article>${html}</article>`,
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
