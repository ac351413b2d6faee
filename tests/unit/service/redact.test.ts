import assert from "node:assert/strict";
import fc from "fast-check";
import {
  redactNothing,
  redactedText,
  redactor,
  secretsIn,
} from "../../../provider/src/service/redact";

/** Ways in which a service or a proxy may encode repeated text. */
const encodings: Record<string, (text: string) => string> = {
  Base64: (text) => Buffer.from(text).toString("base64"),
  "Base64 for URLs": (text) => Buffer.from(text).toString("base64url"),
  "Base64 of UTF-16": (text) => Buffer.from(text, "utf16le").toString("base64"),
  "lines of 64 columns": (text) => text.replace(/.{64}/g, "$&\n"),
  "lines of 76 columns": (text) => text.replace(/.{76}/g, "$&\r\n"),
  "hexadecimal digits": (text) => Buffer.from(text).toString("hex"),
  "\\x escapes": (text) => eachByte(text, (digits) => `\\x${digits}`),
  "percent escapes": (text) => eachByte(text, (digits) => `%${digits.toUpperCase()}`),
  "percent escapes of a URL": encodeURIComponent,
  "%u escapes": (text) => eachUnit(text, (digits) => `%u${digits}`),
  "quoted-printable": (text) =>
    text
      .replace(/[^ -<>-~]/g, (c) => eachByte(c, (digits) => `=${digits.toUpperCase()}`))
      .replace(/.{30}(?![\dA-F]{1,2})/g, "$&=\r\n"),
  "HTML entities": (text) => text.replace(/[^]/gu, (c) => `&#${c.codePointAt(0) ?? 0};`),
  "hexadecimal HTML entities": (text) => eachUnit(text, (digits) => `&#x${digits};`),
  JSON: (text) => JSON.stringify(text),
  "JSON escapes": (text) => eachUnit(text, (digits) => `\\u${digits}`),
  spaces: (text) => text.replace(/[^]{3}/gu, "$& "),
  "soft hyphens": (text) => text.replace(/[^]{4}/gu, "$&\u00ad"),
  "zero-width characters": (text) => text.replace(/[^]{2}/gu, "$&\u200b"),
  "surrounding text": (text) => `You sent "${text}", which is wrong.`,
};

function eachByte(text: string, encode: (digits: string) => string): string {
  return [...Buffer.from(text).toString("hex").matchAll(/../g)].map(([d]) => encode(d)).join("");
}

function eachUnit(text: string, encode: (digits: string) => string): string {
  return text.replace(/[^]/g, (c) => encode(c.charCodeAt(0).toString(16).padStart(4, "0")));
}

/** Printable characters of ASCII without white space. */
const secretUnit = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
const secretText = fc.string({ unit: secretUnit, minLength: 8, maxLength: 40 });
const encodingNames = fc.array(fc.constantFrom(...Object.keys(encodings)), { maxLength: 4 });

describe("the redactor", () => {
  it("leaves out text that contains eight characters of a secret, in up to four nested encodings", () => {
    fc.assert(
      fc.property(secretText, fc.nat(), fc.nat(), encodingNames, (secret, from, to, names) => {
        const start = from % (secret.length - 7);
        const part = secret.slice(start, start + 8 + (to % (secret.length - start - 7)));
        const text = names.reduce((inner, name) => encodings[name]?.(inner) ?? inner, part);
        const result = redactor([secret])(text);
        if (text.length <= 1000) assert.equal(result, redactedText);
        for (let at = 0; at + 8 <= part.length; at += 1) {
          assert.ok(!result.includes(part.slice(at, at + 8)));
        }
      }),
      // A secret that looks like an escape, in another encoding.
      { numRuns: 1000, examples: [['!"!!%00!!!', 0, 0, ["JSON"]]] },
    );
  });

  for (const text of [
    "zq7wxk2p",
    "Zq7%77Xk2p",
    "Zq7%u0077Xk2p",
    "Zq7\\u0077Xk2p",
    "Zq7\\x77Xk2p",
    "Zq7\\u{77}Xk2p",
    "Zq7&#x77;Xk2p",
    "Zq7&#119;Xk2p",
    "Zq7&amp;#119;Xk2p",
    "Zq7&shy;wXk2p",
    "Zq7=77Xk2p",
    "Zq7\\nwXk2p",
    "Zq7\\twXk2p",
    "Zq7\\wXk2p",
    "Zq7%7=\n7Xk2p",
    "Zq7%7=\\r\\n7Xk2p",
    "Z-q-7-w-X-k-2-p",
    "0x5a, 0x71, 0x37, 0x77, 0x58, 0x6b, 0x32, 0x70",
    "5A:71:37:77:58:6B:32:70",
    "WnE3-d1hr-MnA=",
    "xWn E3d 1hr MnA=",
    "Zq7wXk2p&#x110000;\\u{110000}&#9999999;",
  ]) {
    it(`leaves out ${JSON.stringify(text)} if the secret is Zq7wXk2p`, () => {
      assert.equal(redactor(["Zq7wXk2p"])(text), "[redacted: may contain credentials]");
    });
  }

  it("truncates text to 1,000 characters", () => {
    assert.equal(redactor(["Zq7wXk2p"])(` ${"é".repeat(1000)}`), ` ${"é".repeat(999)}`);
  });

  it("keeps ordinary text, including identifiers, escapes and Base64", () => {
    const details = [
      "No group with ID 64a0c0ffee0000000000a001 exists.",
      'Cannot disable private IP mode: cluster "orders" runs 6.0.9 (request 9f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a).',
      "not a character: &#x110000; \\u{110000} &#9999999;",
      "https://example.com/docs?ids=%5B%22a%22%5D&lang=de#a=b",
      "The demo cluster keeps no secret: \\u0041 &amp; =3D Basic cmVhbG0=\n\ttry again \u{1f600}",
    ];
    const redact = redactor(["2f0d9b3c-7a51-4c3e-9a44-1be0d3a5c6f7", "demo-secret"]);
    for (const detail of details) assert.equal(redact(detail), detail);
    assert.equal(redactNothing("demo-secret"), "demo-secret");
    fc.assert(
      fc.property(fc.uuid(), fc.string({ unit: "grapheme", maxLength: 300 }), (secret, text) => {
        assert.equal(redactor([secret])(text), text);
      }),
    );
  });

  it("replaces only whole occurrences of a secret of fewer than eight characters", () => {
    const redact = redactor(['k"y/é+r', "demo"]);
    assert.equal(redact("The mode of the demo cluster"), "The mode of the [redacted] cluster");
    assert.equal(redact('{"key":"k\\"y/é+r"}'), '{"key":"[redacted]"}');
    assert.equal(redact("?key=k%22y%2F%C3%A9%2Br"), "?key=[redacted]");
    assert.equal(redact("k and y"), "k and y");
    const base64 = Buffer.from('k"y/é+r').toString("base64");
    assert.match(redact(`you sent ${base64}`), /^you sent \[redacted\]=*$/);
  });

  it("ignores secrets of fewer than four characters", () => {
    assert.equal(redactor(["", "abc"])("abc"), "abc");
  });

  it("searches 64 KB of escapes or Base64 within 5 s", () => {
    const redact = redactor(["2f0d9b3c-7a51-4c3e-9a44-1be0d3a5c6f7"]);
    for (const part of ["%25", "\\", "\\u005c", "&amp;", "QUFB", "7f", "=3D", "%", "tQ4/x9Lb+2"]) {
      const start = performance.now();
      redact(part.repeat(Math.ceil(65_536 / part.length)));
      assert.ok(performance.now() - start < 5000, part);
    }
  });

  it("finds the secrets in an Authorization header", () => {
    assert.deepEqual(secretsIn("Bearer abc.def"), ["abc.def"]);
    assert.deepEqual(secretsIn("Basic YTpi"), ["YTpi"]);
    assert.deepEqual(secretsIn('Digest username="demo", response="0a1b", nc=1'), ["0a1b"]);
    assert.deepEqual(secretsIn(undefined), []);
    assert.deepEqual(secretsIn('Digest username="Basic abc", response="0a1b"'), ["0a1b"]);
  });
});
