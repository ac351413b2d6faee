/** Checks the pictures in docs/pictures, which `npm run pictures` writes. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { collapse, pages, prose } from "./markdown";

const root = join(__dirname, "../../..");
const folder = "docs/pictures";
const names = readdirSync(join(root, folder));
const pictures = names.filter((name) => name.endsWith(".png"));

/** The images in the Markdown files, with the paths of their files in the repository. */
const images = pages().flatMap((page) =>
  [...prose(page).matchAll(/!\[([^\]]*)\]\(([^)\s]+)\)/g)].map(([, alt = "", link = ""]) => ({
    page: page.path,
    alt,
    path: normalize(join(dirname(page.path), link)),
  })),
);

describe("the pictures in the documentation", () => {
  it("are at most 150 kB, and each is on a page", () => {
    assert.equal(pictures.length, 5);
    for (const name of pictures) {
      assert.ok(statSync(join(root, folder, name)).size <= 150_000, name);
      assert.ok(
        images.some(({ path }) => path === `${folder}/${name}`),
        name,
      );
    }
  });

  it("have alternative text", () => {
    for (const { page, alt, path } of images) assert.ok(alt.length > 20, `${page}: ${path}`);
  });

  for (const name of names.filter((each) => each.endsWith(".txt"))) {
    it(`show the error in docs/concepts.md: ${name}`, () => {
      const text = collapse(readFileSync(join(root, folder, name), "utf8"));
      const page = readFileSync(join(root, "docs/concepts.md"), "utf8");
      const [error = ""] = /^error: [^]*?(?=\n```)/m.exec(page) ?? [];
      assert.match(error, /cannot be disabled/);
      assert.ok(text.includes(collapse(error)), text);
    });

    it(`contain no path of a machine: ${name}`, () => {
      const text = readFileSync(join(root, folder, name), "utf8");
      assert.doesNotMatch(text, /\/(home|Users|root|tmp)\/|\.clouddb/);
    });
  }
});
