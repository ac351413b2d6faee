// @ts-check
/**
 * `npm run pictures`: writes the pictures of the documentation, from the simulator's page and from previews of the
 * real CLI. The previews are recorded in tests/unit/report/recordings, where tests of reports read them.
 */
import { AnsiUp } from "ansi_up";
import markdownIt from "markdown-it";
import fs from "node:fs";
import path from "node:path";
import { prepareWithCli } from "./firstRun/index.mjs";
import { recordPreviews, recordings } from "./recordings.mjs";
import { command } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run pictures    writes recorded previews, their reports and the simulator's page to docs/pictures; needs Chromium
                    (CHROMIUM=<path> if it is not /usr/bin/chromium)
npm run pictures -- --record [name...]
                    only records previews with the real CLI, for the pictures and for the tests of reports`;

/** The recordings that are shown beside their reports, in the order of docs/guides/reports.md. */
const compared = ["string-changed", "disable-allowed", "refused-by-60", "program-error"];

/** Those whose output is too long for a picture. */
const alone = ["many-lookups", "other-provider"];

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
  blockquote { margin: 0 0 12px; padding: 0 14px; border-left: 4px solid #ccc; }
  .caution { border-color: #cf222e; }
  .caution b:first-child { color: #cf222e; }
  ul { padding-left: 22px; }
  td code, p code, li code, h3 code, h4 code { padding: 2px 4px; background: #eee; border-radius: 4px; }`;

const pictures = path.join(root, "docs", "pictures");

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
  // Without `caFile`, because the page would show the path.
  const simulator = await startSimulator({ seed, port: 0, control: true });
  try {
    const context = await browser.newContext({
      colorScheme: "light",
      deviceScaleFactor: 1.4,
      ignoreHTTPSErrors: true,
      // The height crops the screenshot between two lines of text.
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
        // 16 levels of each color take less than half the space. Quality 1 is lossless.
        const pixels = context.getImageData(0, 0, canvas.width, canvas.height);
        for (const [at, level] of pixels.data.entries())
          pixels.data[at] = 17 * Math.round(level / 17);
        context.putImageData(pixels, 0, 0);
        return canvas.toDataURL("image/webp", 1).replace(/^.*,/, "");
      });
      fs.writeFileSync(path.join(pictures, `${name}.webp`), webp, "base64");
    };
    const documents = {
      "refused-disable": `<main>${terminal("refused-by-one")}</main>`,
      "pull-request-comment": `<main>${comment("refused-by-one")}</main>`,
      ...Object.fromEntries(compared.map((name) => [`report-${name}`, comparison(name)])),
      ...Object.fromEntries(
        alone.map((name) => [`report-${name}`, `<main>${comment(name)}</main>`]),
      ),
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
  // A report contains HTML, such as folded parts and line breaks in tables.
  const html = markdownIt({ html: true })
    .render(markdown)
    .replace(/\s+<\/code>/g, "</code>")
    // As GitHub shows it.
    .replace(
      /<blockquote>\s*<p>\[!(CAUTION|WARNING)\]/g,
      (_, kind) =>
        `<blockquote class="caution"><p><b>${kind === "CAUTION" ? "Caution" : "Warning"}</b><br>`,
    );
  return `<div class="comment"><header><b>github-actions</b> commented</header><article>${html}</article></div>`;
}

/**
 * Shows Pulumi's output beside its report.
 * @param {string} recording
 */
function comparison(recording) {
  return `<main class="compared">${terminal(recording)}${comment(recording)}</main>`;
}
