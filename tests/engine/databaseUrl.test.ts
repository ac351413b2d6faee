/** A DatabaseUrl of both kinds of provider on the real engine. Searches for secrets in everything that Pulumi writes. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sourceCommand } from "../support/command";
import { leaksIn, secrets } from "../support/plantedSecrets";
import { projectId } from "../support/service";
import { type TestStack, stateFile } from "./stack";
import { useStack } from "./useStack";

/** The start of a program, with the class of the provider that `args.json` names. */
const start = `
class PluginUrl extends pulumi.CustomResource {
  constructor(name, { password, ...args }) {
    // As the generated SDK does.
    const aliases = [{ type: "pulumi-nodejs:dynamic/clouddb:DatabaseUrl" }];
    const secret = password === undefined ? {} : { password: pulumi.secret(password) };
    super("clouddb:index:DatabaseUrl", name, { url: undefined, ...args, ...secret }, { aliases });
  }
}
const { kind, network, ...changed } = JSON.parse(require("node:fs").readFileSync("args.json", "utf8"));
const Url = kind === "plugin" ? PluginUrl : clouddb.DatabaseUrl;
const { password, shortPassword, clientSecret, privateKey } = ${JSON.stringify(secrets)};
`;

describe("a DatabaseUrl", () => {
  const { createStack, run } = useStack();

  /** Runs a command, and searches its output, its event log without debug messages, and the state. */
  const search = async (
    tested: TestStack,
    command: readonly string[],
    args: { readonly kind: string },
  ) => {
    writeFileSync(join(tested.folder, "args.json"), JSON.stringify(args));
    const log = join(tested.folder, "events.json");
    const flags = command[0] === "preview" ? [] : ["--yes", "--skip-preview"];
    const words = [...command, ...flags, "--event-log", log, "--stack", "test"];
    const environment = { PULUMI_DEBUG_COMMANDS: "true" };
    const { code, stdout, stderr } = await run(tested, "pulumi", words, { environment }).result;
    const events = readFileSync(log, "utf8").split("\n");
    // SECURITY.md says that debug messages contain secrets.
    const searched = events.filter((event) => !event.includes('"severity":"debug"'));
    assert.ok(searched.length > 3);
    const printed = stdout + stderr;
    for (const text of [printed, searched.join("\n"), stateFile(tested.stack)])
      assert.deepEqual(leaksIn(text), []);
    return { code, printed };
  };

  it("shows each change but no secret, and moves between the kinds of provider without a change", async () => {
    const tested = await createStack(
      `${start}
const lookup = new clouddb.ClusterConnectionStrings("orders", { projectId: "${projectId}", clusterName: "orders", network });
const app = { connectionString: lookup.recommended, username: "app", password };
const database = new Url("plain", { ...app, options: { appName: "shop" }, ...changed });
new Url("secret", { ...app, password: pulumi.secret(shortPassword) });
const proxy = { proxyHost: "p", proxyUsername: "u", ProxyPassword: clientSecret };
const options = { ...proxy, authMechanismProperties: "AWS_SESSION_TOKEN:" + privateKey };
new Url("options", { ...app, options });
exports.DATABASE_URL = database.url;`,
      { usesPackedPlugin: true },
    );
    const succeed = async (command: string, args: { readonly kind: string }) => {
      const { code, printed } = await search(tested, command.split(" "), args);
      assert.equal(code, 0, printed);
      return printed;
    };
    const changes = (kind: string) => ({
      kind,
      username: "app2",
      database: "shop",
      network: { kind: "peering" },
      options: { appName: "cart" },
    });
    await succeed("preview --diff", { kind: "npm" });
    for (const kind of ["npm", "plugin"]) {
      // The plugin begins with the state of pulumi-clouddb.
      await succeed(`up${kind === "npm" ? "" : " --expect-no-changes"}`, { kind });
      await succeed("refresh --expect-no-changes", { kind });
      const preview = await succeed("preview --diff", changes(kind));
      assert.match(preview, /~ username *: "app" => "app2"/);
      assert.match(preview, /\+ database *: "shop"/);
      assert.match(preview, /~ connectionString *: "db\+srv:\/\/orders\.[^]*orders-pri\./);
      assert.match(preview, /~ appName *: "shop" => "cart"/);
      const secret = { kind, options: { tlsCertificateKeyFilePassword: secrets.clientSecret } };
      await succeed("preview --json", secret);
      await succeed("up", secret);
      const { DATABASE_URL } = await tested.stack.outputs();
      assert.match(String(DATABASE_URL?.value), /\?tlsCertificateKeyFilePassword=/);
      assert.equal(DATABASE_URL?.secret, true);
      await succeed("up", { kind });
    }
    await succeed("up --expect-no-changes", { kind: "npm" });
  });

  it("refuses a string with a secret option, which no preview, comment or state contains", async () => {
    const secretOption = `proxyPassword=${encodeURIComponent(secrets.clientSecret)}`;
    const connectionString = `db+srv://orders.ab1cd.db.example/?w=1&${secretOption}`;
    const tested = await createStack(
      `${start} new Url("orders", { connectionString: ${JSON.stringify(connectionString)}, username: "app", password });`,
      { usesPackedPlugin: true },
    );
    const refusal = "without the option proxyPassword, which is a secret. Remove it";
    for (const kind of ["npm", "plugin"]) {
      for (const command of ["up", "preview --diff"]) {
        const { code, printed } = await search(tested, command.split(" "), { kind });
        assert.notEqual(code, 0);
        assert.ok(printed.includes(refusal), printed);
      }
      const report = [...sourceCommand("provider"), "report", "events.json"];
      const { stdout: comment } = await run(tested, process.execPath, report).result;
      assert.ok(comment.includes(refusal), comment);
      assert.deepEqual(leaksIn(comment), []);
    }
  });
});
