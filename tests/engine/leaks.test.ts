/** Plants secrets in a stack, and searches everything that Pulumi's commands write for them. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { EngineEvent, UpOptions } from "@pulumi/pulumi/automation";
import { clientId, leaksIn, plantedSeed, publicKey, secrets } from "../support/plantedSecrets";
import { projectId, settingsFor } from "../support/service";
import { stateFile } from "./stack";
import { useStack } from "./useStack";

/** The options that receive the reports of an operation through the Automation API. */
type SearchedTexts = Required<Pick<UpOptions, "onEvent" | "onOutput" | "onError">>;

/** Returns the texts of all files that were written in a folder, by name. */
function filesIn(folder: string): Map<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return new Map(
    names
      .filter((name) => statSync(join(folder, name)).isFile() && !name.endsWith("index.js"))
      .map((name) => [name, readFileSync(join(folder, name), "latin1")]),
  );
}

const cli = join(__dirname, "../../provider/bin/pulumi-clouddb.js");

describe("secrets", () => {
  const { service, createStack, run } = useStack({ seed: plantedSeed() });
  const program = `
new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: false });
const orders = new clouddb.ClusterConnectionStrings("orders", { projectId: "${projectId}", clusterName: "orders" });
for (const [name, password] of Object.entries(JSON.parse(process.env.PASSWORDS))) {
  const user = { username: "app", password };
  exports[name] = new clouddb.DatabaseUrl(name, { connectionString: orders.recommended, ...user }).url;
}`;
  const { privateKey, clientSecret, ...passwords } = secrets;
  const environment = () => {
    const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...rest } = settingsFor(service);
    return { ...rest, PASSWORDS: JSON.stringify(passwords) };
  };
  it("in the stack's configuration appear in no output, no event and no file of the backend", async () => {
    const withProvider = `${program}
const own = new pulumi.Config("own").requireSecret("privateKey");
const provider = new clouddb.Provider("own", { publicKey: "${publicKey}", privateKey: own });
const args = { projectId: "${projectId}", clusterName: "billing" };
exports.billing = new clouddb.ClusterConnectionStrings("billing", args, { provider }).recommended;`;
    const tested = await createStack(withProvider, { environment: environment() });
    const { stack } = tested;
    await stack.setAllConfig({
      "clouddb:clientId": { value: clientId },
      "clouddb:clientSecret": { value: clientSecret, secret: true },
      "own:privateKey": { value: privateKey, secret: true },
    });
    /** Runs an operation through the Automation API, and searches its output and its events. */
    const search = async <T>(operation: (texts: SearchedTexts) => Promise<T>): Promise<T> => {
      const texts: string[] = [];
      const add = (text: string) => texts.push(text);
      let events = 0;
      const onEvent = (event: EngineEvent) => {
        events += 1;
        // SECURITY.md says that debug messages contain secrets.
        const text = JSON.stringify(event);
        if (!text.includes('"severity":"debug"')) add(text);
      };
      const result = await operation({ onEvent, onOutput: add, onError: add });
      assert.ok(events > 3, `${events} events`);
      assert.deepEqual(leaksIn(texts.join("\n")), []);
      return result;
    };
    await search((texts) => stack.preview({ ...texts, diff: true }));
    const { outputs } = await search((texts) => stack.up(texts));
    assert.match(String(outputs["billing"]?.value), /^db\+srv:\/\/billing\./);
    const principals = service.requests.flatMap(({ principal }) => principal ?? []);
    assert.deepEqual(new Set(principals), new Set([clientId, publicKey]));
    // SECURITY.md says that the Automation API returns secret outputs.
    assert.ok(leaksIn(JSON.stringify(outputs)).includes("password as percent"));
    await search((texts) => stack.destroy({ ...texts, refresh: true }));
    for (const [name, text] of filesIn(tested.folder)) assert.deepEqual(leaksIn(text), [], name);
  });

  it("that the plugin gets in plain text cause a warning, and are encrypted in the state", async () => {
    const program = `
class Provider extends pulumi.ProviderResource {
  constructor(name, args) { super("clouddb", name, args); }
}
class Lookup extends pulumi.CustomResource {
  constructor(clusterName, options) {
    super("clouddb:index:ClusterConnectionStrings", clusterName, { projectId: "${projectId}", clusterName }, options);
  }
}
const { BASE_URL: baseUrl, KEY } = process.env;
const orders = new Lookup("orders");
// Not known in the first preview.
const privateKey = orders.id.apply(() => KEY);
const provider = new Provider("own", { baseUrl, publicKey: "${publicKey}", privateKey });
new Lookup("billing", { provider });`;
    const own = { BASE_URL: service.url, KEY: privateKey };
    const tested = await createStack(program, {
      environment: { ...environment(), ...own },
      usesPackedPlugin: true,
    });
    await tested.stack.setAllConfig({
      "clouddb:clientId": { value: clientId },
      "clouddb:clientSecret": { value: clientSecret },
    });
    const both = ["clientSecret", "privateKey"];
    for (const [command, warned] of [
      ["preview --diff", ["clientSecret"]],
      ["up --yes --skip-preview", both],
      ["up --yes --skip-preview --expect-no-changes", both],
      ["refresh --yes --skip-preview", []],
      ["destroy --yes --skip-preview", []],
    ] as const) {
      const words = [...command.split(" "), "--stack", "test"];
      const { code, stdout, stderr } = await run(tested, "pulumi", words).result;
      const printed = stdout + stderr;
      assert.equal(code, 0, printed);
      const isWarned = (key: string) =>
        printed.includes(`the setting ${key} is stored in plain text`);
      assert.deepEqual(both.filter(isWarned), warned, command);
      for (const text of [printed, stateFile(tested.stack)])
        assert.deepEqual(leaksIn(text), [], command);
    }
    const principals = service.requests.flatMap(({ principal }) => principal ?? []);
    assert.deepEqual(new Set(principals), new Set([clientId, publicKey]));
  });

  it("in a verbose log of Pulumi appear in no report", async () => {
    const own = { CLOUDDB_PUBLIC_KEY: publicKey };
    const tested = await createStack(program, { environment: { ...environment(), ...own } });
    await tested.stack.setConfig("clouddb:privateKey", { value: privateKey, secret: true });
    const flags = ["-v=9", "--logtostderr", "--logflow"];
    const pulumi = await run(tested, "pulumi", ["preview", ...flags, "--stack", "test"]).result;
    // SECURITY.md says that Pulumi writes them there.
    assert.notDeepEqual(leaksIn(pulumi.stderr), []);
    const file = join(tested.folder, "preview.md");
    const args = ["preview", "--stack", "test", "--markdown", file, "--", ...flags];
    const { code, stdout, stderr } = await run(tested, process.execPath, [cli, ...args]).result;
    assert.equal(code, 0);
    assert.match(stdout, /^tested\/test: changes\n/);
    assert.deepEqual(leaksIn(stdout + stderr + readFileSync(file, "utf8")), []);
  });

  it("that are passed as other settings appear in no output of previews, and in no request", async () => {
    const program = `
const privateKey = new pulumi.Config("own").requireSecret("privateKey");
const others = JSON.parse(process.env.OTHERS);
const own = { publicKey: "${publicKey}", privateKey, ...others };
const options = others === null ? {} : { provider: new clouddb.Provider("own", own) };
const args = { projectId: "${projectId}", clusterName: "orders" };
new clouddb.ClusterConnectionStrings("orders", args, options);
clouddb.getClustersOutput({ projectId: "${projectId}" }, options);`;
    const joined = `${publicKey}:${privateKey}`;
    const keys = { CLOUDDB_PUBLIC_KEY: joined, CLOUDDB_PRIVATE_KEY: privateKey };
    const tested = await createStack(program, { environment: { ...environment(), ...keys } });
    await tested.stack.setConfig("own:privateKey", { value: privateKey, secret: true });
    const hasColon = /publicKey .*contains .*a colon, so it may be more than the public key/;
    const isSecret = /caFile .* contains the value of clouddb:privateKey, which is a secret/;
    const asFile = { caFile: `/run/${Buffer.from(joined).toString("base64")}` };
    for (const [others, mistake, command, ...args] of [
      [null, hasColon, "pulumi", "preview", "--diff"],
      [{ publicKey: joined }, hasColon, "pulumi", "preview", "--diff"],
      [asFile, isSecret, "pulumi", "preview", "--diff"],
      [asFile, isSecret, "pulumi", "preview", "--json"],
      [asFile, isSecret, "pulumi", "preview", "--debug"],
      [asFile, isSecret, process.execPath, cli, "preview"],
    ] as const) {
      const own = { environment: { OTHERS: JSON.stringify(others) } };
      const started = run(tested, command, [...args, "--stack", "test"], own);
      const { code, stdout, stderr } = await started.result;
      assert.notEqual(code, 0);
      assert.match(stdout + stderr, mistake);
      assert.deepEqual(leaksIn(stdout + stderr), [], args.join(" "));
    }
    assert.deepEqual(service.requests, []);
  });

  it("in the environment appear in debug output only if they are outputs of the stack", async () => {
    const own = { CLOUDDB_PUBLIC_KEY: publicKey, CLOUDDB_PRIVATE_KEY: privateKey };
    const tested = await createStack(program, { environment: { ...environment(), ...own } });
    const calls = { PULUMI_DEBUG_GRPC: join(tested.folder, "grpc.json") };
    const args = ["up", "--yes", "--skip-preview", "-v=9", "--logtostderr", "--logflow"];
    const command = run(tested, "pulumi", [...args, "--stack", "test"], { environment: calls });
    const { code, stdout, stderr } = await command.result;
    assert.equal(code, 0, stdout);
    const leaksInCalls = leaksIn(readFileSync(calls.PULUMI_DEBUG_GRPC, "utf8"));
    for (const leak of [...leaksIn(stdout + stderr), ...leaksInCalls])
      assert.match(leak, /^(shortP|p)assword /);
    // SECURITY.md says that Pulumi writes secret outputs there.
    assert.ok(leaksInCalls.includes("password as percent"));
  });
});
