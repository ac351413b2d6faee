/** Checks that the codes and messages in docs/reference/errors.md and in the tests are those of the source. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codes } from "../../../provider/src/messages/errors";
import { patternOf } from "../../support/messageCodes";
import { messagesByCode } from "../../support/messages";
import { collapse } from "./markdown";

const root = join(__dirname, "../../..");

/** The source code of the packages, which contains only the constant parts of a message. */
const source = collapse(
  ["provider/src", "plugin/src", "connection-strings/src"]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts") && !name.endsWith("codes.ts"))
        .map((name) => `${folder}/${name}`),
    )
    .concat("plugin/pulumi-resource-clouddb")
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n")
    .replace(/\\(["'`])/g, "$1")
    .replace(/\$\{setting\("(\w+)"\)\}/g, "clouddb:$1"),
);

/** Returns the messages at the beginning of table rows, or after a line break in them. */
function messagesIn(markdown: string): string[] {
  const quoted = /(?<=^\| |<br>)(`+)((?:(?!\n\n)[^])+?)\1(?!`)/gm;
  return [...markdown.matchAll(quoted)].map(([, , message = ""]) => collapse(message));
}

const page = readFileSync(join(root, "docs/reference/errors.md"), "utf8");

/** The codes before the table, whose messages need no explanation, and those of its rows. */
const [above = ""] = /(?<=^## Codes\n\n).*?\n\n/ms.exec(page) ?? [];
const sentence = [...above.matchAll(/`clouddb-([a-z-]+)`/g)].map(([, code = ""]) => code);
const rows = [...page.matchAll(/^\| \[?clouddb-([a-z-]+)\b/gm)].map(([, code = ""]) => code);

describe("docs/reference/errors.md", () => {
  it("has each code once, in the table or in the sentence above it, in the order of the source", () => {
    const listed = [...sentence, ...rows];
    assert.deepEqual(listed.toSorted(), codes.toSorted());
    const inOrder = (some: string[]) => codes.filter((code) => some.includes(code));
    assert.deepEqual([sentence, rows], [inOrder(sentence), inOrder(rows)]);
  });

  it("links exactly the codes that have an entry", () => {
    const headings = [...page.matchAll(/^## (clouddb-\S+)$/gm)].map(([, code]) => code);
    const linked = [...page.matchAll(/^\| \[(clouddb-\S+)\]\(#\1\)/gm)].map(([, code]) => code);
    assert.deepEqual(headings, linked);
  });

  it("quotes only messages that are in the source", () => {
    const messages = messagesIn(page);
    assert.ok(messages.length > 10);
    assert.deepEqual(
      messages.filter((message) => !patternOf(message).test(source)),
      [],
    );
  });
});

describe("messagesByCode", () => {
  it("lists only codes that the source uses", () => {
    assert.deepEqual(
      codes.filter((code) => !source.includes(`"${code}"`)),
      [],
    );
  });

  it("lists only messages that are in the source, each once", () => {
    const messages = Object.values(messagesByCode).flat();
    assert.deepEqual(messages, [...new Set(messages)]);
    assert.deepEqual(
      messages.filter((message) => !patternOf(message).test(source)),
      [],
    );
  });
});
