import assert from "node:assert/strict";
import fc from "fast-check";
import { format, parse, withCredentials } from "../../../provider/src/connectionStrings";
import { codeOf, parts } from "./given";

const hosts = "db://a.b.example:27017,c.b.example:27018/app?replicaSet=x1y2z3-shard-0";
const srv = "db+srv://orders.ab1cd.db.example";
const credentials = { username: "app", password: "s3cret" };

describe("withCredentials", () => {
  it("keeps hosts, port, database and options to the letter", () => {
    assert.equal(withCredentials(hosts, credentials), hosts.replace("://", "://app:s3cret@"));
  });

  it("keeps the SRV form", () => {
    assert.equal(withCredentials(srv, credentials), "db+srv://app:s3cret@orders.ab1cd.db.example");
  });

  it("encodes all but the unreserved characters of RFC 3986", () => {
    const all = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at)).join("");
    const { userInfo = "" } = parse(withCredentials(srv, { username: all, password: " é😀" }));
    const [username = "", password] = userInfo.split(":");
    assert.equal(username.replace(/%[0-9A-F]{2}/g, "").replace(/[A-Za-z0-9._~-]/g, ""), "");
    assert.match(username, /^%21%22%23%24%25%26%27%28%29%2A%2B%2C-\.%2F/);
    assert.equal(password, "%20%C3%A9%F0%9F%98%80");
  });

  it("gives back user name and password to whoever decodes them (property)", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(parts, text, text, (given, username, password) => {
        const { userInfo, options, ...rest } = given;
        if (options?.includes("@")) return;
        const uri = format({ ...rest, options, userInfo: undefined });
        const parsed = parse(withCredentials(uri, { username, password }));
        const decoded = parsed.userInfo?.split(":").map(decodeURIComponent);
        assert.deepEqual(decoded, [username, password]);
        assert.equal(format({ ...parsed, userInfo: undefined }), uri);
      }),
      { numRuns: 1000 },
    );
  });

  it("adds options behind those that are there, encoded", () => {
    const options = { retryWrites: true, appName: "a&b=c", w: undefined };
    assert.match(
      withCredentials(hosts, { ...credentials, options }),
      /shard-0&retryWrites=true&appName=a%26b%3Dc$/,
    );
    assert.match(
      withCredentials(srv, { ...credentials, options: { w: 1 } }),
      /db\.example\/\?w=1$/,
    );
    assert.match(
      withCredentials(`${srv}?x=1`, { ...credentials, options: { w: 1 } }),
      /example\?x=1&w=1$/,
    );
  });

  it("leaves an option that is there already, and refuses another value for it", () => {
    const replicaSet = (value: string) => ({ ...credentials, options: { REPLICASET: value } });
    assert.match(
      withCredentials(hosts, replicaSet("x1y2z3-shard-0")),
      /\?replicaSet=x1y2z3-shard-0$/,
    );
    assert.equal(
      codeOf(() => withCredentials(hosts, replicaSet("other"))),
      "option-conflict",
    );
  });

  for (const [what, uri, given, code] of [
    ["a string with credentials", "db+srv://u:p@a.b.example", {}, "has-credentials"],
    ["a string with a user name alone", "db://u@a.b.example", {}, "has-credentials"],
    ["a password that was not encoded", "db://u:p/s3cret@a.b.example", {}, "has-credentials"],
    ["no connection string", "s3cret", {}, "not-a-connection-string"],
    ["an empty user name", srv, { username: "" }, "invalid-credentials"],
    ["an empty password", srv, { password: "" }, "invalid-credentials"],
    ["half of a surrogate pair", srv, { password: "s3cret\ud800" }, "invalid-credentials"],
  ] as const) {
    it(`refuses ${what}, and repeats nothing of it`, () => {
      const work = () => withCredentials(uri, { ...credentials, ...given });
      assert.equal(codeOf(work), code);
      assert.throws(work, (error: Error) => !/s3cret|b\.example/.test(error.message));
    });
  }
});
