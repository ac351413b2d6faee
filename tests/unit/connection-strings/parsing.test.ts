import assert from "node:assert/strict";
import fc from "fast-check";
import { format, parse } from "../../../connection-strings/src";
import { arbitraryParts } from "./arbitraryParts";
import { thrownCode } from "./thrownCode";

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

  for (const [what, text, code] of [
    ["no scheme", "a.b.example:27017", "not-a-connection-string"],
    ["empty text", "", "not-a-connection-string"],
    ["a fragment", "db://a.b.example#x", "not-a-connection-string"],
    ["a space", "db://a.b.example /x", "not-a-connection-string"],
    ["an @ that is not percent-encoded", "db://u:p@ss@a.b.example", "not-a-connection-string"],
    ["no host", "db://", "invalid-host"],
    ["an empty host in the list", "db://a,,b", "invalid-host"],
    ["port 0", "db://a:0", "invalid-host"],
    ["port 65536", "db://a:65536", "invalid-host"],
    ["an SRV form with a port (2.6)", "db+srv://a.b.example:27017", "invalid-srv"],
    ["an SRV form with two hosts (2.6)", "db+srv://a.b.example,c.b.example", "invalid-srv"],
  ] as const) {
    it(`rejects ${what}`, () => {
      assert.equal(
        thrownCode(() => parse(text)),
        code,
      );
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
  it("returns exactly the text that was parsed (property)", () => {
    fc.assert(
      fc.property(arbitraryParts, (parts) => {
        const text = format(parts);
        const { form, ...parsedParts } = parse(text);
        assert.deepEqual(parsedParts, parts);
        assert.equal(form, parts.scheme.endsWith("+srv") ? "srv" : "hosts");
        assert.equal(format(parse(text)), text);
      }),
      { numRuns: 2000 },
    );
  });

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
