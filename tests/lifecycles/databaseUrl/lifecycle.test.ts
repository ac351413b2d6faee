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
  /** The inputs that `check` returns. A preview of the plugin gets the URL from `create` and `update` instead. */
  const checked = process.env["TESTED_PROVIDER"] === "plugin" ? inputs : { ...inputs, url };

  it("returns the URL and the password as secrets, even if the program passes plain text", async () => {
    assert.deepEqual(await provider.check(args), { inputs: checked, failures: [] });
    assert.deepEqual(await provider.create(args), { id: "none", outs: { ...inputs, url } });
    assert.deepEqual(await provider.update("none", {}, args), { ...inputs, url });
    const recorded = { ...args, url: url["value"] };
    const read = { id: "none", props: { ...inputs, url }, inputs: {} };
    assert.deepEqual(await provider.read("none", recorded), read);
  });

  it("returns no URL from check while an argument is unknown", async () => {
    for (const pending of [
      { ...args, password: unknown },
      { ...args, connectionString: unknown },
    ]) {
      const { inputs: returned, failures } = await provider.check(pending, { ...args, url: "u" });
      assert.deepEqual([failures, "url" in returned], [[], false]);
    }
  });

  it("ignores a URL that the engine copies because of ignoreChanges, and refuses any other", async () => {
    const olds = { ...args, url: "recorded" };
    const copied = await provider.check({ ...args, url: "recorded" }, olds);
    assert.deepEqual(copied, { inputs: checked, failures: [] });
    const { failures } = await provider.check({ ...args, url: "passed" }, olds);
    assert.match(failures[0]?.reason ?? "", /^there is no argument "url"/);
  });

  it("makes the URL of the arguments that a policy changed after check", async () => {
    const given = { ...args, database: "shop", url: url["value"] };
    const { outs } = await provider.create(given);
    const changed = asSecret("db+srv://app:p%40ss@orders.ab1cd.db.example/shop?retryWrites=true");
    assert.deepEqual(outs["url"], changed);
    assert.deepEqual((await provider.update("none", {}, given))["url"], changed);
  });

  it("marks all options as secrets if one of them is", async () => {
    for (const options of [
      { PROXYPASSWORD: "x", proxyUsername: "u", proxyHost: "p" },
      { tlsCertificateKeyFilePassword: "x", w: 1 },
      { authMechanismProperties: "SERVICE_NAME:x", w: 1 },
      { sslPass: "x", w: 1 },
      { PassPhrase: "x", w: 1 },
      { ssl_pem_passphrase: "x", w: 1 },
      { token: "x", w: 1 },
    ]) {
      const { inputs } = await provider.check({ ...args, options });
      const secrets = Object.entries(options).map(([name, value]) => [name, asSecret(value)]);
      assert.deepEqual(inputs["options"], Object.fromEntries(secrets));
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

  it("has a scheme in lower case, but not its argument", async () => {
    const connectionString = "DB+SRV://orders.ab1cd.db.example";
    const { outs } = await provider.create({ ...args, connectionString });
    assert.deepEqual([outs["connectionString"], outs["url"]], [connectionString, url]);
  });

  it("refuses a password as an option, which is a secret until all arguments are known", async () => {
    for (const name of ["password", "Password", "pwd"]) {
      const options = { [name]: "hunter2", w: 1 };
      const reason = `cannot add the credentials, because no driver knows the option ${name}. Omit it, and pass the argument password [clouddb-argument]`;
      const { failures } = await provider.check({ ...args, options });
      assert.deepEqual(failures, [{ property: "", reason }]);
      const { inputs } = await provider.check({ ...args, username: unknown, options });
      assert.deepEqual(inputs["options"], { [name]: asSecret("hunter2"), w: asSecret(1) });
    }
  });

  const session = "authMechanismProperties=AWS_SESSION_TOKEN:hunter2";
  const inToken = "AWS_SESSION_TOKEN in the option authMechanismProperties";
  const secretsInStrings = [
    ["proxyPassword=hunter2", "the option proxyPassword"],
    ["password=hunter2", "the option password", "as the argument password"],
    ["w=1&PWD=hunter2", "the option PWD", "as the argument password"],
    ["w=1&PROXYPASSWORD=hunter2", "the option PROXYPASSWORD"],
    ["w=1&proxy%50assword=hunter2", "the option proxyPassword"],
    ["w=1;proxyPassword=hunter2", "the option proxyPassword"],
    ["tlsCertificateKeyFilePassword=hunter2", "the option tlsCertificateKeyFilePassword"],
    ["sslClientCertificateKeyPassword=hunter2", "the option sslClientCertificateKeyPassword"],
    ["sslPass=hunter2", "the option sslPass"],
    ["w=1&passphrase=hunter2", "the option passphrase"],
    [session, inToken],
    [`w=1&${session.toUpperCase()}`, inToken],
    ["authMechanismProperties=A:b,AWS%5FSESSION_TOKEN%3Ahunter2", inToken],
  ] as const;
  it("refuses a string with a secret option, because the state would contain it in plain text", async () => {
    for (const [options, secret, place = "in options"] of secretsInStrings) {
      const connectionString = `${args.connectionString}/?${options}`;
      const reason = `connectionString must be a connection string without ${secret}, which is a secret. Remove it from the string, and pass it ${place}`;
      // The preview would show the string if it were refused only when the user is known.
      for (const username of ["app", unknown]) {
        const { failures } = await provider.check({ ...args, connectionString, username });
        const failure = { property: "", reason: `${reason} [clouddb-argument]` };
        assert.deepEqual(failures, [failure]);
      }
      const created = provider.create({ ...args, connectionString });
      await assert.rejects(created, ({ message }: Error) => !/hunter2/i.test(message));
    }
  });

  it("accepts other properties of a mechanism in the string", async () => {
    const options = "authMechanism=MONGODB-OIDC&authMechanismProperties=ENVIRONMENT:k8s";
    const connectionString = `${args.connectionString}/?${options}`;
    const { failures } = await provider.check({ connectionString });
    assert.deepEqual(failures, []);
  });

  it("warns of what drivers may not take as it is, without the values, once all arguments are known", async () => {
    const options = { proxyHost: "p", proxyUsername: "u", proxyPassword: "hunter2\r\n" };
    const given = { ...args, username: "<username>", password: "p@ss\n", options };
    await provider.check({ ...given, connectionString: unknown });
    assert.doesNotMatch(provider.output(), /warning/);
    const { failures } = await provider.check(given);
    assert.deepEqual(failures, []);
    await provider.check({ ...args, password: "p@\nss", options: { w: 1 } });
    const unless = "Remove it, unless it belongs to the value.";
    const warnings = [
      "the user name is a placeholder. Replace it, including any brackets.",
      `the password ends with a line break. ${unless}`,
      `the value of proxyPassword ends with a line break. ${unless}`,
    ].map((warning) => `warning: in the URL of a DatabaseUrl, ${warning}`);
    assert.deepEqual(provider.output().match(/warning: [^[\n]*[^[\s]/g), warnings);
  });

  it("reports arguments that a policy made invalid after check, without their values", async () => {
    const reason = "username must be the name of a database user, not an object";
    const message = new RegExp(`a policy changed the arguments, which are now invalid: ${reason}`);
    const given = { ...args, username: { hunter2: true } };
    for (const changing of [provider.create(given), provider.update("none", {}, given)]) {
      await assert.rejects(
        changing,
        (error: Error) => message.test(error.message) && !/hunter2|p@ss| at /.test(error.message),
      );
    }
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
        /follows the options\. .* pass the argument database/,
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
