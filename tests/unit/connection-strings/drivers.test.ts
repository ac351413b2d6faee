/** Connection strings with credentials, as the official driver reads them. */
import assert from "node:assert/strict";
import fc from "fast-check";
import { MongoClient } from "mongodb";
import { withCredentials } from "../../../connection-strings/src";
import { disagreement } from "../../drivers/disagreements";
import { askDriver } from "../../drivers/judges";
import { connectionStrings } from "../../drivers/strings";
import { useCleanup } from "../../support/cleanup";
import { readByDriver, sourceWithTxtRecord, userCases } from "../../support/databaseUsers";

const srv = "mongodb+srv://orders.ab1cd.db.example";
const hosts = "mongodb://a.ab1cd.db.example:27017,b.ab1cd.db.example:27017";
const sourced = `${hosts}/?ssl=true&authSource=admin&replicaSet=rs-0`;
const user = { username: "app", password: "p@ss" };

describe("the official driver, given a string from withCredentials", () => {
  for (const { title, mechanism, connectionString, credentials, source } of userCases()) {
    it(`${source === undefined ? "gets no string" : `looks for the user in ${source}`}: ${title}`, () => {
      if (source === undefined) {
        const named = mechanism.includes("SCRAM") || mechanism === "none" ? "" : mechanism;
        const error = { code: "option-conflict", message: new RegExp(`${named}.*authSource`) };
        assert.throws(() => withCredentials(connectionString, credentials), error);
        return;
      }
      const url = withCredentials(connectionString, credentials);
      assert.deepEqual(readByDriver(url), {
        source,
        mechanism: mechanism === "none" ? "DEFAULT" : mechanism,
        database: credentials.database ?? "test",
      });
    });
  }

  it("looks for a user of a directory outside of the database in DNS", async () => {
    const options = { authMechanism: "PLAIN" };
    const url = withCredentials(srv, { ...user, database: "shop", options });
    const record = "authSource=admin&replicaSet=rs-0";
    assert.equal(await sourceWithTxtRecord(url, record), "$external");
    const scram = withCredentials(srv, { ...user, database: "shop" });
    assert.equal(await sourceWithTxtRecord(scram, record), "admin");
  });
});

describe("withCredentials replaces the source in a string", () => {
  const external = sourced.replace("admin", "%24external");
  const x509 = { authMechanism: "MONGODB-X509" };
  const plain = { authMechanism: "PLAIN" };
  const rows: [string: string, credentials: object, expected: string][] = [
    // Only the source changes, in its place.
    [sourced, { options: x509 }, `${external}&authMechanism=MONGODB-X509`],
    [
      sourced,
      { options: { ...x509, authSource: "$external" } },
      `${external}&authMechanism=MONGODB-X509`,
    ],
    [sourced, { options: { ...x509, authSource: null } }, `${external}&authMechanism=MONGODB-X509`],
    [
      sourced,
      { options: { ...x509, authSource: ["$external"] } },
      `${external}&authMechanism=MONGODB-X509`,
    ],
    // The mechanism in the string, in any spelling.
    [`${sourced}&AUTHMECHANISM=mongodb%2Dx509`, {}, `${external}&AUTHMECHANISM=mongodb%2Dx509`],
    // A source in any spelling, and one that stands twice.
    [
      `${srv}/?AUTHSOURCE=%61dmin&authSource=admin&w=1`,
      { options: x509 },
      `${srv}/?authSource=%24external&w=1&authMechanism=MONGODB-X509`,
    ],
    [
      `${srv}/?authSource=`,
      { options: x509 },
      `${srv}/?authSource=%24external&authMechanism=MONGODB-X509`,
    ],
    // Nothing else changes.
    [srv, { options: x509 }, `${srv}/?authMechanism=MONGODB-X509`],
    [
      `${srv}/?AuthSource=$external`,
      { options: x509 },
      `${srv}/?AuthSource=$external&authMechanism=MONGODB-X509`,
    ],
    // PLAIN always names a source.
    [srv, { ...user, options: plain }, `${srv}/?authMechanism=PLAIN&authSource=%24external`],
    [
      sourced,
      { ...user, options: { ...plain, AUTHSOURCE: "ldap" } },
      `${sourced.replace("admin", "ldap")}&authMechanism=PLAIN`,
    ],
    [`${srv}/?authMechanism=plain`, user, `${srv}/?authMechanism=plain&authSource=%24external`],
  ];
  for (const [string, credentials, expected] of rows) {
    it(`for ${JSON.stringify(credentials)} and ${string}`, () => {
      const url = withCredentials(string, credentials);
      assert.equal(url.replace("app:p%40ss@", ""), expected);
      assert.ok(new MongoClient(url));
    });
  }

  it("but not one that the caller passes", () => {
    for (const string of [srv, sourced, `${srv}/?authMechanism=MONGODB-X509`]) {
      for (const authSource of ["admin", "$EXTERNAL", "", ["$external", "admin"]]) {
        assert.throws(() => withCredentials(string, { options: { ...x509, authSource } }), {
          message: /authSource/,
        });
      }
    }
  });
});

describe("the official driver, given random strings", () => {
  const cleanup = useCleanup("test");

  it("agrees with the rules", async () => {
    const strings = fc.sample(connectionStrings, { numRuns: 300, seed: 82 });
    const { verdicts } = await askDriver(cleanup, "node", strings);
    const wrong = strings.map((string, at) => disagreement(string, { node: verdicts[at] ?? {} }));
    assert.deepEqual(
      wrong.filter((problem) => problem !== undefined),
      [],
    );
  });
});
