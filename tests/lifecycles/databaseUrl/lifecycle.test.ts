import assert from "node:assert/strict";
import { asSecret } from "../plugin/usePlugin";
import { unknown } from "../providerProcess";
import { useProvider } from "../useProvider";

describe("a DatabaseUrl", () => {
  const { service, provider } = useProvider("databaseUrl");
  afterEach(() => {
    assert.equal(service.requests.length, 0);
  });
  const args = {
    connectionString: "db+srv://orders.ab1cd.db.example",
    username: "app",
    password: "p@ss",
    options: { retryWrites: true },
  };
  const inputs = { ...args, password: asSecret("p@ss") };
  const url = asSecret("db+srv://app:p%40ss@orders.ab1cd.db.example/?retryWrites=true");

  it("returns the string and the password as secrets, even if the program passes plain text", async () => {
    assert.deepEqual(await provider.check(args), { inputs, failures: [] });
    assert.deepEqual(await provider.create(args), { id: "none", outs: { ...inputs, url } });
    assert.deepEqual(await provider.update("none", {}, args), { ...inputs, url });
    const recorded = { ...args, url: url["value"] };
    const read = { id: "none", props: { ...inputs, url }, inputs };
    assert.deepEqual(await provider.read("none", recorded), read);
  });

  it("marks all options as secrets if one of them is", async () => {
    for (const name of [
      "PROXYPASSWORD",
      "tlsCertificateKeyFilePassword",
      "authMechanismProperties",
    ]) {
      const { inputs } = await provider.check({ ...args, options: { [name]: "x", w: 1 } });
      assert.deepEqual(inputs["options"], { [name]: asSecret("x"), w: asSecret(1) });
    }
  });

  it("takes a database, a list as an option, and a user without a name and a password", async () => {
    const { connectionString } = args;
    const urlOf = async (given: object) => {
      const { failures } = await provider.check({ connectionString, ...given });
      assert.deepEqual(failures, []);
      return (await provider.create({ connectionString, ...given })).outs["url"];
    };
    const role = { authMechanism: "MONGODB-AWS" };
    assert.deepEqual(
      await urlOf({ database: "shop", options: role }),
      asSecret("db+srv://orders.ab1cd.db.example/shop?authMechanism=MONGODB-AWS"),
    );
    const options = { readPreferenceTags: ["a:b", ""] };
    assert.deepEqual(
      await urlOf({ username: "app", password: "x", options }),
      asSecret(
        "db+srv://app:x@orders.ab1cd.db.example/?readPreferenceTags=a:b&readPreferenceTags=",
      ),
    );
  });

  it("changes with its arguments, and never replaces the resource", async () => {
    const olds = { ...args, url: "recorded" };
    const diff = (news: object) => provider.diff("none", olds, { ...args, ...news });
    assert.deepEqual(await diff({}), { changes: false, replaces: [] });
    assert.deepEqual(await diff({ password: "other" }), { changes: true, replaces: [] });
    assert.deepEqual(await diff({ options: {} }), { changes: true, replaces: [] });
    assert.deepEqual(await diff({ database: "shop" }), { changes: true, replaces: [] });
    assert.deepEqual(await diff({ username: unknown }), { changes: true, replaces: [] });
  });

  it("fails without any part of a password, and names no property, because the engine prints its value", async () => {
    const withCredentials = "db+srv://app:hunter2@orders.ab1cd.db.example";
    const { password, ...withoutPassword } = args;
    for (const [given, message] of [
      [{ ...args, connectionString: withCredentials }, /without credentials/],
      // The preview would show the string if it were refused only when the user is known.
      [{ connectionString: withCredentials, username: unknown }, /without credentials/],
      [{ ...withoutPassword, pasword: password }, /did you mean password\?/],
      [
        withoutPassword,
        /the password is missing or empty\. Pass the password of the database user/,
      ],
      [
        { ...args, connectionString: "db://a.db.example/?replicaSet=rs/hunter2" },
        /follows the options .* pass the argument database/,
      ],
      [{ ...args, username: "" }, /^username must be the name of a database user, not empty/],
      [{ ...args, password: null }, /the password is missing/],
      [
        { ...args, options: { proxyPassword: { a: "hunter2" } } },
        /^options\.proxyPassword must be/,
      ],
    ] as const) {
      const [failure] = (await provider.check(given)).failures;
      assert.match(failure?.reason ?? "", message);
      assert.equal(failure?.property, "");
      assert.doesNotMatch(failure.reason, /hunter2|p@ss/);
    }
  });

  it("cannot be imported, or read by its ID", async () => {
    await assert.rejects(
      provider.read("none", {}),
      /cannot be imported, or read by its ID\. Declare/,
    );
  });
});
