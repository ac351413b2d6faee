import assert from "node:assert/strict";
import { leaksIn, secrets } from "../support/plantedSecrets";
import { projectId } from "../support/service";
import { policyPack } from "./policyPack";
import { stateFile } from "./stack";
import { useStack } from "./useStack";

const lookup = (name: string, network = "") =>
  `new clouddb.ClusterConnectionStrings("${name}", { projectId: "${projectId}", clusterName: "${name}", ${network} });`;

describe("examples/policies", () => {
  const { createStack, run } = useStack();

  it("fails the preview of a production stack, and names each cluster without a private network", async () => {
    const mode = `new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: true });`;
    const program = `${mode} ${lookup("orders", 'network: { kind: "peering" }')} ${lookup("billing")}`;
    const production = await createStack(program, { stackName: "production" });
    const pack = policyPack(production.folder);
    const args = ["preview", "--policy-pack", pack];
    const { code, stdout, stderr } = await run(production, "pulumi", args).result;
    assert.notEqual(code, 0);
    assert.match(stdout, /private-network-in-production[^]*The network of billing is not private/);
    assert.doesNotMatch(stdout + stderr, /network of (?!billing)/);
    const other = await createStack(program);
    const passed = await run(other, "pulumi", [
      "preview",
      "--policy-pack",
      policyPack(other.folder),
    ]).result;
    assert.equal(passed.code, 0, passed.stdout);
  });
});

describe("a policy that changes a DatabaseUrl", () => {
  const { createStack, run } = useStack();
  const { password, clientSecret } = secrets;
  const proxy = { proxyHost: "p", proxyUsername: "u", proxyPassword: clientSecret };
  const declare = (Url: string, name: string, options?: object) =>
    `new ${Url}("${name}", ${JSON.stringify({ connectionString: "db+srv://orders.ab1cd.db.example", username: "app", password, options })});`;
  const program = `
class PluginUrl extends pulumi.CustomResource {
  constructor(name, { password, ...args }) {
    super("clouddb:index:DatabaseUrl", name, { url: undefined, ...args, password: pulumi.secret(password) });
  }
}
${declare("clouddb.DatabaseUrl", "plain")}
exports.url = ${declare("clouddb.DatabaseUrl", "options", proxy).slice(0, -1)}.url;
${declare("PluginUrl", "plugin", proxy)}`;
  const copy = `const { PolicyPack, Secret } = require("@pulumi/policy");
new PolicyPack("clouddb", { policies: [{
  name: "copy", description: "d", enforcementLevel: "remediate",
  remediateResource: ({ type, props }) =>
    type.endsWith(":DatabaseUrl") ? { ...props, url: undefined, database: "shop", password: new Secret(props.password) } : undefined,
}] });`;

  for (const [kind, code, expected] of [
    ["assigns to the arguments, as in the example", undefined, /\/shop\?/],
    ["returns a copy whose secrets are marked", copy, /\/shop\?/],
  ] as const) {
    it(`keeps its secrets if it ${kind}`, async () => {
      const tested = await createStack(program, { usesPackedPlugin: true });
      const pack = policyPack(tested.folder, code);
      for (const command of [
        ["preview", "--diff"],
        ["up", "--yes", "--skip-preview"],
      ]) {
        const args = [...command, "--policy-pack", pack];
        const { code: exitCode, stdout, stderr } = await run(tested, "pulumi", args).result;
        assert.equal(exitCode, 0, stdout);
        assert.deepEqual(leaksIn(stdout + stderr), []);
      }
      assert.deepEqual(leaksIn(stateFile(tested.stack)), []);
      const { url } = await tested.stack.outputs();
      assert.match(String(url?.value), expected);
    });
  }
});

describe("a policy that sets the network of a lookup", () => {
  const { service, createStack, run } = useStack();

  it("decides which string an update records, and later updates change nothing", async () => {
    const tested = await createStack(`exports.url = ${lookup("orders").slice(0, -1)}.recommended;`);
    const pack = policyPack(
      tested.folder,
      `const { PolicyPack } = require("@pulumi/policy");
new PolicyPack("clouddb", { policies: [{
  name: "peering", description: "d", enforcementLevel: "remediate",
  remediateResource: ({ type, props }) =>
    type.endsWith(":ClusterConnectionStrings") ? { ...props, network: { kind: "peering" } } : undefined,
}] });`,
    );
    const up = async (...args: string[]) => {
      const words = ["up", "--yes", "--skip-preview", "--policy-pack", pack, ...args];
      const { code, stdout, stderr } = await run(tested, "pulumi", words).result;
      assert.equal(code, 0, stdout + stderr);
    };
    await up();
    const { url } = await tested.stack.outputs();
    assert.match(String(url?.value), /^db\+srv:\/\/orders-pri\./);
    await up("--expect-no-changes");
    assert.equal(service.listings().length, 2);
  });
});
