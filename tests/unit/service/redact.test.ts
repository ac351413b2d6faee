import assert from "node:assert/strict";
import fc from "fast-check";
import { redacted, redactedText, secretsIn } from "../../../provider/src/messages/text";

/** The forms in which a service or a proxy may repeat a secret. */
const forms: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  "in JSON": (secret) => JSON.stringify({ detail: `the key ${secret}.` }),
  "in a URL": encodeURIComponent,
  "in a URL with lower-case escapes": (secret) =>
    encodeURIComponent(secret).replace(/%../g, (escape) => escape.toLowerCase()),
};

/** Secrets of services are UUIDs and tokens. Others have any characters. */
const secretText = fc.oneof(
  fc.uuid(),
  fc
    .string({ unit: "binary", minLength: 4, maxLength: 40 })
    .filter((text) => !/\p{Cs}/u.test(text)),
  fc.base64String({ minLength: 4, maxLength: 400 }),
);

describe("redaction", () => {
  for (const [name, encode] of Object.entries(forms)) {
    it(`leaves out text that contains a secret ${name}`, () => {
      fc.assert(
        fc.property(secretText, (secret) => {
          const text = `You sent "${encode(secret)}", which is wrong.`;
          assert.equal(redacted(text, ["another secret", secret]), redactedText);
        }),
        { numRuns: 200 },
      );
      for (const secret of ["d m0", "k/é+r", 'k3y"\u{1f511}', "a\\b\n"]) {
        const text = redacted(`you sent ${encode(secret)}`, [secret]);
        assert.equal(text, "[redacted: contains the value of a secret setting]");
      }
    });
  }

  it("leaves out text that breaks a secret of 16 or more characters over several lines", () => {
    const inLines = (text: string) => text.replace(/.{7}/gs, "$&\r\n\t ");
    for (const secret of ["0123456789abcdef", "pass phrase of words", "YTpi".repeat(30)]) {
      assert.equal(redacted(`Basic ${inLines(secret)}=`, [secret]), redactedText);
    }
    for (const [secret, text] of [
      ["theservicefails", "After a minute, the service fails."],
      ["to the service", "The requests got othe rservice."],
    ] as const) {
      assert.equal(redacted(text, [secret]), text);
    }
  });

  it("keeps ordinary text, including identifiers, escapes and Base64", () => {
    const details = [
      "No group with ID 64a0c0ffee0000000000a001 exists.",
      'Cannot disable private IP mode: cluster "orders" runs 6.0.9 (request 9f8e7d6c-5b4a-4392-8170-6f5e4d3c2b1a).',
      "https://example.com/docs?ids=%5B%22a%22%5D&lang=de#a=b",
      "The demo cluster keeps no secret: \\u0041 &amp; =3D Basic cmVhbG0=\n\ttry again \u{1f600}%",
    ];
    const secrets = ["2f0d9b3c-7a51-4c3e-9a44-1be0d3a5c6f7", "demo-secret"];
    for (const detail of details) assert.equal(redacted(detail, secrets), detail);
    fc.assert(
      fc.property(fc.uuid(), fc.string({ unit: "grapheme", maxLength: 300 }), (secret, text) => {
        assert.equal(redacted(text, [secret]), text);
      }),
    );
  });

  it("ignores secrets of fewer than four characters", () => {
    assert.equal(redacted("abc", ["abc", ""]), "abc");
  });

  it("finds the secrets in an Authorization header", () => {
    assert.deepEqual(secretsIn("Bearer abc.def"), ["abc.def"]);
    assert.deepEqual(secretsIn("Basic YTpi"), ["YTpi"]);
    assert.deepEqual(secretsIn('Digest username="demo", response="0a1b", nc=1'), ["0a1b"]);
    assert.deepEqual(secretsIn(undefined), []);
    assert.deepEqual(secretsIn('Digest username="Basic abc", response="0a1b"'), ["0a1b"]);
  });
});
