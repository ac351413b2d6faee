/** Checks that docs/troubleshooting.md lists exactly the messages in the source, and tests that produce them. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageParts } from "./messageParts";
import { collapse, textsInSource, wordCount } from "./messagesInSource";

const root = join(__dirname, "../../..");
const page = readFileSync(join(root, "docs/troubleshooting.md"), "utf8");

/** Messages that no test produces. */
const untested = ["pulumi-resource-clouddb cannot start: …"];

/** A message on the page, and the test that produces it. */
interface Entry {
  readonly message: string;
  /** The test file, and a part of the message that the file contains. */
  readonly test: { readonly file: string; readonly part: string } | undefined;
}

/**
 * An entry is a heading, an item of a list or a row of a table that starts with the message as code. Its
 * comment, on the same line or on the line below a heading, names the test.
 */
function entriesIn(markdown: string): Entry[] {
  const lines = markdown.split("\n");
  return lines.flatMap((line, index) => {
    const [, start, , message] = /^(### |- |\| )(`+)(.+?)\2(?!`)/.exec(line) ?? [];
    if (message === undefined) return [];
    const text = start === "### " ? `${line}${lines[index + 1] ?? ""}` : line;
    const [, file, part] = /<!-- (tests\/\S+\.test\.ts): (.+?) -->/.exec(text) ?? [];
    const test = file === undefined || part === undefined ? undefined : { file, part };
    return [{ message, test }];
  });
}

/** Returns whether a message on the page stands for a text: it is the text, or a distinctive part of it. */
function standsFor(message: string, text: string): boolean {
  return message === text || (wordCount(message) > 3 && text.includes(message));
}

describe("docs/troubleshooting.md", () => {
  const entries = entriesIn(page);
  const texts = [...textsInSource()];

  it("lists every message in the source", () => {
    const missing = texts.filter(
      (text) =>
        wordCount(text) > 2 &&
        !/^Usage: |^pulumi-resource-clouddb …: /.test(text) &&
        !messageParts.has(text) &&
        !entries.some(({ message }) => standsFor(message, text)),
    );
    assert.deepEqual(missing, []);
  });

  it("lists only messages that are in the source", () => {
    const outdated = entries.filter(({ message }) => {
      return !texts.some((text) => standsFor(message, text));
    });
    assert.deepEqual(
      outdated.map(({ message }) => message),
      [],
    );
  });

  it("lists each message once", () => {
    const messages = entries.map(({ message }) => message);
    assert.deepEqual(messages, [...new Set(messages)]);
  });

  it("excludes no text that is not in the source", () => {
    assert.deepEqual(
      [...messageParts].filter((part) => !texts.includes(part)),
      [],
    );
  });

  it("names a test for every message, which contains a part of the message", () => {
    const unproven = entries.filter(({ message, test }) => {
      if (test === undefined || !message.includes(test.part)) return true;
      const file = join(root, test.file);
      // Patterns in tests escape punctuation.
      const content = existsSync(file) ? collapse(readFileSync(file, "utf8")) : "";
      return !content.replaceAll("\\", "").includes(test.part);
    });
    assert.deepEqual(
      unproven.map(({ message }) => message),
      untested,
    );
  });
});
