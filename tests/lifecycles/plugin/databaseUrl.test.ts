import assert from "node:assert/strict";
import { unknown } from "../providerProcess";
import { asSecret, usePlugin } from "./usePlugin";

describe("a DatabaseUrl of the plugin", () => {
  const { service, start } = usePlugin();
  const args = {
    connectionString: "db+srv://orders.ab1cd.db.example",
    username: "app",
    password: "p@ss",
    options: { retryWrites: true },
  };
  const url = asSecret("db+srv://app:p%40ss@orders.ab1cd.db.example/?retryWrites=true");
  const recorded = { ...args, password: asSecret("p@ss"), url };

  it("returns the string and the password as secrets, even if the program passes plain text", async () => {
    const plugin = await start({ environment: {} });
    const resource = plugin.resource("databaseUrl");
    const { inputs, failures } = await resource.check(args);
    assert.deepEqual(failures, []);
    assert.deepEqual(inputs, { ...args, password: asSecret("p@ss") });
    assert.deepEqual((await resource.create(args)).outs, recorded);
    assert.deepEqual(await resource.update("none", {}, args), recorded);
    const read = await resource.read("none", { ...args, url: "db://" });
    assert.deepEqual(read.props, recorded);
    assert.deepEqual(read.inputs, { ...args, password: asSecret("p@ss") });
    assert.equal(service.requests.length, 0);
  });

  it("is known in a preview, unless an argument is unknown", async () => {
    const plugin = await start();
    assert.deepEqual(await plugin.createInPreview("databaseUrl", args), recorded);
    const pending = { ...args, password: unknown };
    const { failures } = await plugin.resource("databaseUrl").check(pending);
    assert.deepEqual(failures, []);
    const outputs = await plugin.createInPreview("databaseUrl", pending);
    assert.deepEqual(outputs["url"], asSecret(unknown));
  });

  it("takes a database, a list as an option, and a user without a name and a password", async () => {
    const resource = (await start({ environment: {} })).resource("databaseUrl");
    const { connectionString } = args;
    const urlOf = async (inputs: object) => {
      const { failures } = await resource.check({ connectionString, ...inputs });
      assert.deepEqual(failures, []);
      return (await resource.create({ connectionString, ...inputs })).outs["url"];
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
    const resource = (await start()).resource("databaseUrl");
    const olds = { ...args, url: "recorded" };
    const diff = (news: object) => resource.diff("none", olds, { ...args, ...news });
    assert.deepEqual(await diff({}), { changes: false, replaces: [] });
    assert.deepEqual(await diff({ password: "other" }), { changes: true, replaces: [] });
    assert.deepEqual(await diff({ options: {} }), { changes: true, replaces: [] });
    assert.deepEqual(await diff({ database: "shop" }), { changes: true, replaces: [] });
    assert.deepEqual(await diff({ username: unknown }), { changes: true, replaces: [] });
  });

  it("fails without any part of a password, and names no property, because the engine prints its value", async () => {
    const resource = (await start()).resource("databaseUrl");
    const withCredentials = "db+srv://app:hunter2@orders.ab1cd.db.example";
    const { password, ...withoutPassword } = args;
    for (const [inputs, message] of [
      [{ ...args, connectionString: withCredentials }, /already contains credentials/],
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
    ] as const) {
      const [failure] = (await resource.check(inputs)).failures;
      assert.match(failure?.reason ?? "", message);
      assert.equal(failure?.property, "");
      assert.doesNotMatch(failure.reason, /hunter2|p@ss/);
    }
  });

  it("cannot be imported", async () => {
    const resource = (await start()).resource("databaseUrl");
    await assert.rejects(resource.read("none", {}), /cannot be imported\. Declare it/);
  });
});
