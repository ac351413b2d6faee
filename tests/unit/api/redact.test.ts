import assert from "node:assert/strict";
import fc from "fast-check";
import { redactor, secretsIn, wholeMask } from "../../../provider/src/api/redact";

const secret = 'p4ss "w/é+r\\d';
const redact = redactor([secret]);

/** Encodings that a service or a proxy applies to what it repeats. */
const encodings: Record<string, (text: string) => string> = {
  "as it is": (text) => text,
  "in JSON": (text) => JSON.stringify(text).slice(1, -1),
  "in JSON with every character escaped": (text) =>
    text.replace(/[^]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "in a URL": encodeURIComponent,
  "in a URL with lower-case digits": (text) =>
    encodeURIComponent(text).replace(/%../g, (digits) => digits.toLowerCase()),
  "in a form": (text) => new URLSearchParams({ a: text }).toString().slice(2),
  "in HTML": (text) => text.replace(/[^]/g, (c) => `&#x${c.charCodeAt(0).toString(16)};`),
  "in Base64": (text) => Buffer.from(text).toString("base64"),
  "in Base64 for URLs": (text) => Buffer.from(text).toString("base64url"),
};

describe("the redactor", () => {
  for (const [how, encode] of Object.entries(encodings)) {
    it(`masks a secret ${how}, and leaves the text around it`, () => {
      const shown = redact(`you sent demo:${encode(secret)}, sorry`);
      assert.match(shown, /^you sent demo:\[redacted\]=*, sorry$/);
    });
  }

  it("masks a secret in any two encodings on top of each other, or replaces the text", () => {
    for (const [inner, encodeInner] of Object.entries(encodings)) {
      for (const [outer, encode] of Object.entries(encodings)) {
        const shown = redact(`you sent ${encode(encodeInner(secret))}, sorry`);
        assert.match(shown, /\[redacted/, `${inner}, then ${outer}`);
      }
    }
  });

  it("replaces the whole text where Base64 holds a secret among other things", () => {
    const header = Buffer.from(`Authorization: demo:${secret} and more`).toString("base64");
    assert.equal(redact(`your request: x${header}`), wholeMask);
  });

  it("masks a secret in upper and lower case", () => {
    assert.equal(redactor(["Abc-Def"])("https://abc-def.example"), "https://[redacted].example");
  });

  it("masks every occurrence, also where two overlap", () => {
    assert.equal(redactor(["abab"])("ababab abab"), "[redacted] [redacted]");
    assert.equal(redactor(["abcd", "cdef"])("abcdef!"), "[redacted]!");
  });

  it("leaves other text as it is, escapes and Base64 included", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('ab %2541\\u0"&#;+/=\n')) }),
        (text) => {
          assert.equal(redactor(["no such secret"])(text), text);
        },
      ),
    );
  });

  it("ignores secrets of under four characters", () => {
    assert.equal(redactor(["", "abc"])("abc"), "abc");
  });

  it("takes linear time for 64 KB of escapes", () => {
    const begun = performance.now();
    for (const part of ["%25", "\\", "\\u005c", "&amp;", "QUFB", "a", "%"]) {
      redact(part.repeat(Math.ceil(65_536 / part.length)));
    }
    assert.ok(performance.now() - begun < 5000);
  });

  it("finds what a request carries in its Authorization header", () => {
    assert.deepEqual(secretsIn("Bearer abc.def"), ["abc.def"]);
    assert.deepEqual(secretsIn("Basic YTpi"), ["YTpi"]);
    assert.deepEqual(secretsIn('Digest username="demo", response="0a1b", nc=1'), ["0a1b"]);
    assert.deepEqual(secretsIn(undefined), []);
  });
});
