/** Takes the pictures in docs/pictures, with Chromium. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import type { Page } from "playwright-core";
import type { Report } from "../../provider/src/report/model";
import { markdown } from "../../provider/src/report/write/markdown";
import { terminalText } from "../../provider/src/report/write/terminal";

const folder = join(__dirname, "../../docs/pictures");

/** Makes small text readable on a page that shrinks the picture to its own width. */
export const deviceScaleFactor = 1.4;

interface Picture {
  readonly name: string;
  readonly width: number;
  /** What it shows, from left to right: the output of Pulumi, the report in a terminal, and the comment. */
  readonly shows: readonly ("pulumi" | "terminal" | "comment")[];
}

/** The pictures of a recorded preview. */
export const picturesOf: Readonly<Record<string, readonly Picture[]>> = {
  "refused-by-one": [
    { name: "refused-disable", width: 900, shows: ["pulumi"] },
    { name: "pull-request-comment", width: 900, shows: ["comment"] },
  ],
  "string-changed": [
    { name: "report-string-changed", width: 1320, shows: ["pulumi", "comment"] },
    { name: "report-in-terminal", width: 1320, shows: ["terminal"] },
  ],
};

const style = `
  body { display: flex; gap: 12px; align-items: flex-start; margin: 0; color: #1f2328;
    font: 14px/1.5 "Liberation Sans", Arial, sans-serif; }
  pre, article { box-sizing: border-box; border: 1px solid #bbb; border-radius: 6px; margin: 0; overflow: hidden; }
  pre { flex: 1 1 40%; padding: 12px; white-space: pre-wrap; overflow-wrap: anywhere;
    font: 12px/1.4 "DejaVu Sans Mono", monospace; }
  article { flex: 1 1 60%; }
  header { background: #eee; border-bottom: 1px solid #bbb; padding: 8px 14px; }
  main { padding: 2px 14px 8px; }
  h3 { font-size: 16px; } h4 { font-size: 14px; }
  code { font: 11.5px "DejaVu Sans Mono", monospace; background: #eff1f3; border-radius: 5px; padding: 2px 4px; }
  table { border-collapse: collapse; font-size: 13px; } th, td { border: 1px solid #ccc; padding: 5px 10px; text-align: left; }
  blockquote { border-left: 3px solid #ccc; margin: 10px 0; padding: 1px 12px; } blockquote p { margin: 4px 0; }
  .caution { border-color: #cf222e; } .caution b { color: #cf222e; }
  .c1 { color: #b3152e; } .c2 { color: #116329; } .c3 { color: #7a5200; } .c13 { color: #8250df; }`;

const markdownIt = new MarkdownIt({ html: true });
const escapeHtml = (text: string) => markdownIt.utils.escapeHtml(text);

/** Takes the pictures of a preview from the output of `pulumi preview --diff --color always` and its report. */
export async function takePictures(page: Page, scenario: string, output: string, report: Report) {
  const parts = {
    pulumi: pulumiHtml(output),
    terminal: `<pre>$ npx --no pulumi-clouddb preview --stack production\n${escapeHtml(terminalText(report))}</pre>`,
    comment: commentHtml(markdown(report)),
  };
  for (const { name, width, shows } of picturesOf[scenario] ?? []) {
    const body = shows.map((part) => parts[part]).join("");
    await page.setViewportSize({ width, height: 100 });
    // Leaves the simulator's page with its content security policy.
    await page.goto("about:blank");
    await page.setContent(`<!doctype html><style>${style}</style>${body}`);
    const height = Math.ceil((await page.locator("body").boundingBox())?.height ?? 0);
    await page.setViewportSize({ width, height });
    await savePicture(page, name);
  }
}

/** Saves what the viewport shows. Playwright takes PNG, which the browser converts. */
export async function savePicture(page: Page, name: string) {
  const png = await page.screenshot();
  await page.goto("about:blank");
  await page.setContent(
    `<img src="data:image/png;base64,${png.toString("base64")}"><canvas></canvas>`,
  );
  const webp = await page.evaluate<string>(`(async () => {
    const image = document.querySelector("img");
    await image.decode();
    const canvas = document.querySelector("canvas");
    canvas.width = image.naturalWidth;
    canvas.height = image.naturalHeight;
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas.toDataURL("image/webp", 0.25);
  })()`);
  const [, data = ""] = webp.split(",");
  writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, "base64"));
}

/** Renders the output with its colors, for example `ESC[38;5;2m` for green. */
function pulumiHtml(output: string): string {
  const [first = "", ...rest] = output.trim().split("\u001B[");
  const colored = rest.map((part) => {
    const [, codes = "", text = ""] = /^([\d;]*)m([^]*)$/.exec(part) ?? [];
    const color = /^38;5;(\d+)$/.exec(codes)?.[1];
    const html = escapeHtml(text);
    return color === undefined ? html : `<span class="c${color}">${html}</span>`;
  });
  return `<pre>$ pulumi preview --diff\n${escapeHtml(first)}${colored.join("")}</pre>`;
}

/** Renders a report as a comment on GitHub. */
function commentHtml(report: string): string {
  const html = markdownIt
    .render(report)
    .replaceAll(
      /<blockquote>\s*<p>\[!CAUTION\]/g,
      '<blockquote class="caution"><p><b>Caution</b><br>',
    );
  return `<article><header><b>github-actions</b> commented</header><main>${html}</main></article>`;
}
