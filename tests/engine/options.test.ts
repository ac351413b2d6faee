/** What Pulumi's options do with pulumi-clouddb, as docs/operations.md and docs/guides/languages.md say. */
import assert from "node:assert/strict";
import type * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import { key, projectId, settingsFor } from "../support/service";
import { stateFile } from "./stack";
import { useStack } from "./useStack";

const urn = (type: string, name: string) =>
  `urn:pulumi:test::tested::pulumi-nodejs:dynamic/clouddb:${type}::${name}`;

describe("a stack that uses pulumi-clouddb", () => {
  const { service, createInline } = useStack();
  const resources =
    (
      args: { enabled: boolean; form: "srv" | "hosts" },
      options: pulumi.CustomResourceOptions = {},
    ) =>
    () => {
      const { enabled, form } = args;
      new clouddb.PrivateIpMode("mode", { projectId, enabled }, options);
      const query = { projectId, clusterName: "orders", form };
      new clouddb.ClusterConnectionStrings("orders", query, options);
      return Promise.resolve({});
    };
  const recorded = { enabled: false, form: "srv" } as const;
  const changed = { enabled: true, form: "hosts" } as const;

  it("ignores changes in the program but not in the service, and ignores replaceOnChanges", async () => {
    const { stack, program } = await createInline(
      resources(recorded, { additionalSecretOutputs: ["recommended"] }),
    );
    await stack.up();
    assert.match(stateFile(stack), /"recommended":"db\+srv:\/\/orders\./);
    const ignoreChanges = ["*"];
    program(resources(changed, { ignoreChanges }));
    assert.deepEqual((await stack.preview()).changeSummary, { same: 3 });
    service.project().setPrivateIpMode(true);
    assert.deepEqual((await stack.preview()).changeSummary, { same: 2, update: 1 });
    service.project().setPrivateIpMode(false);
    program(resources(changed, { replaceOnChanges: ["enabled", "form"] }));
    assert.deepEqual((await stack.preview()).changeSummary, { same: 1, update: 2 });
  });

  it("excludes the lookup of a missing cluster, checks only targets, and ends at a failed check", async () => {
    const { stack, failure } = await createInline(resources(recorded));
    const lookup = urn("ClusterConnectionStrings", "orders");
    await stack.up();
    service.project().removeCluster("orders");
    service.project().setPrivateIpMode(true);
    for (const options of [{ exclude: [lookup] }, { target: [urn("PrivateIpMode", "mode")] }]) {
      const { changeSummary } = await stack.preview(options);
      assert.equal(changeSummary.update, 1);
    }
    assert.match(await failure(stack.up({ continueOnError: true })), /has no cluster orders/);
    service.project().setPrivateIpMode(true);
    service.project().updateCluster("billing", { version: "6.0.5" });
    const target = [urn("PrivateIpMode", "mode")];
    assert.match(await failure(stack.preview({ target })), /billing +6\.0\.5/);
  });

  it("waits for waitSeconds, whatever customTimeouts say", async () => {
    const customTimeouts = { create: "1s" };
    const { stack, failure } = await createInline(() => {
      const args = { projectId, clusterName: "later", waitSeconds: 2 };
      new clouddb.ClusterConnectionStrings("later", args, { customTimeouts });
      return Promise.resolve({});
    });
    assert.match(await failure(stack.up()), /Timed out after 2 s \(waitSeconds: 2\)/);
  });

  it("cannot be imported", async () => {
    const { stack, failure } = await createInline(() => Promise.resolve({}));
    const type = "pulumi-nodejs:dynamic/clouddb:PrivateIpMode";
    const imported = { resources: [{ type, name: "mode", id: projectId }], generateCode: false };
    assert.match(await failure(stack.import(imported)), /code must be a string, not undefined/);
  });

  it("is refreshed with the recorded settings unless the program runs, and destroyed without any", async () => {
    const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...environment } = settingsFor(service);
    const { stack, failure } = await createInline(resources(recorded), { environment });
    const configure = (privateKey: string) =>
      stack.setAllConfig({
        "clouddb:publicKey": { value: key.publicKey },
        "clouddb:privateKey": { value: privateKey, secret: true },
      });
    await configure(key.privateKey);
    await stack.up();
    await configure("wr0ng");
    assert.deepEqual((await stack.refresh()).summary.resourceChanges, { same: 3 });
    assert.match(await failure(stack.refresh({ runProgram: true })), /401/);
    const before = service.requests.length;
    await stack.destroy();
    assert.equal(service.requests.length, before);
  });
});
