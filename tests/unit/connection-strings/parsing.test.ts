import assert from "node:assert/strict";
import { format, parse } from "../../../connection-strings/src";

/** Texts that are not connection strings, by the code of the error. */
const rejectedTexts = {
  "not-a-connection-string": [
    "",
    "a.b.example:27017",
    " db://a.b.example",
    // An empty user name, a second colon, brackets, and percent-encoding that does not decode.
    "db://:p@a.b.example",
    "db://u:p:q@a.b.example",
    "db://u[:p@a.b.example",
    "db://u:[p]@a.b.example",
    "db://u%zz:p@a.b.example",
    // A password with a character that is not percent-encoded.
    "db://u:p@ss@a.b.example",
    "db://u:1/p@a.b.example",
    "db://u:1/p?q@a.b.example",
    "db://u:1?p=q@a.b.example",
    "db://u:1/p?x=1&q@a.b.example",
    // White space, invisible characters, and fragments.
    "db://u: p@a",
    "db://a\u200bb",
    "db://\ud800.example",
    "db://a#x",
    "db://a/?x=b#c",
  ],
  "invalid-host": [
    "db://",
    "db://u:p/q",
    "db://[::1",
    `db://${"a".repeat(64)}.example`,
    `db://${"a.".repeat(127)}example`,
    ...["0", "65536", "", "027017", "1:2"].map((port) => `db://a:${port}`),
    // Drivers accept these: an empty host, and characters that no host name has.
    "db://a,",
    "db://a*b.example",
    "db://bücher.example:27017",
    "db://a%4",
    "db://[::1]x",
    "db://[:::]",
  ],
  "invalid-srv": [
    "DB+SRV://a.b.example:27017",
    "db+srv://a.b,c.b",
    "db+srv://[::1]",
    "db+srv://127.0.0.1",
  ],
} as const;

/** Unusual connection strings. */
const acceptedTexts = [
  "db://u@a.b.example",
  "db://u:@a.b.example",
  "db://u:%25%C3%A9@a.b.example",
  "db://a,[::1]:1",
  "db://a_b.c.",
  "db://a?x=1",
  "db://a/?x=%zz",
  "db://a/a%4",
  "db://a//",
  "db://a/...",
  "db://a/.a",
  `db://${"a".repeat(63)}.example`,
  "db://a:65535",
  "db://a/admin?replicaset=my@replicaset",
  "Db+tls://A.B.Example",
];

describe("parse", () => {
  it("splits a host list into its parts (2.6)", () => {
    assert.deepEqual(parse("db://a.b.example:27017,c.b.example:27018/app?x=1&y=a%20b"), {
      scheme: "db",
      form: "hosts",
      userInfo: undefined,
      hosts: [
        { name: "a.b.example", port: 27017 },
        { name: "c.b.example", port: 27018 },
      ],
      database: "app",
      options: "x=1&y=a%20b",
    });
  });

  it("splits an SRV form into its parts (2.6)", () => {
    assert.deepEqual(parse("db+srv://user:p%40ss@a.b.example/"), {
      scheme: "db+srv",
      form: "srv",
      userInfo: "user:p%40ss",
      hosts: [{ name: "a.b.example", port: undefined }],
      database: "",
      options: undefined,
    });
  });

  for (const [code, texts] of Object.entries(rejectedTexts)) {
    for (const text of texts) {
      it(`rejects ${JSON.stringify(text)} with ${code}`, () => {
        assert.throws(() => parse(text), { name: "ConnectionStringError", code });
      });
    }
  }

  for (const text of acceptedTexts) {
    it(`accepts ${text}`, () => {
      assert.equal(format(parse(text)), text);
    });
  }

  it("never repeats the text in the error message", () => {
    for (const wrong of ["db://user:s3cret@a:99999", "s3cret", "db+srv://s3cret.a:1"]) {
      assert.throws(
        () => parse(wrong),
        (error: Error) => !error.message.includes("s3cret"),
      );
    }
  });
});

describe("format", () => {
  it("rejects parts that would parse as other parts", () => {
    const parsed = parse("db://a.b.example:27017/app?x=1");
    for (const changed of [
      { database: "app?x" },
      { options: "a#b" },
      { hosts: [{ name: "a,b", port: undefined }] },
      { userInfo: "a/b" },
    ]) {
      const code = /^(invalid-part|not-a-connection-string)$/;
      assert.throws(() => format({ ...parsed, ...changed }), { code });
    }
  });
});
