import assert from "node:assert/strict";
import fc from "fast-check";
import { redactedText, redactor, secretsIn } from "../../../provider/src/service/redact";

/** The forms in which a service or a proxy may repeat a secret. */
const forms: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  "a URL": encodeURIComponent,
  "a form": (secret) => new URLSearchParams({ secret }).toString(),
  "a URL with needless escapes": (secret) =>
    Buffer.from(secret).toString("hex").replace(/../g, "%$&"),
  Base64: (secret) => Buffer.from(secret).toString("base64"),
  "Base64 of a form": (secret) => Buffer.from(`key=${secret}&n=1`).toString("base64"),
  "Base64 of a header": (secret) => Buffer.from(`Key: ${secret}\r\n`).toString("base64"),
  "Base64 for URLs": (secret) => Buffer.from(`?${secret}`).toString("base64url"),
  "Base64 in a URL": (secret) => encodeURIComponent(Buffer.from(secret).toString("base64")),
  hexadecimal: (secret) => Buffer.from(`:${secret}`).toString("hex"),
  "upper-case hexadecimal": (secret) => Buffer.from(secret).toString("hex").toUpperCase(),
};

/** Secrets of services are UUIDs and tokens. Others have any characters. */
const secretText = fc.oneof(
  fc.uuid(),
  fc.string({ unit: "binary", minLength: 8, maxLength: 40 }),
  fc.base64String({ minLength: 8, maxLength: 400 }),
);

describe("the redactor", () => {
  for (const [name, encode] of Object.entries(forms)) {
    it(`leaves out text that contains eight characters of a secret as ${name}`, () => {
      fc.assert(
        fc.property(secretText, fc.nat(), fc.nat(), (secret, from, to) => {
          const start = from % (secret.length - 7);
          const part = secret.slice(start, start + 8 + (to % (secret.length - start - 7)));
          fc.pre(!/\p{Cs}/u.test(part));
          const text = `You sent "${encode(part)}", which is wrong.`;
          assert.equal(redactor(["another secret", secret])(text), redactedText);
        }),
        { numRuns: 200 },
      );
    });

    it(`leaves out text that contains a secret of four to seven characters as ${name}`, () => {
      for (const secret of ["d m0", "k/é+r", 'k3y"\u{1f511}']) {
        const redacted = redactor([secret])(`you sent ${encode(secret)}`);
        assert.equal(redacted, "[redacted: may contain credentials]");
      }
    });
  }

  it("keeps ordinary text, including identifiers, escapes and Base64", () => {
    const details = [
      "No group with ID 64a0c0ffee0000000000a001 exists.",
      'Cannot disable private IP mode: cluster "orders" runs 6.0.9 (request 9f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a).',
      "https://example.com/docs?ids=%5B%22a%22%5D&lang=de#a=b",
      "The demo cluster keeps no secret: \\u0041 &amp; =3D Basic cmVhbG0=\n\ttry again \u{1f600}%",
    ];
    const redact = redactor(["2f0d9b3c-7a51-4c3e-9a44-1be0d3a5c6f7", "demo-secret"]);
    for (const detail of details) assert.equal(redact(detail), detail);
    fc.assert(
      fc.property(fc.uuid(), fc.string({ unit: "grapheme", maxLength: 300 }), (secret, text) => {
        assert.equal(redactor([secret])(text), text);
      }),
    );
  });

  it("ignores parts of a secret of fewer than eight characters, and secrets of fewer than four", () => {
    assert.equal(redactor(["k3y-w0rd", "abc"])("k3y-w0r abc"), "k3y-w0r abc");
  });

  it("searches 64 KB for 20 long tokens within 5 s", () => {
    const tokens = Array.from({ length: 20 }, (_, at) => `${at}.${"tQ4/x9Lb+2".repeat(800)}`);
    const text = "%25".repeat(22_000);
    const start = performance.now();
    assert.equal(redactor(tokens)(text), text);
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
