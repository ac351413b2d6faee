import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "../../../provider/src";
import { useMockedEngine } from "./mockedEngine";

describe("the warning about secrets in plain text", () => {
  let warnings: string[];
  const { warn } = console;

  useMockedEngine();
  // Without an engine, the SDK's log writes to console.warn.
  beforeEach(() => {
    warnings = [];
    console.warn = (text: string) => void warnings.push(text);
  });
  afterEach(() => {
    console.warn = warn;
  });

  const run = (program: () => void) =>
    pulumi.runtime.runInPulumiStack(() => {
      program();
      return Promise.resolve({});
    });
  const projectId = "64a0c0ffee0000000000a001";
  const declareMode = (name: string) =>
    new clouddb.PrivateIpMode(name, { projectId, enabled: false });
  /** Stays unknown, so that no request is made. */
  const later = pulumi.output(new Promise<string>(() => undefined));
  const account = { clientId: "svc", clientSecret: "svc-secret" };

  const expected = (key: string) =>
    `warning: [runtime] clouddb:${key} is stored in plain text in the stack's configuration: run pulumi config set --secret clouddb:${key}`;

  it("is logged once per run", async () => {
    pulumi.runtime.setAllConfig({ "clouddb:publicKey": "a", "clouddb:privateKey": "plain-text" });
    const program = () => {
      declareMode("one");
      declareMode("two");
      new clouddb.Provider("three", account);
    };
    await run(program);
    assert.deepEqual(warnings, [expected("privateKey")]);
    await run(program);
    assert.deepEqual(warnings, [expected("privateKey"), expected("privateKey")]);
  });

  for (const [what, use] of [
    ["a resource", () => declareMode("one")],
    [
      "a lookup",
      () => new clouddb.ClusterConnectionStrings("one", { projectId, clusterName: "orders" }),
    ],
    ["a provider", () => new clouddb.Provider("one", account)],
    ["a function", () => clouddb.getPrivateIpModeReadiness({ projectId }).catch(() => undefined)],
    [
      "a function that returns an output",
      () => clouddb.getPrivateIpModeReadinessOutput({ projectId: later }),
    ],
  ] as const) {
    it(`is logged if the program uses ${what}`, async () => {
      pulumi.runtime.setAllConfig({ "clouddb:clientSecret": "plain-text" });
      await run(() => void use());
      assert.deepEqual(warnings, [expected("clientSecret")]);
    });
  }

  for (const [what, config, secrets, use] of [
    ["is stored as a secret", { "clouddb:privateKey": "a" }, ["clouddb:privateKey"], declareMode],
    ["is not set", { "clouddb:publicKey": "a" }, [], declareMode],
    ["belongs to another package", { "other:privateKey": "a" }, [], declareMode],
    ["is not used by the program", { "clouddb:privateKey": "a" }, [], () => undefined],
  ] as const) {
    it(`is not logged if the secret ${what}`, async () => {
      pulumi.runtime.setAllConfig(config, [...secrets]);
      await run(() => void use("one"));
      assert.deepEqual(warnings, []);
    });
  }
});
