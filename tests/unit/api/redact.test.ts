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
    assert.equal(
      redact(`your request: x${header}`),
      "[redacted: the response repeats credentials]",
    );
  });

  const special = "k\b\f\n\r\t&<>\"'y";
  const entities: Record<string, string> = {
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    '"': "&quot;",
    "'": "&apos;",
  };
  for (const [how, encode] of [
    ["control characters in JSON", (text: string) => JSON.stringify(text).slice(1, -1)],
    [
      "named references of HTML",
      (text: string) => text.replace(/[&<>"']/g, (c) => entities[c] ?? c),
    ],
    [
      "decimal references of HTML",
      (text: string) => text.replace(/[^]/g, (c) => `&#${c.charCodeAt(0)};`),
    ],
  ] as const) {
    it(`redacts a secret with ${how}`, () => {
      assert.equal(redactor([special])(`key ${encode(special)}!`), "key [redacted]!");
    });
  }

  it("redacts a secret with percent-encoded Latin-1", () => {
    assert.equal(redactor(["clé-secrète"])("key cl%E9-secr%E8te!"), "key [redacted]!");
  });

  it("redacts a secret after the highest code point and an invalid one", () => {
    const secretText = `a\u{10ffff}b\ufffdc`;
    assert.equal(redactor([secretText])("key a&#x10ffff;b&#x110000;c!"), "key [redacted]!");
  });

  it("redacts a secret with padding, and the same secret without it", () => {
    for (const padded of ["s=cret==", "a=bc"]) {
      const unpadded = padded.replace(/=+$/, "");
      assert.equal(redactor([padded])(`key ${unpadded}!`), "key [redacted]!");
      assert.equal(redactor([padded])("another key"), "another key");
    }
  });

  it("redacts two secrets in the order of the text, and adjacent ones as one", () => {
    const two = redactor(["first", "second"]);
    assert.equal(two("a second b first c"), "a [redacted] b [redacted] c");
    assert.equal(two("a secondfirst c"), "a [redacted] c");
    assert.equal(redactor(["abcdef", "bcde"])("abcdefg"), "[redacted]g");
  });

  it("does not decode the forms of a secret to fewer than four characters", () => {
    assert.equal(redactor(["%41b"])("Ab, and %41b!"), "Ab, and [redacted]!");
  });

  /** Encodes a text several times. */
  const nested = (count: number, encode: (text: string) => string, text: string) =>
    Array.from({ length: count }).reduce<string>((inner) => encode(inner), text);
  const percent = (text: string) => text.replaceAll("%", "%25");

  it("decodes nine nested encodings, and replaces the whole text if there are more", () => {
    const clean = (layers: number) => `a${nested(layers - 1, percent, "%41")}b`;
    const hidden = (layers: number) => `a${nested(layers - 1, percent, "%73")}3cret`;
    const redactSimple = redactor(["s3cret"]);
    assert.equal(redactSimple(clean(9)), clean(9));
    assert.equal(redactSimple(hidden(9)), "a[redacted]");
    assert.equal(redactSimple(clean(10)), redactedText);
    assert.equal(redactSimple(hidden(10)), redactedText);
    const inBase64 = (text: string) => Buffer.from(text).toString("base64");
    assert.equal(redactSimple(inBase64(clean(9))), inBase64(clean(9)));
    assert.equal(redactSimple(inBase64(clean(10))), redactedText);
  });

  it("decodes three nested layers of Base64", () => {
    const base64 = (text: string) => Buffer.from(`x ${text} y`).toString("base64");
    assert.equal(redact(nested(3, base64, `key=${secret}`)), redactedText);
    const other = nested(5, base64, "no such key");
    assert.equal(redact(other), other);
  });

  it("replaces a text that takes too long to search", () => {
    const text = "QUJDREVG".repeat(40_000);
    assert.equal(redactor(["s3cret"])(text), redactedText);
    const short = "QUJDREVG".repeat(400);
    assert.equal(redactor(["s3cret"])(short), short);
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
    assert.deepEqual(secretsIn('Digest username="Basic abc", response="0a1b"'), ["0a1b"]);
  });
});
