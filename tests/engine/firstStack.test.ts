import assert from "node:assert/strict";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import type { Simulator } from "clouddb-simulator";
import { key, projectId, settingsFor, startService } from "../service";
import { type TestStack, stateFile, testStack } from "./stack";

const program = `
const projectId = "${projectId}";
const mode = new clouddb.PrivateIpMode("mode", { projectId, enabled: false });
const orders = new clouddb.ClusterConnectionStrings("orders", {
  projectId, clusterName: "orders", network: { kind: "peering" },
});
const billing = new clouddb.ClusterConnectionStrings("billing", { projectId, clusterName: "billing" });
exports.enabled = mode.enabled;
exports.orders = orders.recommended;
exports.billing = billing.recommended;
`;

describe("a first stack", () => {
  let service: Simulator;
  let tested: TestStack;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  beforeEach(async () => {
    service.reset();
    tested = await testStack(program, settingsFor(service));
  });
  afterEach(() => {
    tested.remove();
  });

  const project = () => service.project(projectId);
  const received = (operation: string) =>
    service.requests.filter((r) => r.operation === operation && !r.challenged);

  it("previews real connection strings before anything exists, and changes nothing", async () => {
    const { stdout } = await tested.stack.preview({ diff: true });
    assert.match(stdout, /orders *: "db\+srv:\/\/orders-pri\.[^"]+"/);
    assert.match(stdout, /billing *: "db\+srv:\/\/billing\.[^"]+"/);
    assert.doesNotMatch(stdout, /output<string>|\[unknown\]/);
    assert.equal(project().privateIpMode.enabled, true);
  });

  it("makes one list request and one challenge in a preview with two lookups and a guard", async () => {
    await tested.stack.preview();
    assert.equal(received("listClusters").length, 1);
    assert.equal(service.requests.filter(({ challenged }) => challenged).length, 1);
    assert.equal(service.requests.length, 3, "the listing, the setting and the challenge");
  });

  it("deploys, changes nothing on the second run, refreshes, and is destroyed", async () => {
    const { outputs, stdout } = await tested.stack.up();
    assert.equal(outputs["enabled"]?.value, false);
    assert.match(String(outputs["orders"]?.value), /^db\+srv:\/\/orders-pri\./);
    assert.equal(project().privateIpMode.enabled, false);
    assert.match(stdout, /warning: disabling private IP mode .* strings of orders/);

    const again = await tested.stack.up();
    assert.deepEqual(again.summary.resourceChanges, { same: 4 });

    const refreshed = await tested.stack.refresh();
    assert.deepEqual(refreshed.summary.resourceChanges, { same: 4 });

    await tested.stack.destroy();
    assert.equal(project().privateIpMode.enabled, false, "the setting is retained");
  });

  it("fails a preview if a disable would be refused, and names every offending cluster", async () => {
    project().updateCluster("orders", { version: "6.0.5" });
    project().updateCluster("sessions", { version: "5.0.1" });
    const output = await tested.failure(tested.stack.preview());
    assert.match(output, /orders +6\.0\.5/);
    assert.match(output, /sessions +5\.0\.1/);
    assert.doesNotMatch(output, /\n\s+at /);
    assert.equal(project().privateIpMode.enabled, true);
    assert.equal(received("updatePrivateIpMode").length, 0);
  });

  it("shows drift of the setting on refresh, and corrects it", async () => {
    await tested.stack.up();
    project().setPrivateIpMode(true);
    const refreshed = await tested.stack.refresh();
    assert.equal(refreshed.summary.resourceChanges?.["update"], 1);
    const mended = await tested.stack.up();
    assert.equal(mended.summary.resourceChanges?.["update"], 1);
    assert.equal(project().privateIpMode.enabled, false);
  });

  it("keeps credentials out of the state, the output and the errors", async () => {
    const { CLOUDDB_PRIVATE_KEY, CLOUDDB_PUBLIC_KEY, ...rest } = settingsFor(service);
    tested.remove();
    tested = await testStack(program, rest);
    await tested.stack.setConfig("clouddb:publicKey", { value: key.publicKey });
    await tested.stack.setConfig("clouddb:privateKey", { value: key.privateKey, secret: true });
    const { stdout, stderr } = await tested.stack.up();
    const texts = [stdout, stderr, stateFile(tested.stack)];

    await tested.stack.setConfig("clouddb:privateKey", { value: "wr0ng-key", secret: true });
    texts.push(await tested.failure(tested.stack.preview()));
    for (const text of texts) {
      assert.ok(!text.includes(key.privateKey), "the private key is nowhere");
      assert.ok(!text.includes("wr0ng-key"), "nor is a wrong one");
    }
  });
});

describe("a mistake in a stack", () => {
  let service: Simulator;
  let tested: TestStack | undefined;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  afterEach(() => {
    tested?.remove();
  });

  const lookup = (id: string, clusterName: string) =>
    `new clouddb.ClusterConnectionStrings("lookup", { projectId: "${id}", clusterName: "${clusterName}" });`;

  const mistakes: {
    what: string;
    program?: string;
    settings?: Record<string, string>;
    says: RegExp;
  }[] = [
    {
      what: "a missing base URL",
      settings: { CLOUDDB_BASE_URL: "" },
      says: /clouddb:baseUrl \(or CLOUDDB_BASE_URL\) is not set: pulumi config set clouddb:baseUrl/,
    },
    {
      what: "a missing key",
      settings: { CLOUDDB_PRIVATE_KEY: "" },
      says: /clouddb:privateKey \(or CLOUDDB_PRIVATE_KEY\) is not set/,
    },
    {
      what: "a base URL without TLS",
      settings: { CLOUDDB_BASE_URL: "http://127.0.0.1:1" },
      says: /clouddb:baseUrl .*must start with https:\/\//,
    },
    {
      what: "a wrong key",
      settings: { CLOUDDB_PRIVATE_KEY: "wrong" },
      says: /401.*Check the API key .*API access list/,
    },
    {
      what: "an unknown project",
      program: lookup("64a0c0ffee00000000009999", "orders"),
      says: /404.*Check the project ID/,
    },
    {
      what: "an unknown cluster",
      program: lookup(projectId, "order"),
      says: /has no cluster order\. The nearest .*: orders, /,
    },
    {
      what: "a certificate that is not trusted",
      settings: { CLOUDDB_CA_FILE: "" },
      says: /certificate of https:\/\/127\.0\.0\.1:\d+ is not trusted.*set caFile/,
    },
  ];

  for (const { what, program: text, settings, says } of mistakes) {
    it(`gives one clear error for ${what}`, async () => {
      tested = await testStack(text ?? lookup(projectId, "orders"), {
        ...settingsFor(service),
        ...settings,
      });
      const errors: string[] = [];
      const onEvent = ({ diagnosticEvent }: EngineEvent) => {
        if (diagnosticEvent?.severity === "error") errors.push(diagnosticEvent.message);
      };
      const output = await tested.failure(tested.stack.preview({ onEvent }));
      assert.equal(errors.length, 1);
      assert.match(errors[0] ?? "", says);
      assert.doesNotMatch(output, /\n\s+at /);
    });
  }
});
