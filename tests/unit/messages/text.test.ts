import assert from "node:assert/strict";
import fc from "fast-check";
import {
  escapeMessage,
  escapeText,
  isUuid,
  jsonText,
  problemsOf,
} from "../../../provider/src/messages/text";

describe("external text", () => {
  const cases: [what: string, text: string, escaped: string][] = [
    ["an escape sequence", "a\u001b[31mb", "a\\u{1b}[31mb"],
    ["a line break", "one\ntwo\r\n", "one\\ntwo\\r\\n"],
    ["a tab", "a\tb", "a\\tb"],
    ["a C1 control character", "a\u009bb", "a\\u{9b}b"],
    ["a bidirectional control", "abc\u202ecba", "abc\\u{202e}cba"],
    ["a zero-width character", "a\u200bb", "a\\u{200b}b"],
    ["a line separator", "a\u2028b", "a\\u{2028}b"],
    ["a lone surrogate", "a\ud800b", "a\\u{d800}b"],
  ];
  for (const [what, text, escaped] of cases) {
    it(`escapes ${what}`, () => {
      assert.equal(escapeText(text), escaped);
    });
  }

  it("keeps letters of other languages", () => {
    assert.equal(escapeText("Grüße 東京"), "Grüße 東京");
  });

  it("is truncated at the limit", () => {
    assert.equal(escapeText("abcdef", 3), "abc…");
    assert.equal(escapeText("abc", 3), "abc");
  });

  it("is not truncated in the middle of a character", () => {
    assert.equal(escapeText("ab😀c", 3), "ab…");
    assert.equal(escapeText("😀bc", 3), "😀b…");
  });

  it("keeps only the line breaks in a whole message", () => {
    assert.equal(escapeMessage("a\rb\nc\u001b[2Kd"), "a\\rb\nc\\u{1b}[2Kd");
  });

  it("contains no control characters after escaping", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.doesNotMatch(escapeText(text), /[\p{Cc}\p{Cf}\p{Cs}]/u);
        assert.doesNotMatch(escapeMessage(text).replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
    );
  });

  it("is escaped in JSON, which is read as the same value", () => {
    const expected = '{\n  "a": "\\u009b\\n\\udb40\\udc01"\n}';
    assert.equal(jsonText({ a: "\u009b\n\u{e0001}" }), expected);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary" })), (texts) => {
        assert.doesNotMatch(jsonText(texts).replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Cs}]/u);
        assert.deepEqual(JSON.parse(jsonText(texts)), texts);
      }),
    );
  });

  it("lists the first five problems of a value", () => {
    const code = "custom" as const;
    const paths = [[], ["a", "b\n"], ["c"], ["d"], ["e"], ["f"], ["g"]];
    const issues = paths.map((path) => ({ code, path, message: "is\r" }));
    const five = "is\\r; a.b\\n: is\\r; c: is\\r; d: is\\r; e: is\\r";
    assert.equal(problemsOf({ issues: issues.slice(0, 5) }), five);
    assert.equal(problemsOf({ issues }), `${five}; and 2 more`);
  });
});

describe("a UUID", () => {
  it("has five groups of hexadecimal digits in any case, and nothing else", () => {
    const uuid = "a1b2c3d4-2222-4333-8444-555555555555";
    for (const text of [uuid, uuid.toUpperCase(), ` ${uuid}\n`]) assert.ok(isUuid(text), text);
    for (const text of [`a${uuid}`, `${uuid}0`, uuid.slice(1), uuid.replace("a", "g"), ""])
      assert.ok(!isUuid(text), text);
  });
});
