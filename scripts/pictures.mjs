// @ts-check
/** `npm run pictures`: writes the pictures of the documentation, from recorded previews and the simulator's page. */
import { AnsiUp } from "ansi_up";
import markdownIt from "markdown-it";
import { Buffer } from "node:buffer";
import fs from "node:fs";
import path from "node:path";
import { crc32, deflateSync, inflateSync } from "node:zlib";
import { prepareWithCli } from "./firstRun/index.mjs";
import { recordPreviews, recordings } from "./recordPreviews.mjs";
import { Failure, command } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run pictures    writes docs/pictures: recorded previews and their reports, and the simulator's page; needs Chromium
                    (CHROMIUM=<path> if it is not /usr/bin/chromium)
npm run pictures -- --record [name...]
                    instead, records previews with the real CLI, for the pictures and for the tests of reports`;

const pictures = path.join(root, "docs", "pictures");
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
    const write = (/** @type {string} */ name, /** @type {Buffer} */ png) =>
      fs.writeFileSync(path.join(pictures, `${name}.png`), withPalette(png));
    const documents = {
      "refused-disable": `<main>${terminal("two-stacks-production")}</main>`,
      "pull-request-comment": `<main>${comment("refused-by-one")}</main>`,
      ...Object.fromEntries(compared.map((name) => [`report-${name}`, comparison(name)])),
      "report-two-stacks": comparison("two-stacks-production", "two-stacks-staging"),
    };
    for (const [name, html] of Object.entries(documents)) {
      await page.setContent(`<!doctype html><meta charset="utf-8"><style>${styles}</style>${html}`);
      write(name, await page.locator("main").screenshot());
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
    write("simulator-page", await page.screenshot({ animations: "disabled" }));
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
 * Rewrites a screenshot with 16 levels of each color and a palette, which takes a third of the space.
 * @param {Buffer} png with 8 bits per channel
 */
function withPalette(png) {
  const { width, height, channels, pixels } = decode(png);
  /** @type {Map<number, number>} */
  const palette = new Map();
  const rows = Buffer.alloc((width + 1) * height);
  for (let at = 0; at < width * height; at++) {
    const color = [0, 1, 2].reduce(
      (sum, channel) => sum * 16 + Math.round((pixels[at * channels + channel] ?? 0) / 17),
      0,
    );
    const index = palette.get(color) ?? palette.size;
    palette.set(color, index);
    rows[at + Math.floor(at / width) + 1] = index;
  }
  if (palette.size > 256) throw new Failure(`The picture has ${palette.size} colors.`);
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 3, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const colors = [...palette.keys()].flatMap((color) =>
    [color >> 8, (color >> 4) & 15, color & 15].map((level) => level * 17),
  );
  return Buffer.concat([
    png.subarray(0, 8),
    chunk("IHDR", header),
    chunk("PLTE", Buffer.from(colors)),
    chunk("IDAT", deflateSync(rows, { level: 9 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** @param {Buffer} png */
function decode(png) {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const channels = png[25] === 6 ? 4 : 3;
  const data = [];
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    const content = png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
    if (png.toString("latin1", at + 4, at + 8) === "IDAT") data.push(content);
  }
  const filtered = inflateSync(Buffer.concat(data));
  const stride = width * channels;
  const pixels = Buffer.alloc(stride * height);
  for (let at = 0; at < pixels.length; at++) {
    const [row, column] = [Math.floor(at / stride), at % stride];
    const left = column < channels ? 0 : (pixels[at - channels] ?? 0);
    const above = pixels[at - stride] ?? 0;
    const corner = column < channels ? 0 : (pixels[at - stride - channels] ?? 0);
    const nearest = [left, above, corner].reduce((best, each) => {
      const distance = (/** @type {number} */ value) => Math.abs(left + above - corner - value);
      return distance(each) < distance(best) ? each : best;
    });
    const predicted = [0, left, above, (left + above) >> 1, nearest];
    const filter = filtered[row * (stride + 1)] ?? 0;
    pixels[at] = (filtered[at + row + 1] ?? 0) + (predicted[filter] ?? 0);
  }
  return { width, height, channels, pixels };
}

/** @param {string} type @param {Buffer} data */
function chunk(type, data) {
  const [length, check] = [Buffer.alloc(4), Buffer.alloc(4)];
  const content = Buffer.concat([Buffer.from(type), data]);
  length.writeUInt32BE(data.length);
  check.writeUInt32BE(crc32(content));
  return Buffer.concat([length, content, check]);
}
