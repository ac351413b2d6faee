/** Checks the pictures in docs/pictures. CONTRIBUTING.md says how to take them. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { z } from "zod";
import { collapse, pages, prose } from "./markdown";

const root = join(__dirname, "../../..");

/** The images in the Markdown files, with the paths of their files in the repository. */
const images = pages().flatMap((page) =>
  [...prose(page).matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)].map(([, alt = "", link = ""]) => ({
    page: page.path,
    alt,
    path: posix.join(posix.dirname(page.path), link),
  })),
);

const diagnostic = z.object({ prefix: z.string().optional(), message: z.string() });

describe("the pictures in the documentation", () => {
  it("have alternative text", () => {
    for (const { page, alt, path } of images) assert.ok(alt.length > 20, `${page}: ${path}`);
  });

  it("show the error in docs/concepts.md", () => {
    const recording = join(root, "tests/unit/report/recordings/refused-by-one.json");
    const { events } = z
      .object({ events: z.array(z.object({ diagnosticEvent: diagnostic.optional() })) })
      .parse(JSON.parse(readFileSync(recording, "utf8")));
    const messages = events
      .map(({ diagnosticEvent: { prefix = "", message = "" } = {} }) => `${prefix}${message}`)
      .join("\n")
      .replaceAll(/<\{%.*?%\}>/g, "");
    const page = readFileSync(join(root, "docs/concepts.md"), "utf8");
    const [error = ""] = /^error: [^]*?(?=\n```)/m.exec(page) ?? [];
    assert.match(error, /cannot be disabled/);
    assert.ok(collapse(messages).includes(collapse(error)), messages);
  });
});
