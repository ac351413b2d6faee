import assert from "node:assert/strict";
import fc from "fast-check";
import { escapeMessage, escapeText } from "../../../provider/src/api/escapeText";

describe("text from outside", () => {
  const cases: [what: string, text: string, shown: string][] = [
    ["an escape sequence", "a\u001b[31mb", "a\\u{1b}[31mb"],
    ["a line break", "one\ntwo\r\n", "one\\ntwo\\r\\n"],
    ["a tab", "a\tb", "a\\tb"],
    ["a C1 control character", "a\u009bb", "a\\u{9b}b"],
    ["a bidirectional control", "abc\u202ecba", "abc\\u{202e}cba"],
    ["a zero-width character", "a\u200bb", "a\\u{200b}b"],
    ["a line separator", "a\u2028b", "a\\u{2028}b"],
    ["a lone surrogate", "a\ud800b", "a\\u{d800}b"],
    ["letters of other languages", "Grüße 東京", "Grüße 東京"],
  ];
  for (const [what, text, shown] of cases) {
    it(`escapes ${what}`, () => {
      assert.equal(escapeText(text), shown);
    });
  }

  it("is cut at its limit", () => {
    assert.equal(escapeText("abcdef", 3), "abc…");
  });

  it("never holds a control character once it is escaped", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        assert.doesNotMatch(escapeText(text), /[\p{Cc}\p{Cf}\p{Cs}]/u);
        assert.doesNotMatch(escapeMessage(text).replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Cs}]/u);
      }),
    );
  });
});
