/** Checks that the codes and messages in docs/reference/errors.md are those of the source. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { codes } from "../../../provider/src/messages/codes";
import { documentedCodes, errorsPage, messagesIn, patternOf } from "../../support/messageCodes";
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

describe("docs/reference/errors.md", () => {
  it("has exactly one row for each code, in the order of the source", () => {
    assert.deepEqual([...documentedCodes.keys()], [...codes]);
  });

  it("links exactly the codes that have an entry", () => {
    const headings = [...errorsPage.matchAll(/^## (clouddb-\S+)$/gm)].map(([, code]) => code);
    const linked = [...errorsPage.matchAll(/^\| \[(clouddb-\S+)\]\(#\1\)/gm)].map(
      ([, code]) => code,
    );
    assert.deepEqual(headings, linked);
  });

  it("lists only codes that the source uses", () => {
    assert.deepEqual(
      codes.filter((code) => !source.includes(`"${code}"`)),
      [],
    );
  });

  it("lists only messages that are in the source, each once", () => {
    const messages = messagesIn(errorsPage);
    assert.ok(messages.length > 50);
    assert.deepEqual(messages, [...new Set(messages)]);
    assert.deepEqual(
      messages.filter((message) => !patternOf(message).test(source)),
      [],
    );
  });
});
