// Providers that this copy of the package did not make: another copy's, and Pulumi's own class.
import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { Seed, Simulator } from "clouddb-simulator";
import * as clouddb from "../../../provider/src";
import { serviceOf } from "../../../provider/src/program/provider";
import { quickstartSeed, settingsFor, startService } from "../../service";

const root = join(__dirname, "..", "..", "..");
const partnerProject = "64a0c0ffee0000000000b001";
const partner = { publicKey: "partner", privateKey: "partner-secret" };

/** The quickstart's organization, and another one with a project and a key of its own. */
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

/** Pulumi's own class, which is abstract in TypeScript alone. */
class Raw extends pulumi.ProviderResource {}

describe("a provider that this copy of the package did not make", () => {
  let service: Simulator;
  let folder: string;
  let other: typeof clouddb;
  let settings: Record<string, string>;

  before(async () => {
    const mocks: pulumi.runtime.Mocks = {
      newResource: ({ name, inputs }) => ({ id: name, state: inputs as object }),
      call: () => ({}),
    };
    await pulumi.runtime.setMocks(mocks);
    service = await startService(twoOrganizations());
    // The stack's credentials, which must not be used here.
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

  after(async () => {
    for (const name of Object.keys(settings)) Reflect.deleteProperty(process.env, name);
    rmSync(folder, { recursive: true, force: true });
    await service.stop();
  });

  beforeEach(() => {
    service.reset();
    pulumi.runtime.setAllConfig({});
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

  it("is another class of the same name", () => {
    assert.notEqual(other.Provider, clouddb.Provider);
    assert.equal(other.Provider.name, clouddb.Provider.name);
  });

  it("gives a function its own credentials where another copy of the package made it", async () => {
    const provider = new other.Provider("partner", partner);
    const { mode } = await clouddb.getPrivateIpModeReadiness({ projectId }, { provider });
    assert.equal(mode, "disabled");
    const output = clouddb.getPrivateIpModeReadinessOutput({ projectId }, inherited(provider));
    assert.equal((await value(output)).mode, "disabled");
    assert.deepEqual([...new Set(principals())], [partner.publicKey]);
  });

  it("is refused by a function before any request if it is not a clouddb.Provider", async () => {
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
      [{ provider: raw }, /, given for this call,/],
      [inherited(raw), /, inherited from the parent for this call,/],
    ] as const) {
      await assert.rejects(clouddb.getPrivateIpModeReadiness({ projectId }, options), isRefused);
      await assert.rejects(clouddb.getConnectionStrings(lookup, options), how);
      assert.throws(() => clouddb.getPrivateIpModeReadinessOutput({ projectId }, options), how);
      assert.throws(() => clouddb.getConnectionStringsOutput(lookup, options), isRefused);
    }
    assert.deepEqual(service.requests, []);
  });

  it("is refused where a later version made it, which records settings in another way", async () => {
    const later = new Raw("pulumi-nodejs", "later", {});
    const value = { version: 2, credentials: {} };
    Object.defineProperty(later, Symbol.for("pulumi-clouddb.settings"), { value });
    await assert.rejects(
      clouddb.getPrivateIpModeReadiness({ projectId }, { provider: later }),
      /"later".* was made by another version of pulumi-clouddb.*Install one version/,
    );
  });

  it("shows its settings neither when it is printed nor as JSON", () => {
    const provider = new clouddb.Provider("partner", partner);
    const key = Symbol.for("pulumi-clouddb.settings");
    assert.equal(Object.getOwnPropertyDescriptor(provider, key)?.enumerable, false);
  });

  it("counts as the service of its own base URL where another copy made it", () => {
    const baseUrl = "https://api.example.org";
    const mine = new clouddb.Provider("mine", { ...partner, baseUrl: "HTTPS://API.example.org/" });
    assert.equal(serviceOf(new other.Provider("theirs", { ...partner, baseUrl })), serviceOf(mine));
    assert.notEqual(serviceOf(mine), serviceOf(undefined));
  });

  it("is a service of its own where its base URL is not known", () => {
    const raw = (name: string) => new Raw("pulumi-nodejs", name, {});
    const [one, two] = [raw("one"), raw("two")];
    assert.equal(serviceOf(one), serviceOf(one));
    assert.notEqual(serviceOf(one), serviceOf(two));
    assert.notEqual(serviceOf(one), serviceOf(undefined));
  });
});
