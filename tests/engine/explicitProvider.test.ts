import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "clouddb-simulator";
import { key, settingsFor } from "../service";
import { stateFile } from "./stack";
import { useStack } from "./useStack";

const example = join(__dirname, "..", "..", "examples", "two-organizations");
const seed = JSON.parse(readFileSync(join(example, "seed.json"), "utf8")) as Seed;
const ordersProject = "64a0c0ffee0000000000a001";
const reportsProject = "64a0c0ffee0000000000b001";
const partner = { id: "svc_partner", secret: "partner-secret" };

describe("a provider for a second organization", () => {
  const { service, createStack, createExample } = useStack({ seed });

  it("deploys the example in both organizations, with its secrets encrypted in the state", async () => {
    const { CLOUDDB_BASE_URL, CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...environment } =
      settingsFor(service);
    const { stack } = await createExample("two-organizations", { environment });
    await stack.setAllConfig({
      "clouddb:baseUrl": { value: service.url },
      "clouddb:publicKey": { value: key.publicKey },
      "clouddb:privateKey": { value: key.privateKey, secret: true },
      partnerClientId: { value: partner.id },
      partnerClientSecret: { value: partner.secret, secret: true },
    });
    const { outputs, stdout, stderr } = await stack.up();
    assert.match(String(outputs["ordersUrl"]?.value), /^db\+srv:\/\/orders\./);
    assert.match(String(outputs["reportsUrl"]?.value), /^db\+srv:\/\/reports\./);
    assert.deepEqual(outputs["reportsReady"], { value: true, secret: false });
    for (const projectId of [ordersProject, reportsProject]) {
      assert.equal(service.project(projectId).privateIpMode.enabled, false);
    }
    for (const text of [stdout, stderr, stateFile(stack)]) {
      assert.ok(
        !text.includes(partner.secret),
        "does not contain the second organization's secret",
      );
      assert.ok(!text.includes(key.privateKey), "does not contain the first organization's key");
    }
    const again = await stack.preview();
    assert.deepEqual(Object.keys(again.changeSummary), ["same"]);
  });

  it("uses its own credentials even if the environment contains others", async () => {
    const program = `
const provider = new clouddb.Provider("partner", {
  clientId: "${partner.id}", clientSecret: pulumi.secret("${partner.secret}"),
});
const parent = new pulumi.ComponentResource("test:index:Parent", "parent", {}, { providers: [provider] });
const projectId = "${reportsProject}";
new clouddb.PrivateIpMode("reports", { projectId, enabled: false }, { parent });
exports.mode = clouddb.getPrivateIpModeReadiness({ projectId }, { parent }).then(({ mode }) => mode);
`;
    const { stack } = await createStack(program);
    const { outputs } = await stack.up();
    assert.equal(outputs["mode"]?.value, "enabled", "before the update");
    const principals = service.requests.flatMap(({ principal }) => principal ?? []);
    assert.deepEqual([...new Set(principals)], [partner.id]);
  });

  const mistakes = [
    {
      mistake: "both pairs of credentials",
      args: '{ publicKey: "a", privateKey: "b", clientId: "c", clientSecret: "d" }',
      settings: {},
      message: /error: clouddb\.Provider "second": both an API key/,
    },
    {
      mistake: "no credentials in its arguments or the stack",
      args: "{}",
      settings: { CLOUDDB_PUBLIC_KEY: "", CLOUDDB_PRIVATE_KEY: "" },
      message: /error: clouddb\.Provider "second": no credentials are set/,
    },
  ];
  for (const { mistake, args, settings, message } of mistakes) {
    it(`is rejected without a stack trace if it has ${mistake}`, async () => {
      const program = `new clouddb.Provider("second", ${args});`;
      const environment = { ...settingsFor(service), ...settings };
      const { stack, failure } = await createStack(program, { environment });
      const output = await failure(stack.preview());
      assert.match(output, message);
      assert.doesNotMatch(output, /\n\s+at /);
    });
  }
});
