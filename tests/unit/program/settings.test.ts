/** Tests providers that another copy of the package created, and Pulumi's own provider class. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { unknown } from "@pulumi/pulumi/output";
import type { Seed } from "clouddb-simulator";
import { z } from "zod";
import * as clouddb from "../../../provider/src";
import { quickstartSeed, settingsFor, useService } from "../../support/service";
import { useMockedEngine } from "./mockedEngine";

const root = join(__dirname, "..", "..", "..");
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
  const inputs = useMockedEngine();
  const service = useService(twoOrganizations());
  let folder: string;
  let other: typeof clouddb;
  let settings: Record<string, string>;

  before(() => {
    // The stack's credentials, which these calls must not use.
    settings = settingsFor(service);
    Object.assign(process.env, settings);
    mkdirSync(join(root, ".clouddb", "tests"), { recursive: true });
    folder = mkdtempSync(join(root, ".clouddb", "tests", "copy-"));
    const copy = join(folder, "node_modules", "pulumi-clouddb");
    for (const part of ["dist", "package.json"]) {
      cpSync(join(root, "provider", part), join(copy, part), { recursive: true });
    }
    other = createRequire(join(folder, "index.js"))("pulumi-clouddb") as typeof clouddb;
  });

  after(() => {
    for (const name of Object.keys(settings)) Reflect.deleteProperty(process.env, name);
    rmSync(folder, { recursive: true, force: true });
  });

  const principals = () => service.requests.flatMap(({ principal }) => principal ?? []);
  const projectId = partnerProject;
  const value = <T>(output: pulumi.Output<T>) =>
    new Promise<T>((resolve) => {
      output.apply(resolve);
    });
  const inherited = (provider: pulumi.ProviderResource) => ({
    parent: new pulumi.ComponentResource("test:index:Parent", "p", {}, { providers: [provider] }),
  });

  it("come from a provider that another copy of the package created", async () => {
    const provider = new other.Provider("partner", partner);
    const { mode } = await clouddb.getPrivateIpModeReadiness({ projectId }, { provider });
    assert.equal(mode, "disabled");
    const output = clouddb.getPrivateIpModeReadinessOutput({ projectId }, inherited(provider));
    assert.equal((await value(output)).mode, "disabled");
    assert.deepEqual([...new Set(principals())], [partner.publicKey]);
  });

  it("distinguish modes with the same name from two copies of the package", async () => {
    const args = { projectId, enabled: true };
    await pulumi.runtime.runInPulumiStack(async () => {
      new clouddb.PrivateIpMode("one", args);
      return { urn: await value(new other.PrivateIpMode("one", args).urn) };
    });
    const { __resource } = z.object({ __resource: z.string() }).parse(inputs["one"]);
    assert.equal(__resource, "one (number 2 of this name)");
  });

  it("are refused before any request if the provider is not a clouddb.Provider", async () => {
    const raw = new Raw("pulumi-nodejs", "raw\u001b", {
      "clouddb:publicKey": partner.publicKey,
      "clouddb:privateKey": pulumi.secret(partner.privateKey),
    });
    const lookup = { projectId, clusterName: "c" };
    const isRefused = (error: Error) => {
      assert.ok(pulumi.RunError.isInstance(error));
      assert.match(error.message, /the provider "raw\\u\{1b\}".* is not a clouddb\.Provider/);
      return true;
    };
    for (const [options, how] of [
      [{ provider: raw }, /, which is passed to this call,/],
      [inherited(raw), /, which is inherited from the parent,/],
    ] as const) {
      await assert.rejects(clouddb.getPrivateIpModeReadiness({ projectId }, options), isRefused);
      await assert.rejects(clouddb.getConnectionStrings(lookup, options), how);
      assert.throws(() => clouddb.getPrivateIpModeReadinessOutput({ projectId }, options), how);
      assert.throws(() => clouddb.getConnectionStringsOutput(lookup, options), isRefused);
    }
    assert.deepEqual(service.requests, []);
  });

  it("are refused if the provider was created by a version that records them differently", async () => {
    const later = new Raw("pulumi-nodejs", "later", {});
    const value = { version: 2, credentials: {} };
    Object.defineProperty(later, Symbol.for("pulumi-clouddb.settings"), { value });
    await assert.rejects(
      clouddb.getPrivateIpModeReadiness({ projectId }, { provider: later }),
      /"later".* was created by another version of pulumi-clouddb.*Install only one version/,
    );
  });

  it("are refused if one of them is unknown in a preview", async () => {
    const provider = new clouddb.Provider("partner", {
      ...partner,
      baseUrl: pulumi.output(unknown).apply(String),
    });
    await assert.rejects(
      clouddb.getPrivateIpModeReadiness({ projectId }, { provider }),
      /the settings of this call's provider are not known in this preview\. Use the function whose name ends in Output/,
    );
  });

  it("are not enumerable on the provider, so that nothing prints them", () => {
    const provider = new clouddb.Provider("partner", partner);
    const key = Symbol.for("pulumi-clouddb.settings");
    assert.equal(Object.getOwnPropertyDescriptor(provider, key)?.enumerable, false);
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
    `warning: [runtime] clouddb:${key} is stored in plain text in the stack's configuration. Run:\n  pulumi config set --secret clouddb:${key}\n[clouddb-plain-text-secret]`;

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
