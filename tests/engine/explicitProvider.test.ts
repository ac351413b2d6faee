import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed, Simulator } from "clouddb-simulator";
import { key, settingsFor, startService } from "../service";
import { type TestStack, exampleStack, stateFile, testStack } from "./stack";

const example = join(__dirname, "..", "..", "examples", "two-organizations");
const seed = JSON.parse(readFileSync(join(example, "seed.json"), "utf8")) as Seed;
const ordersProject = "64a0c0ffee0000000000a001";
const reportsProject = "64a0c0ffee0000000000b001";
const partner = { id: "svc_partner", secret: "partner-secret" };

describe("a provider for a second organization", () => {
  let service: Simulator;
  let tested: TestStack;

  before(async () => {
    service = await startService(seed);
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
  });
  afterEach(() => {
    tested.remove();
  });

  it("deploys the example in both organizations, with its secrets encrypted in the state", async () => {
    const { CLOUDDB_BASE_URL, CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...rest } =
      settingsFor(service);
    tested = await exampleStack("two-organizations", rest);
    await tested.stack.setAllConfig({
      "clouddb:baseUrl": { value: service.url },
      "clouddb:publicKey": { value: key.publicKey },
      "clouddb:privateKey": { value: key.privateKey, secret: true },
      partnerClientId: { value: partner.id },
      partnerClientSecret: { value: partner.secret, secret: true },
    });
    const { outputs, stdout, stderr } = await tested.stack.up();
    assert.match(String(outputs["ordersUrl"]?.value), /^db\+srv:\/\/orders\./);
    assert.match(String(outputs["reportsUrl"]?.value), /^db\+srv:\/\/reports\./);
    assert.deepEqual(outputs["reportsReady"], { value: true, secret: false });
    for (const projectId of [ordersProject, reportsProject]) {
      assert.equal(service.project(projectId).privateIpMode.enabled, false);
    }
    for (const text of [stdout, stderr, stateFile(tested.stack)]) {
      assert.ok(!text.includes(partner.secret), "the second organization's secret is nowhere");
      assert.ok(!text.includes(key.privateKey), "nor is the first one's");
    }
    const again = await tested.stack.preview();
    assert.deepEqual(Object.keys(again.changeSummary), ["same"]);
  });

  it("does not mix the environment's credentials with its own", async () => {
    const program = `
const provider = new clouddb.Provider("partner", {
  clientId: "${partner.id}", clientSecret: pulumi.secret("${partner.secret}"),
});
const parent = new pulumi.ComponentResource("test:index:Parent", "parent", {}, { providers: [provider] });
const projectId = "${reportsProject}";
new clouddb.PrivateIpMode("reports", { projectId, enabled: false }, { parent });
exports.mode = clouddb.getPrivateIpModeReadiness({ projectId }, { parent }).then(({ mode }) => mode);
`;
    tested = await testStack(program, settingsFor(service));
    const { outputs } = await tested.stack.up();
    assert.equal(outputs["mode"]?.value, "enabled", "as it was before the update");
    const principals = service.requests.flatMap(({ principal }) => principal ?? []);
    assert.deepEqual([...new Set(principals)], [partner.id]);
  });

  const mistakes = [
    {
      what: "both pairs of credentials",
      args: '{ publicKey: "a", privateKey: "b", clientId: "c", clientSecret: "d" }',
      settings: {},
      says: /error: clouddb\.Provider "second": both an API key/,
    },
    {
      what: "no credentials while the stack has none",
      args: "{}",
      settings: { CLOUDDB_PUBLIC_KEY: "", CLOUDDB_PRIVATE_KEY: "" },
      says: /error: clouddb\.Provider "second": no credentials are given/,
    },
  ];
  for (const { what, args, settings, says } of mistakes) {
    it(`is refused with ${what}, in one line`, async () => {
      const program = `new clouddb.Provider("second", ${args});`;
      tested = await testStack(program, { ...settingsFor(service), ...settings });
      const output = await tested.failure(tested.stack.preview());
      assert.match(output, says);
      assert.doesNotMatch(output, /\n\s+at /);
    });
  }
});
