/** Checks that the messages in docs/reference/errors.md still exist. */
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { collapse } from "./markdown";

const root = join(__dirname, "../../..");

/** The source code of the packages, which contains only the constant parts of a message. */
const source = collapse(
  ["provider/src", "plugin/src", "connection-strings/src"]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => `${folder}/${name}`),
    )
    .concat("plugin/pulumi-resource-clouddb")
    .map((file) => readFileSync(join(root, file), "utf8").replace(/\\(["'`])/g, "$1"))
    .join("\n"),
);

/** The messages in headings, list items and table rows. A heading may have words and a colon before it. */
function messagesIn(markdown: string): string[] {
  return [...markdown.matchAll(/^(?:### (?:[\w ]+: )?|- |\| )(`+)(.+?)\1(?!`)/gm)].map(
    ([, , message = ""]) => message,
  );
}

/** Returns a pattern for a message whose variable parts are `…`. */
function patternOf(message: string): RegExp {
  const parts = message.split("…").map((part) => part.trim());
  const constant = parts.filter(Boolean).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(constant.join(".{0,80}?"));
}

describe("docs/reference/errors.md", () => {
  it("lists only messages that are in the source, each once", () => {
    const messages = messagesIn(readFileSync(join(root, "docs/reference/errors.md"), "utf8"));
    assert.ok(messages.length > 120);
    assert.deepEqual(messages, [...new Set(messages)]);
    assert.deepEqual(
      messages.filter((message) => !patternOf(message).test(source)),
      [],
    );
  });
});
