import assert from "node:assert/strict";
import { format, parse } from "../../../connection-strings/src";
import { thrownCode } from "./thrownCode";

/** Texts that are not connection strings, by the code of the error. */
const rejectedTexts = {
  "not-a-connection-string": [
    "",
    "db",
    "db:",
    "db:/",
    "a.b.example:27017",
    "db:\\\\a.b.example",
    " db://a.b.example",
    // Empty user names, a second colon, brackets, and percent-encoding that does not decode.
    "db://@a.b.example",
    "db://:@a.b.example",
    "db://:p@a.b.example",
    "db://u:p:q@a.b.example",
    "db://u[:p@a.b.example",
    "db://u:[p]@a.b.example",
    "db://u:p@ss@a.b.example",
    "db://u:p%4@a.b.example",
    "db://u:p%zz@a.b.example",
    "db://u%zz:p@a.b.example",
    "db://u:%@a.b.example",
    "db://u:%ff@a.b.example",
    "db://u:%ED%A0%80@a.b.example",
    // A password with a slash or question mark that is not percent-encoded.
    "db://u:1/p@a.b.example",
    "db://u:1?p@a.b.example",
    "db://u:1/p?q@a.b.example",
    "db://u:1?p=q@a.b.example",
    // Drivers drop these databases.
    ...["/.", "/..", "/%2e", "/.%2E?x=1", "/a/.."].map((path) => `db://a.b.example${path}`),
  ],
  "invalid-host": [
    "db://",
    "db:///app",
    "db://:27017",
    "db://u:p/q",
    "db://[::1",
    `db://${"a".repeat(64)}.example`,
    `db://${"a.".repeat(127)}example`,
  ],
  "invalid-srv": [
    "db+srv://a.b.example:27017",
    "DB+SRV://a.b.example:27017",
    "db+srv://a.b,c.b",
    "db+srv://u:p@a.b.example:27017",
    "db+srv://[::1]",
  ],
} as const;

/** Unusual connection strings. */
const acceptedTexts = [
  "db://u@a.b.example",
  "db://u:@a.b.example",
  "db://u:%25%C3%A9@a.b.example",
  "db://u:é@a",
  "db://xn--bcher-kva.example",
  "db://a,[::1]:1",
  "db://127.0.0.1",
  "db://a_b.c.",
  "db://a?x=1",
  "db://a/?",
  "db://a/?&",
  "db://a/?x",
  "db://a/?x=%zz",
  "db://a/a%4",
  "db://a//",
  "db://a/...",
  "db://a/.a",
  `db://${"a".repeat(63)}.example`,
  "db://a:65535",
  "db://a/admin?replicaset=my@replicaset",
  "db+srv://u:p@a.b.example/?x=1&y=z@z&w=@",
  "http://a.b.example",
  "Db://A.B.Example",
  "db+tls://a.b.example",
];

/** Texts that mongodb-connection-string-url accepts, but that this package rejects on purpose. */
const deliberateDifferences = [
  // An empty host, no port, and characters that no host name has.
  "db://a,",
  "db://,a",
  "db://a,,b",
  ...["0", "65536", "", "abc", "-1", "027017", "1:2"].map((port) => `db://a:${port}`),
  ...Array.from("*!$;'\"<>\\|{}`。").map((character) => `db://a${character}b.example`),
  // Names in Unicode, and paths of sockets.
  "db://bücher.example:27017",
  "db+srv://bücher.example",
  "db://%2Ftmp%2Fdb-27017.sock",
  // Malformed percent-encoding, no IPv6 address, and an address, which has no SRV record.
  "db://a%4",
  "db://a%zz",
  "db+srv://127.0.0.1",
  ...["[::1]x", "[zz]", "[:::]", "[fe80::1%25eth0]"].map((host) => `db://${host}`),
  // White space, control and invisible characters, and lone surrogates.
  "db://a b",
  "db://u: p@a",
  "db://a/b c",
  "db://a/?x=b c",
  "db://a ",
  "db://a\n",
  "db://a\0b",
  "db://a\x1b[31m",
  "db://u:\x07@a",
  "db://a/\x1b",
  "db://a/?x=\x9b",
  "db://a\u200bb",
  "db://a\u00adb",
  "db://a/\u202e",
  "db://a/?x=\ufeff",
  "db://\ud800.example",
  // A fragment.
  "db://a#x",
  "db://a/#x",
  "db://a/?x=b#c",
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
        assert.equal(
          thrownCode(() => parse(text)),
          code,
        );
      });
    }
  }

  for (const text of acceptedTexts) {
    it(`accepts ${text}`, () => {
      assert.equal(format(parse(text)), text);
    });
  }

  for (const text of deliberateDifferences) {
    it(`rejects ${JSON.stringify(text)}, which mongodb-connection-string-url accepts`, () => {
      assert.throws(() => parse(text));
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
  const parsed = parse("db://a.b.example:27017/app?x=1");
  for (const [what, changed] of [
    ["a database that would parse as options", { database: "app?x" }],
    ["options that would parse as a fragment", { options: "a#b" }],
    ["a host that would parse as two", { hosts: [{ name: "a,b", port: undefined }] }],
    ["user info that would parse as hosts", { userInfo: "a/b" }],
  ] as const) {
    it(`rejects ${what}`, () => {
      assert.match(
        thrownCode(() => format({ ...parsed, ...changed })),
        /^(invalid-part|not-a-connection-string)$/,
      );
    });
  }
});
