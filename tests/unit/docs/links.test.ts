import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { type Page, pages, prose } from "./markdown";

const root = join(__dirname, "../../..");
const all = pages();

/** What READMEs on npm put before the path of a file of the project. */
const repository = /^https:\/\/github\.com\/pulumi-clouddb\/pulumi-clouddb\/blob\/main\//;

/** Returns the targets of the links that lead to files of the project. */
function relativeLinks(page: Page): string[] {
  const text = prose(page).replace(/`[^`\n]*`/g, "");
  const toRoot = "../".repeat(page.path.split("/").length - 1);
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => target.replace(repository, toRoot))
    .filter((target) => !/^(https?|mailto):/.test(target));
}

/** Returns the anchors of a page, as GitHub derives them from the headings. */
function anchorsOf(page: Page): string[] {
  const counts = new Map<string, number>();
  return [...prose(page).matchAll(/^#{1,6} +(.+)$/gm)].map(([, heading = ""]) => {
    const anchor = heading
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    return count === 0 ? anchor : `${anchor}-${count}`;
  });
}

/** Returns why a link is broken; undefined if it works. */
function problemOf(page: Page, link: string): string | undefined {
  const [path = "", anchor] = decodeURIComponent(link).split("#");
  const target = path === "" ? page.path : posix.join(posix.dirname(page.path), path);
  if (!existsSync(join(root, target))) return `${page.path}: there is no ${target}`;
  if (anchor === undefined) return undefined;
  const linked = all.find((candidate) => candidate.path === target);
  if (linked !== undefined && anchorsOf(linked).includes(anchor)) return undefined;
  return `${page.path}: ${target} has no heading #${anchor}`;
}

describe("the Markdown files of the project", () => {
  it("only have links to files and headings that exist", () => {
    const links = all.flatMap((page) => relativeLinks(page).map((link) => ({ page, link })));
    assert.ok(links.length > 100);
    assert.deepEqual(
      links.flatMap(({ page, link }) => problemOf(page, link) ?? []),
      [],
    );
  });

  it("have the headings that comments and messages of the source link to", () => {
    const folders = ["connection-strings", "plugin", "provider", "simulator"].map(
      (name) => `${name}/src`,
    );
    const links = [...folders, "quality", "scripts"].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => /\.(ts|mjs)$/.test(name))
        .map((name) => `${folder}/${name}`)
        .flatMap((path) => {
          const text = readFileSync(join(root, path), "utf8");
          return [...text.matchAll(/\bdocs\/[\w/.-]+\.md(#[\w-]+)?/g)].map(([link]) => ({
            path,
            link,
          }));
        }),
    );
    assert.ok(links.length > 20);
    const broken = links.flatMap(({ path, link }) => {
      const problem = problemOf({ path: "", text: "" }, link);
      return problem === undefined ? [] : [`${path}${problem}`];
    });
    assert.deepEqual(broken, []);
  });

  it("name files and folders in CONTRIBUTING.md that exist", () => {
    const { text = "" } = all.find(({ path }) => path === "CONTRIBUTING.md") ?? {};
    const named = [...text.matchAll(/`(?!\.clouddb|coverage)([\w.-]+\/[\w./-]*)`/g)];
    const exists = (path: string) =>
      ["", "provider/src", "tests/unit"].some((folder) => existsSync(join(root, folder, path)));
    assert.ok(named.length > 30);
    assert.deepEqual(
      named.map(([, path = ""]) => path).filter((path) => !exists(path)),
      [],
    );
  });

  it("name functions and classes in CONTRIBUTING.md that the file beside them has", () => {
    const { text = "" } = all.find(({ path }) => path === "CONTRIBUTING.md") ?? {};
    const rows = [...text.matchAll(/^\| `([\w/]+\.ts)` \| ((?:`#?\w+`(?:, )?)+) \|/gm)];
    assert.ok(rows.length > 8);
    const missing = rows.flatMap(([, file = "", names = ""]) => {
      const source = readFileSync(join(root, "provider/src", file), "utf8");
      return [...names.matchAll(/#?\w+/g)].filter(([name]) => !source.includes(name)).map(String);
    });
    assert.deepEqual(missing, []);
  });

  it("are all linked from docs/README.md if they are in docs", () => {
    const index = all.find(({ path }) => path === "docs/README.md");
    assert.ok(index !== undefined);
    const linked = relativeLinks(index).map((link) => posix.join("docs", link.split("#")[0] ?? ""));
    const missing = all
      .map(({ path }) => path)
      .filter((path) => /^docs\/(?!README\.md$)/.test(path) && !linked.includes(path));
    assert.deepEqual(missing, []);
  });
});
