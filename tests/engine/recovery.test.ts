/** What docs/operations.md says about failed updates, apart from killed processes (kills.test.ts). */
import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import type { PulumiFn, Stack } from "@pulumi/pulumi/automation";
import * as clouddb from "pulumi-clouddb";
import { key, projectId, quickstartSeed } from "../service";
import { ClusterConnectionStrings, PrivateIpMode } from "./attachedPlugin";
import { useStack } from "./useStack";

/** A second key of the quickstart's organization, which replaces the first one. */
const newKey = { publicKey: "rotated", privateKey: "rotated-secret" };

function seedWithTwoKeys() {
  const seed = quickstartSeed();
  const [organization] = seed.organizations ?? [];
  const [first] = organization?.apiKeys ?? [];
  assert.ok(first);
  organization?.apiKeys?.push({ ...first, ...newKey });
  return seed;
}

describe("an update that failed", () => {
  const { service, createInline } = useStack({ seed: seedWithTwoKeys() });
  const mode = (enabled: boolean) => () => {
    new PrivateIpMode("mode", { projectId, enabled });
    return Promise.resolve({});
  };
  /** Makes the service reject the quickstart's key. */
  const revokeKey = () => {
    service.faults.push({ withCredentials: true, status: 401, times: 1000 });
  };

  it("is completed by the next update after an outage of the service", async () => {
    const { stack, failure } = await createInline(mode(false));
    service.faults.push({ method: "PATCH", withCredentials: true, status: 503, times: 1000 });
    assert.match(await failure(stack.up()), /responded with 503/);
    assert.equal(service.project().privateIpMode.enabled, true);
    service.faults.clear();
    await stack.up();
    assert.equal(service.project().privateIpMode.enabled, false);
  });

  it("is completed with new credentials after the old ones were revoked", async () => {
    const { stack, failure } = await createInline(mode(true));
    revokeKey();
    const output = await failure(stack.up());
    assert.match(output, /Check the API key or service account/);
    assert.doesNotMatch(output, new RegExp(key.privateKey));
    service.faults.clear();
    process.env["CLOUDDB_PUBLIC_KEY"] = newKey.publicKey;
    process.env["CLOUDDB_PRIVATE_KEY"] = newKey.privateKey;
    await stack.up();
    assert.equal(service.requests.at(-1)?.principal, newKey.publicKey);
  });

  it("uses the recorded credentials of an explicit provider in a destroy, unless the program runs", async () => {
    const programWith =
      ({ publicKey, privateKey }: typeof key): PulumiFn =>
      () => {
        const secret = pulumi.secret(privateKey);
        const provider = new clouddb.Provider("own", { publicKey, privateKey: secret });
        const args = { projectId, enabled: true, onDelete: "restore" } as const;
        new clouddb.PrivateIpMode("mode", args, { provider });
        return Promise.resolve({});
      };
    service.project().setPrivateIpMode(false);
    const { stack, failure, program } = await createInline(programWith(key));
    await stack.up();
    program(programWith(newKey));
    revokeKey();
    assert.match(await failure(stack.destroy()), /Check the API key or service account/);
    service.faults.clear();
    await stack.destroy({ runProgram: true });
    assert.equal(service.requests.at(-1)?.principal, newKey.publicKey);
  });
});

interface Exported {
  readonly deployment: {
    readonly resources: {
      readonly type: string;
      readonly urn: string;
      inputs?: object;
      outputs?: object;
    }[];
  };
}

describe("a stack whose state was edited or damaged", () => {
  const { service, createInline } = useStack();
  const program = () => {
    new PrivateIpMode("mode", { projectId, enabled: false });
    new ClusterConnectionStrings("orders", { projectId, clusterName: "orders" });
    return Promise.resolve({});
  };
  /** Writes invalid values into the recorded state of the resources of one type. */
  const damage = async (stack: Stack, type: string, invalid: object) => {
    const exported = (await stack.exportStack()) as Exported & { version: number };
    for (const resource of exported.deployment.resources) {
      if (!resource.type.endsWith(`:${type}`)) continue;
      resource.outputs = { ...resource.outputs, ...invalid };
      resource.inputs = { ...resource.inputs, ...invalid };
    }
    await stack.importStack(exported);
  };

  for (const [type, invalid] of [
    ["PrivateIpMode", { enabled: "sometimes" }],
    ["ClusterConnectionStrings", { privateEndpoints: "none" }],
  ] as const) {
    it(`reports the invalid property of a ${type} in a preview and a refresh, and how to remove it`, async () => {
      const { stack, failure } = await createInline(program);
      await stack.up();
      await damage(stack, type, invalid);
      const [property = ""] = Object.keys(invalid);
      for (const operation of [() => stack.preview(), () => stack.refresh()]) {
        const output = await failure(operation());
        const remedy = "[^]*pulumi state delete[^]*pulumi stack export";
        assert.match(output, new RegExp(`was edited or damaged[^]*\\n *${property}: ${remedy}`));
        assert.doesNotMatch(output, /\n\s+at |ZodError/);
      }
    });
  }

  it("adopts what exists after the state was lost", async () => {
    const { stack } = await createInline(program);
    await stack.up();
    const emptied = await stack.exportStack();
    await stack.importStack({ ...emptied, deployment: { manifest: {} } });
    assert.deepEqual((await stack.up()).summary.resourceChanges, { create: 3 });
    assert.equal(service.project().privateIpMode.enabled, false);
    assert.equal(service.patches().length, 1);
  });
});
