import assert from "node:assert/strict";
import { parse, withCredentials } from "../../../connection-strings/src";
import { thrownCode } from "./thrownCode";

const hosts = "db://a.b.example:27017,c.b.example:27018/app?replicaSet=x1y2z3-shard-0";
const srv = "db+srv://orders.ab1cd.db.example";
const credentials = { username: "app", password: "s3cret" };

describe("withCredentials", () => {
  it("keeps the form, hosts, ports, database and options unchanged", () => {
    for (const uri of [hosts, srv])
      assert.equal(withCredentials(uri, credentials), uri.replace("://", "://app:s3cret@"));
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

  it("repeats an option for each value of a list", () => {
    const options = { readPreferenceTags: ["nodeType:ANALYTICS", ""], w: ["majority"], x: [] };
    assert.equal(
      withCredentials(srv, { ...credentials, options }),
      "db+srv://app:s3cret@orders.ab1cd.db.example/?readPreferenceTags=nodeType:ANALYTICS&readPreferenceTags=&w=majority",
    );
  });

  it("rejects other values for an option that the string contains several times", () => {
    const uri = `${srv}/?readPreferenceTags=dc:ny&readPreferenceTags=`;
    assert.equal(withCredentials(uri, credentials), uri.replace("://", "://app:s3cret@"));
    const same = { ...credentials, options: { readPreferenceTags: ["dc:ny", ""] } };
    assert.equal(withCredentials(uri, same), withCredentials(uri, credentials));
    for (const readPreferenceTags of ["dc:ny", "", "dc:la", ["", "dc:ny"], ["dc:ny"]]) {
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

  it("rejects options that are not text, numbers, booleans or lists, such as those of a configuration", () => {
    for (const json of [
      '{ "readPreferenceTags": ["dc:ny", null] }',
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

  const app = { username: "app", password: "x" };
  const hostList = "db://a.ab1cd.db.example:27017,b.ab1cd.db.example:27017";
  for (const [uri, database, expected] of [
    [srv, "shop", "db+srv://app:x@orders.ab1cd.db.example/shop"],
    [`${srv}/`, "my shop/1", "db+srv://app:x@orders.ab1cd.db.example/my%20shop%2F1"],
    [`${srv}?w=1`, "shop", "db+srv://app:x@orders.ab1cd.db.example/shop?w=1"],
    [`${srv}/my%20shop?w=1`, "my shop", "db+srv://app:x@orders.ab1cd.db.example/my%20shop?w=1"],
    [
      `${hostList}/?ssl=true&authSource=admin&replicaSet=rs-0`,
      "shop",
      "db://app:x@a.ab1cd.db.example:27017,b.ab1cd.db.example:27017/shop?ssl=true&authSource=admin&replicaSet=rs-0",
    ],
  ] as const) {
    it(`adds the database ${database} to ${uri}`, () => {
      assert.equal(withCredentials(uri, { ...app, database }), expected);
    });
  }

  it("rejects another database than that of the string, an empty one, and those that drivers drop", () => {
    const codeFor = (string: string, database: string) =>
      thrownCode(() => withCredentials(string, { ...app, database }));
    assert.equal(codeFor(`${srv}/shop`, "orders"), "option-conflict");
    for (const database of ["", ".", ".."])
      assert.equal(codeFor(srv, database), "invalid-credentials");
  });

  it("adds 100,000 options to 100,000 others without a time that grows with their product", () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `o${index}`);
    const options = Object.fromEntries(names.map((name) => [`added-${name}`, 1]));
    const url = withCredentials(`${srv}/?${names.join("=1&")}=1`, { ...app, options });
    assert.ok(url.endsWith("added-o99999=1"));
  });

  for (const [mechanism, user] of [
    ["MONGODB-X509", {}],
    ["MONGODB-X509", { username: "CN=app,O=acme" }],
    ["mongodb-aws", { username: "AKIA", password: "s3cret" }],
    ["MONGODB-OIDC", {}],
    ["GSSAPI", { username: "app@REALM" }],
  ] as const) {
    it(`adds a user ${JSON.stringify(user)} with ${mechanism}, in the options or in the string`, () => {
      const options = { authMechanism: mechanism, authSource: "$external" };
      const encoded = Object.values(user).map(encodeURIComponent).join(":");
      const userInfo = encoded === "" ? "" : `${encoded}@`;
      const added = `db+srv://${userInfo}orders.ab1cd.db.example/?authMechanism=${mechanism}&authSource=%24external`;
      assert.equal(withCredentials(srv, { ...user, options }), added);
      const uri = `${srv}/?AuthMechanism=${mechanism}`;
      assert.equal(withCredentials(uri, user), uri.replace("://", `://${userInfo}`));
    });
  }

  for (const [mechanism, user] of [
    [undefined, {}],
    [undefined, { username: "app" }],
    ["SCRAM-SHA-256", { username: "app" }],
    ["GSSAPI", {}],
    ["MONGODB-AWS", { password: "s3cret" }],
    ["MONGODB-X509", { username: "" }],
  ] as const) {
    it(`rejects a user ${JSON.stringify(user)} with the mechanism ${String(mechanism)}`, () => {
      const options = { authMechanism: mechanism };
      const code = thrownCode(() => withCredentials(srv, { ...user, options }));
      assert.equal(code, "invalid-credentials");
    });
  }

  it("rejects a path after the options, which a driver would use as a part of the last value", () => {
    for (const options of ["ssl=true&replicaSet=rs-0/shop", "TLS=true/&w=1"]) {
      const call = () => withCredentials(`${hostList}/?${options}`, { ...app, database: "shop" });
      assert.equal(thrownCode(call), "text-after-options", options);
      assert.throws(call, ({ message }: Error) => {
        assert.match(message, /follows the options .* argument database$/);
        return !/rs-0|shop|ab1cd/.test(message);
      });
    }
    for (const options of ["tlsCAFile=/etc/x", "appName=a/b", "other=a/b", "w=1"]) {
      const uri = `${hostList}/?${options}`;
      assert.equal(withCredentials(uri, app), uri.replace("://", "://app:x@"));
    }
  });

  for (const [name, advice] of [
    ["pasword", "did you mean password?"],
    ["Username", "did you mean username?"],
    ["authSource", "pass it in options"],
    ["secret", "expected username, password, database, options"],
  ] as const) {
    it(`rejects the argument ${name}, which does not exist`, () => {
      const call = () => withCredentials(srv, { ...app, [name]: "s3cret" });
      assert.equal(thrownCode(call), "invalid-credentials");
      assert.throws(call, { message: `there is no argument "${name}"; ${advice}` });
    });
  }

  for (const [what, uri, invalid, code] of [
    ["a string with credentials", "db+srv://u:p@a.b.example", {}, "has-credentials"],
    [
      "a string with a password that is not percent-encoded",
      "db://u:p/s3cret@a.b.example",
      {},
      "has-credentials",
    ],
    ["text that is not a connection string", "s3cret", {}, "not-a-connection-string"],
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
