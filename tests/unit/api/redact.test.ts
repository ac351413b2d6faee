import assert from "node:assert/strict";
import fc from "fast-check";
import { redactor, secretsIn, redactedText } from "../../../provider/src/api/redact";

const secret = 'p4ss "w/é+r\\d';
const redact = redactor([secret]);

/** Encodings in which a service or a proxy may repeat a secret. */
const encodings: Record<string, (text: string) => string> = {
  "without encoding": (text) => text,
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
    it(`redacts a secret ${how}, and keeps the text around it`, () => {
      const redacted = redact(`you sent demo:${encode(secret)}, sorry`);
      assert.match(redacted, /^you sent demo:\[redacted\]=*, sorry$/);
    });
  }

  it("redacts a secret in two nested encodings, or the whole text", () => {
    for (const [inner, encodeInner] of Object.entries(encodings)) {
      for (const [outer, encode] of Object.entries(encodings)) {
        const redacted = redact(`you sent ${encode(encodeInner(secret))}, sorry`);
        assert.match(redacted, /\[redacted/, `${inner}, then ${outer}`);
      }
    }
  });

  it("redacts a secret that looks encoded itself, in every encoding", () => {
    const encoded = 'a"7f%41&amp;\\u0042-key';
    for (const [how, encode] of Object.entries(encodings)) {
      const redacted = redactor([encoded])(`you sent demo:${encode(encoded)}, sorry`);
      assert.match(redacted, /^you sent demo:\[redacted\]=*, sorry$/, how);
    }
  });

  it("replaces the whole text when Base64 contains a secret among other text", () => {
    const header = Buffer.from(`Authorization: demo:${secret} and more`).toString("base64");
    assert.equal(redact(`your request: x${header}`), redactedText);
  });

  it("redacts a secret in upper and lower case", () => {
    assert.equal(redactor(["Abc-Def"])("https://abc-def.example"), "https://[redacted].example");
  });

  it("redacts every occurrence, including overlapping ones", () => {
    assert.equal(redactor(["abab"])("ababab abab"), "[redacted] [redacted]");
    assert.equal(redactor(["abcd", "cdef"])("abcdef!"), "[redacted]!");
  });

  it("keeps other text, including escapes and Base64", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('ab %2541\\u0"&#;+/=\n')) }),
        (text) => {
          assert.equal(redactor(["no such secret"])(text), text);
        },
      ),
    );
  });

  it("ignores secrets of fewer than four characters", () => {
    assert.equal(redactor(["", "abc"])("abc"), "abc");
  });

  it("takes linear time for 64 KB of escapes", () => {
    const start = performance.now();
    for (const part of ["%25", "\\", "\\u005c", "&amp;", "QUFB", "a", "%"]) {
      redact(part.repeat(Math.ceil(65_536 / part.length)));
    }
    assert.ok(performance.now() - start < 5000);
  });

  it("finds the secrets in an Authorization header", () => {
    assert.deepEqual(secretsIn("Bearer abc.def"), ["abc.def"]);
    assert.deepEqual(secretsIn("Basic YTpi"), ["YTpi"]);
    assert.deepEqual(secretsIn('Digest username="demo", response="0a1b", nc=1'), ["0a1b"]);
    assert.deepEqual(secretsIn(undefined), []);
  });
});
