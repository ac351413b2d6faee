import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "../../../provider/src";

describe("a secret that the stack's configuration keeps in plain text", () => {
  let warnings: string[];
  const { warn } = console;

  before(async () => {
    const mocks: pulumi.runtime.Mocks = {
      newResource: ({ name, inputs }) => ({ id: name, state: inputs as object }),
      call: () => ({}),
    };
    await pulumi.runtime.setMocks(mocks);
  });
  // The SDK's log writes there if there is no engine.
  beforeEach(() => {
    warnings = [];
    console.warn = (text: string) => void warnings.push(text);
  });
  afterEach(() => {
    console.warn = warn;
    pulumi.runtime.setAllConfig({});
  });

  const run = (program: () => void) =>
    pulumi.runtime.runInPulumiStack(() => {
      program();
      return Promise.resolve({});
    });
  const projectId = "64a0c0ffee0000000000a001";
  const hold = (name: string) => new clouddb.PrivateIpMode(name, { projectId, enabled: false });
  /** Not known while the test runs, so that nothing is asked. */
  const later = pulumi.output(new Promise<string>(() => undefined));
  const account = { clientId: "svc", clientSecret: "svc-secret" };

  const expected = (key: string) =>
    `warning: [runtime] clouddb:${key} is stored in plain text in the stack's configuration: run pulumi config set --secret clouddb:${key}`;

  it("is a warning, once in a run, and again in the next one", async () => {
    pulumi.runtime.setAllConfig({ "clouddb:publicKey": "a", "clouddb:privateKey": "plain-text" });
    const program = () => {
      hold("one");
      hold("two");
      new clouddb.Provider("three", account);
    };
    await run(program);
    assert.deepEqual(warnings, [expected("privateKey")]);
    await run(program);
    assert.deepEqual(warnings, [expected("privateKey"), expected("privateKey")]);
  });

  for (const [what, use] of [
    ["a resource", () => hold("one")],
    [
      "a lookup",
      () => new clouddb.ClusterConnectionStrings("one", { projectId, clusterName: "orders" }),
    ],
    ["a provider", () => new clouddb.Provider("one", account)],
    ["a function", () => clouddb.getPrivateIpModeReadiness({ projectId }).catch(() => undefined)],
    ["a function for outputs", () => clouddb.getPrivateIpModeReadinessOutput({ projectId: later })],
  ] as const) {
    it(`is a warning where ${what} is used`, async () => {
      pulumi.runtime.setAllConfig({ "clouddb:clientSecret": "plain-text" });
      await run(() => void use());
      assert.deepEqual(warnings, [expected("clientSecret")]);
    });
  }

  for (const [what, config, secrets, use] of [
    ["is stored as a secret", { "clouddb:privateKey": "a" }, ["clouddb:privateKey"], hold],
    ["is not set", { "clouddb:publicKey": "a" }, [], hold],
    ["is another package's", { "other:privateKey": "a" }, [], hold],
    ["is not used in the run", { "clouddb:privateKey": "a" }, [], () => undefined],
  ] as const) {
    it(`is no warning where it ${what}`, async () => {
      pulumi.runtime.setAllConfig(config, [...secrets]);
      await run(() => void use("one"));
      assert.deepEqual(warnings, []);
    });
  }
});
