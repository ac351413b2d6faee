import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { unknown } from "@pulumi/pulumi/output";
import type { Seed } from "../../../simulator/src";
import * as clouddb from "../../../provider/src";
import {
  projectId as quickstartProject,
  quickstartSeed,
  settingsFor,
  useService,
} from "../../support/service";
import { useMockedEngine, valueOf } from "./mockedEngine";

const partnerProject = "64a0c0ffee0000000000b001";
const partner = { publicKey: "partner", privateKey: "partner-secret" };

/** Returns the quickstart's organization and a second one, which has its own project and key. */
function twoOrganizations(): Seed {
  const seed = quickstartSeed();
  const role = { projectId: partnerProject, role: "owner" } as const;
  return {
    organizations: [
      ...(seed.organizations ?? []),
      { name: "partner", apiKeys: [{ ...partner, roles: [role] }] },
    ],
    projects: [
      ...(seed.projects ?? []),
      { id: partnerProject, name: "reports", organization: "partner", clusters: [] },
    ],
  };
}

/** Pulumi's own class, which is abstract only in TypeScript. */
class Raw extends pulumi.ProviderResource {}

describe("the settings of a call", () => {
  useMockedEngine({ sendsRequests: true });
  const service = useService(twoOrganizations());
  let settings: Record<string, string>;

  before(() => {
    // The stack's credentials, which these calls must not use.
    settings = settingsFor(service);
    Object.assign(process.env, settings);
  });

  after(() => {
    for (const name of Object.keys(settings)) Reflect.deleteProperty(process.env, name);
  });

  const principals = () => service.requests.flatMap(({ principal }) => principal ?? []);
  const projectId = partnerProject;
  const inherited = (provider: pulumi.ProviderResource) => ({
    parent: new pulumi.ComponentResource("test:index:Parent", "p", {}, { providers: [provider] }),
  });

  it("come from the provider of the call", async () => {
    const provider = new clouddb.Provider("partner", partner);
    const { clusters } = await clouddb.getClusters({ projectId }, { provider });
    assert.deepEqual(clusters, []);
    const output = clouddb.getClustersOutput({ projectId }, inherited(provider));
    assert.deepEqual((await valueOf(output)).clusters, []);
    assert.deepEqual([...new Set(principals())], [partner.publicKey]);
  });

  it("are refused before any request if the provider is not a clouddb.Provider", async () => {
    const raw = new Raw("pulumi-nodejs", "raw\u001b", {
      "clouddb:publicKey": partner.publicKey,
      "clouddb:privateKey": pulumi.secret(partner.privateKey),
    });
    const lookup = { projectId, clusterName: "c" };
    for (const [options, how] of [
      [{ provider: raw }, "which is passed to this call"],
      [inherited(raw), "which is inherited from the parent"],
    ] as const) {
      const isRefused = (error: Error) => {
        assert.ok(pulumi.RunError.isInstance(error));
        assert.ok(error.message.includes(`the provider "raw\\u{1b}", ${how},`), error.message);
        return true;
      };
      await assert.rejects(clouddb.getClusters({ projectId }, options), isRefused);
      await assert.rejects(clouddb.getConnectionStrings(lookup, options), isRefused);
      assert.throws(() => clouddb.getClustersOutput({ projectId }, options), isRefused);
      assert.throws(() => clouddb.getConnectionStringsOutput(lookup, options), isRefused);
    }
    assert.deepEqual(service.requests, []);
  });

  for (const [disabled, isRefused] of [
    ['["*"]', true],
    ['["aws", " pulumi-nodejs "]', true],
    ['["aws", "clouddb"]', false],
    ["", false],
  ] as const) {
    const what = isRefused ? "are refused without" : "do not need";
    it(`${what} a provider if the engine disables the default providers ${disabled}`, async () => {
      const provider = new clouddb.Provider("partner", partner);
      pulumi.runtime.setAllConfig({ "pulumi:disable-default-providers": disabled });
      const refusal = {
        code: "disabled-provider",
        message: /^the stack disables the default provider \(pulumi:disable-default-providers\)/,
      };
      const args = { projectId: quickstartProject };
      const direct = clouddb.getClusters(args);
      if (isRefused) {
        await assert.rejects(direct, refusal);
        assert.throws(() => clouddb.getClustersOutput(args), refusal);
        assert.deepEqual(service.requests, []);
      } else {
        assert.equal((await direct).clusters.length, 4);
      }
      await clouddb.getClusters({ projectId }, { provider });
      await valueOf(clouddb.getClustersOutput({ projectId }, inherited(provider)));
    });
  }

  it("are refused if one of them is unknown in a preview", async () => {
    const provider = new clouddb.Provider("partner", {
      ...partner,
      baseUrl: pulumi.output(unknown).apply(String),
    });
    await assert.rejects(
      clouddb.getClusters({ projectId }, { provider }),
      /the settings of this call's provider are not known in this preview\. Use the function whose name ends in Output/,
    );
  });
});

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
    `warning: [runtime] clouddb:${key} is stored in plain text in Pulumi.stack.yaml or Pulumi.yaml. Remove it from Pulumi.yaml if it is there, and run:\n  pulumi config set --secret clouddb:${key}\n[clouddb-plain-text-secret]`;

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
    ["a function", () => clouddb.getClusters({ projectId }).catch(() => undefined)],
    ["a function that returns an output", () => clouddb.getClustersOutput({ projectId: later })],
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
