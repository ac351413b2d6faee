import assert from "node:assert/strict";
import { parse, withCredentials } from "../../../connection-strings/src";
import { thrownCode } from "./thrownCode";

const hosts = "db://a.b.example:27017,c.b.example:27018/app?replicaSet=x1y2z3-shard-0";
const srv = "db+srv://orders.ab1cd.db.example";
const credentials = { username: "app", password: "s3cret" };

describe("withCredentials", () => {
  it("keeps hosts, ports, database and options unchanged", () => {
    assert.equal(withCredentials(hosts, credentials), hosts.replace("://", "://app:s3cret@"));
  });

  it("keeps the SRV form", () => {
    assert.equal(withCredentials(srv, credentials), "db+srv://app:s3cret@orders.ab1cd.db.example");
  });

  it("percent-encodes all characters except the unreserved ones of RFC 3986", () => {
    const all = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("");
    const { userInfo = "" } = parse(withCredentials(srv, { username: all, password: " é😀" }));
    const [username = "", password] = userInfo.split(":");
    assert.equal(username.replace(/%[0-9A-F]{2}/g, "").replace(/[A-Za-z0-9._~-]/g, ""), "");
    assert.match(username, /^%21%22%23%24%25%26%27%28%29%2A%2B%2C-\.%2F/);
    assert.equal(password, "%20%C3%A9%F0%9F%98%80");
  });

  it("adds options after the existing ones, percent-encoded", () => {
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

  it("keeps the separators in options, because pymongo splits tags before it decodes them", () => {
    const options = { readPreferenceTags: "dc:ny,rack:1 %3A" };
    assert.match(
      withCredentials(srv, { ...credentials, options }),
      /\?readPreferenceTags=dc:ny,rack:1%20%253A$/,
    );
  });

  it("does not repeat an existing option, and rejects another value for it", () => {
    const replicaSet = (value: string) => ({ ...credentials, options: { REPLICASET: value } });
    assert.match(
      withCredentials(hosts, replicaSet("x1y2z3-shard-0")),
      /\?replicaSet=x1y2z3-shard-0$/,
    );
    assert.equal(
      thrownCode(() => withCredentials(hosts, replicaSet("other"))),
      "option-conflict",
    );
  });

  it("treats tls and ssl as one option", () => {
    const withOptions = (uri: string, options: Record<string, boolean>) =>
      withCredentials(uri, { ...credentials, options });
    for (const existing of ["tls=true", "ssl=true", "SSL=true", "tls=true&ssl=true"]) {
      const uri = `${srv}/?${existing}`;
      for (const name of ["tls", "ssl", "Tls"]) {
        assert.equal(withOptions(uri, { [name]: true }), withCredentials(uri, credentials));
        assert.equal(
          thrownCode(() => withOptions(uri, { [name]: false })),
          "option-conflict",
        );
      }
    }
    assert.match(withOptions(srv, { ssl: true, tls: true }), /\/\?ssl=true$/);
    assert.throws(() => withOptions(srv, { ssl: true, tls: false }), /tls \(alias: ssl\)/);
  });

  it("rejects any value for an option that the string contains several times", () => {
    const uri = `${srv}/?readPreferenceTags=dc:ny&readPreferenceTags=`;
    assert.equal(withCredentials(uri, credentials), uri.replace("://", "://app:s3cret@"));
    for (const readPreferenceTags of ["dc:ny", "", "dc:la"]) {
      assert.equal(
        thrownCode(() => withCredentials(uri, { ...credentials, options: { readPreferenceTags } })),
        "option-conflict",
      );
    }
  });

  it("keeps existing options with invalid encoding", () => {
    const uri = `${srv}/?a%zz=%e0`;
    assert.match(withCredentials(uri, { ...credentials, options: { w: 1 } }), /\?a%zz=%e0&w=1$/);
    assert.match(
      withCredentials(uri, { ...credentials, options: { "A%ZZ": "%e0" } }),
      /\?a%zz=%e0$/,
    );
  });

  it("rejects options that are not text, numbers or booleans, such as those of a configuration", () => {
    for (const json of [
      '{ "readPreferenceTags": ["dc:ny", ""] }',
      '{ "authMechanismProperties": { "SERVICE_NAME": "x" } }',
      '"w=majority"',
      '["w=majority"]',
    ]) {
      const options = JSON.parse(json) as Record<string, string>;
      assert.equal(
        thrownCode(() => withCredentials(srv, { ...credentials, options })),
        "invalid-credentials",
      );
    }
  });

  for (const [what, uri, invalid, code] of [
    ["a string with credentials", "db+srv://u:p@a.b.example", {}, "has-credentials"],
    ["a string with a user name but no password", "db://u@a.b.example", {}, "has-credentials"],
    [
      "a string with a password that is not percent-encoded",
      "db://u:p/s3cret@a.b.example",
      {},
      "has-credentials",
    ],
    ["text that is not a connection string", "s3cret", {}, "not-a-connection-string"],
    ["an empty user name", srv, { username: "" }, "invalid-credentials"],
    ["an empty password", srv, { password: "" }, "invalid-credentials"],
    ["a password with a lone surrogate", srv, { password: "s3cret\ud800" }, "invalid-credentials"],
  ] as const) {
    it(`rejects ${what} without repeating it in the message`, () => {
      const call = () => withCredentials(uri, { ...credentials, ...invalid });
      assert.equal(thrownCode(call), code);
      assert.throws(call, (error: Error) => !/s3cret|b\.example/.test(error.message));
    });
  }
});
