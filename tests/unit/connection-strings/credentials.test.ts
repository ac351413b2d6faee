import assert from "node:assert/strict";
import { MongoClient } from "mongodb";
import { formatWithCredentials, parse, withCredentials } from "../../../connection-strings/src";

const hosts = "db://a.ab1cd.db.example:27017,b.ab1cd.db.example:27018/?replicaSet=rs-0";
const srv = "db+srv://orders.ab1cd.db.example";
const tagged = `${srv}/?readPreferenceTags=dc:ny&readPreferenceTags=`;
const credentials = { username: "app", password: "s3cret" };

describe("withCredentials", () => {
  it("percent-encodes all characters except the unreserved ones of RFC 3986", () => {
    const all = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join("");
    const { userInfo = "" } = parse(withCredentials(srv, { username: all, password: " é😀" }));
    const [username = "", password] = userInfo.split(":");
    assert.equal(username.replace(/%[0-9A-F]{2}/g, "").replace(/[A-Za-z0-9._~-]/g, ""), "");
    assert.match(username, /^%21%22%23%24%25%26%27%28%29%2A%2B%2C-\.%2F/);
    assert.equal(password, "%20%C3%A9%F0%9F%98%80");
  });

  const added: [string: string, given: object, expected: string][] = [
    [srv, {}, srv],
    // Options follow the existing ones, percent-encoded.
    [
      hosts,
      { options: { retryWrites: true, appName: "a&b=c", w: undefined } },
      `${hosts}&retryWrites=true&appName=a%26b%3Dc`,
    ],
    [srv, { options: { w: 1 } }, `${srv}/?w=1`],
    // The Go driver requires the slash.
    [`${srv}?x=1`, {}, `${srv}/?x=1`],
    [`${srv}?x=1`, { options: { w: 1 } }, `${srv}/?x=1&w=1`],
    ["db://a.example:1, b.example:1", {}, "db://a.example:1,b.example:1"],
    // A file ends with a line break.
    [`${srv}\n`, {}, srv],
    // pymongo splits tags before it decodes them.
    [
      srv,
      { options: { readPreferenceTags: "dc:ny,rack:1 %3A" } },
      `${srv}/?readPreferenceTags=dc:ny,rack:1%20%253A`,
    ],
    [
      srv,
      { options: { readPreferenceTags: ["dc:ny", ""], w: ["majority"], x: [] } },
      `${tagged}&w=majority`,
    ],
    // Options that exist with the same value.
    [hosts, { options: { REPLICASET: "rs-0" } }, hosts],
    [srv, { options: { ssl: true, tls: true } }, `${srv}/?ssl=true`],
    [tagged, { options: { readPreferenceTags: ["dc:ny", ""] } }, tagged],
    [`${srv}/?a%zz=%e0`, { options: { "A%ZZ": "%e0", w: 1 } }, `${srv}/?a%zz=%e0&w=1`],
    // Values that may contain a slash.
    ...["tlsCAFile=/etc/x", "appName=a/b", "other=a/b"].map((option): (typeof added)[number] => [
      `${srv}/?${option}`,
      {},
      `${srv}/?${option}`,
    ]),
    [hosts, { database: "shop" }, hosts.replace("/?", "/shop?")],
    [`${srv}/`, { database: "my&shop" }, `${srv}/my%26shop`],
    [`${srv}?w=1`, { database: "shop" }, `${srv}/shop?w=1`],
    [`${srv}/my%26shop?w=1`, { database: "my&shop" }, `${srv}/my%26shop?w=1`],
    // Drivers refuse a scheme in capitals. Everything else keeps its case.
    ["DB+SRV://Orders.ab1cd.db.example/Shop", {}, "db+srv://Orders.ab1cd.db.example/Shop"],
    [hosts.replace("db:", "Db:"), {}, hosts],
  ];
  for (const [string, given, expected] of added) {
    it(`adds credentials and ${JSON.stringify(given)} to ${string}`, () => {
      const url = withCredentials(string, { ...credentials, ...given });
      assert.equal(url, expected.replace("://", "://app:s3cret@"));
    });
  }

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
      const url = `db+srv://${userInfo}orders.ab1cd.db.example/?authMechanism=${mechanism}&authSource=%24external`;
      assert.equal(withCredentials(srv, { ...user, options }), url);
      const uri = `${srv}/?AuthMechanism=${mechanism}`;
      assert.equal(withCredentials(uri, user), uri.replace("://", `://${userInfo}`));
    });
  }

  it("takes null for a user that a mechanism does not need, as programs in JavaScript can pass it", () => {
    const given = { username: null, password: null, database: null, options: null };
    const string = `${srv}/?authMechanism=MONGODB-AWS`;
    assert.equal(Reflect.apply(withCredentials, undefined, [string, given]), string);
  });

  it("treats tls and ssl as one option", () => {
    const withOptions = (uri: string, options: Record<string, boolean>) =>
      withCredentials(uri, { ...credentials, options });
    for (const existing of ["tls=true", "SSL=true", "tls=true&ssl=true"]) {
      const uri = `${srv}/?${existing}`;
      for (const name of ["ssl", "Tls"]) {
        assert.equal(withOptions(uri, { [name]: true }), withCredentials(uri, credentials));
        assert.throws(() => withOptions(uri, { [name]: false }), /tls \(alias: ssl\)/);
      }
    }
  });

  it("adds 100,000 options to 100,000 others without a time that grows with their product", () => {
    const names = Array.from({ length: 100_000 }, (_, index) => `o${index}`);
    const options = Object.fromEntries(names.map((name) => [`added-${name}`, 1]));
    const url = withCredentials(`${srv}/?${names.join("=1&")}=1`, { ...credentials, options });
    assert.ok(url.endsWith("added-o99999=1"));
  });

  const noUser = { username: undefined, password: undefined };
  const rejected: Record<string, [string: string, given: object][]> = {
    "not-a-connection-string": [["s3cret", {}]],
    "has-credentials": [
      ["db+srv://u:p@ab1cd.example", {}],
      ["db://u:p/s3cret@ab1cd.example", {}],
    ],
    "invalid-credentials": [
      [srv, { password: "" }],
      [srv, { password: "s3cret\ud800" }],
      // Other mechanisms need a user name or a password.
      [srv, noUser],
      [srv, { password: undefined }],
      [srv, { password: undefined, options: { authMechanism: "SCRAM-SHA-256" } }],
      [srv, { ...noUser, options: { authMechanism: "GSSAPI" } }],
      [srv, { username: undefined, options: { authMechanism: "MONGODB-AWS" } }],
      [srv, { username: "", password: undefined, options: { authMechanism: "MONGODB-X509" } }],
      // Options of a configuration may have any type.
      [srv, { options: { readPreferenceTags: ["dc:ny", null] } }],
      [srv, { options: { authMechanismProperties: { SERVICE_NAME: "x" } } }],
      [srv, { options: "w=majority" }],
      [srv, { options: ["w=majority"] }],
      [srv, { database: "" }],
    ],
    "invalid-database": [
      ...[".", ".."].map((database): [string, object] => [srv, { database }]),
      [`${srv}/a%20b`, {}],
    ],
    // An empty tag set means any member.
    "option-value": [
      [srv, { options: { appName: "" } }],
      [srv, { options: { w: 1, replicaSet: "" } }],
      [srv, { options: { readPreference: "nearest", readPreferenceTags: ["dc"] } }],
    ],
    "option-conflict": [
      [hosts, { options: { REPLICASET: "other" } }],
      [srv, { options: { ssl: true, tls: false } }],
      ...["dc:ny", "", ["", "dc:ny"], ["dc:ny"]].map((readPreferenceTags): [string, object] => [
        tagged,
        { options: { readPreferenceTags } },
      ]),
      [`${srv}/shop`, { database: "orders" }],
    ],
    // A driver would use the text as a part of the last value.
    "text-after-options": [
      [`${hosts}/shop`, {}],
      [`${srv}/?TLS=true/&w=1`, {}],
    ],
  };
  for (const [code, rows] of Object.entries(rejected)) {
    for (const [string, given] of rows) {
      it(`rejects ${JSON.stringify(given)} for ${string} with ${code}, without repeating them`, () => {
        const call = () => withCredentials(string, { ...credentials, ...given });
        assert.throws(call, { name: "ConnectionStringError", code });
        assert.throws(call, ({ message }: Error) => !/s3cret|ab1cd|rs-0|shop/.test(message));
      });
    }
  }

  for (const [name, argument] of [
    ["password", "password"],
    ["PWD", "password"],
    ["Username", "username"],
    ["user", "username"],
  ] as const) {
    it(`rejects the option ${name}, as the official driver does, unless it has no value`, () => {
      assert.throws(() => new MongoClient(`mongodb://h/?${name}=x`), /is not supported/);
      for (const value of ["s3cret", "", ["s3cret"], [], { s3cret: 1 }]) {
        const options = { [name]: value };
        assert.throws(
          () => Reflect.apply(withCredentials, undefined, [srv, { ...credentials, options }]),
          {
            code: "invalid-credentials",
            message: `no driver knows the option ${name}. Omit it, and pass the argument ${argument}`,
          },
        );
      }
      const omitted = { ...credentials, options: { [name]: undefined } };
      assert.equal(withCredentials(srv, omitted), withCredentials(srv, credentials));
    });
  }

  it("names everything that it refuses, in one message", () => {
    const options = { w: "majority;", retryWrites: "yes" };
    assert.throws(() => withCredentials(srv, { ...credentials, database: "shop/", options }), {
      code: "invalid-database",
      message:
        'the database ends with a slash. Remove it. The name of a database has no / \\ " $, white space or NUL. The value of w ends with a semicolon. Remove it. Drivers refuse the value of retryWrites. Write true or false',
    });
  });

  const names = "MONGODB-X509, MONGODB-AWS";
  for (const [given, message] of [
    [
      undefined,
      'the credentials are missing. Pass an object such as { username: "app", password }',
    ],
    [null, 'the credentials are missing. Pass an object such as { username: "app", password }'],
    [
      { ...credentials, password: 5678 },
      `the password is not text. Pass the password of the database user. Only the authMechanism ${names}, MONGODB-OIDC or GSSAPI needs none`,
    ],
    // The mechanism's name lacks MONGODB-.
    [
      { options: { authMechanism: "X509" } },
      `the username is missing or empty. Pass the name of a database user. Only the authMechanism ${names} or MONGODB-OIDC needs none`,
    ],
    [
      { ...credentials, options: { appName: "" } },
      "the option appName is empty. Omit it, or pass null",
    ],
    [
      { ...credentials, options: { w: NaN } },
      "the option w is NaN, not a finite number. Pass options such as { retryWrites: true }",
    ],
  ] as const) {
    it(`says: ${message}`, () => {
      const call = () => {
        // Programs in JavaScript can pass anything.
        Reflect.apply(withCredentials, undefined, [srv, given]);
      };
      assert.throws(call, { name: "ConnectionStringError", message });
    });
  }

  for (const [name, advice] of [
    ["pasword", "did you mean password?"],
    ["Username", "did you mean username?"],
    ["authSource", "pass it in options"],
    ["secret", "expected username, password, database, options"],
  ] as const) {
    it(`rejects the argument ${name}, which does not exist`, () => {
      const call = () => withCredentials(srv, { ...credentials, [name]: "s3cret" });
      const message = `there is no argument "${name}"; ${advice}`;
      assert.throws(call, { code: "invalid-credentials", message });
    });
  }
});

describe("formatWithCredentials", () => {
  it("shows a URL as withCredentials makes it, whatever is wrong with it", () => {
    const options = { authMechanism: "PLAIN", retryWrites: "yes", appName: "" };
    const list = `${hosts.replace("db:", "DB:")}&authSource=admin`;
    const url = formatWithCredentials(list, { username: "[secret]", password: "***", options });
    const shown = `${hosts}&authSource=%24external&authMechanism=PLAIN&retryWrites=yes&appName=`;
    assert.equal(url, shown.replace("://", "://%5Bsecret%5D:%2A%2A%2A@"));
    assert.equal(formatWithCredentials(srv, { username: "app" }), srv.replace("://", "://app@"));
    assert.equal(formatWithCredentials("s3cret", credentials), undefined);
  });
});
