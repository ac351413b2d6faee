import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { ClusterConnectionStrings, DatabaseUrl, PrivateIpMode, Provider } from "pulumi-clouddb";
import { useMockedEngine, valueOf } from "./mockedEngine";
import { providerText } from "../../../provider/src/providerText";

describe("a resource in a program", () => {
  const projectId = "64a0c0ffee0000000000a001";
  const args = { projectId, clusterName: "orders" };

  it("rejects the option import", () => {
    const options = { import: projectId };
    const expected = {
      name: "Error",
      message:
        /^the resource "orders" has the option import, .* do not support\. Remove the option, because creating the resource adopts/,
    };
    for (const declare of [
      () => new PrivateIpMode("orders", { projectId, enabled: false }, options),
      () => new ClusterConnectionStrings("orders", args, options),
    ]) {
      assert.throws(declare, expected);
    }
  });

  it("keeps the stack trace of an error, and restores Error.stackTraceLimit", () => {
    const before = Error.stackTraceLimit;
    assert.throws(
      () => new ClusterConnectionStrings("", args),
      (error: Error) => /resource\.test/.test(error.stack ?? ""),
    );
    assert.equal(Error.stackTraceLimit, before);
  });
});

describe("the stack traces of a resource's outputs", () => {
  useMockedEngine();

  it("are not recorded, because they cost 12 % of a preview (docs/internals/decisions.md#0014-measured-optimizations)", () => {
    const previous: unknown = Reflect.get(Error, "prepareStackTrace");
    const frames: number[] = [];
    Error.prepareStackTrace = (_error, calls) => String(frames.push(calls.length));
    try {
      new ClusterConnectionStrings("orders", { projectId: "p", clusterName: "orders" });
    } finally {
      Reflect.set(Error, "prepareStackTrace", previous);
    }
    assert.ok(frames.length > 40, "Pulumi records one for each of four promises of an output");
    assert.ok(frames.filter((count) => count > 0).length < 10);
  });
});

describe("a DatabaseUrl in a program", () => {
  const declared: string[] = [];
  before(async () => {
    const newResource: pulumi.runtime.Mocks["newResource"] = ({ name }) => {
      declared.push(name);
      return { id: "none", state: { url: "db://app:p@orders.example" } };
    };
    await pulumi.runtime.setMocks({ newResource, call: () => ({}) });
  });

  it("leaves missing arguments and options to check", async () => {
    for (const parameters of [["omitted"], ["null", null], ["options", {}, null]]) {
      // Programs in JavaScript can pass anything.
      const declaring: unknown = Reflect.construct(DatabaseUrl, parameters);
      assert.ok(DatabaseUrl.isInstance(declaring));
      await valueOf(declaring.url);
    }
    assert.deepEqual(declared, ["omitted", "null", "options"]);
  });

  it("rejects an option with a name that Pulumi drops", () => {
    const options = Object.fromEntries([["__proto__", "hunter2"]]);
    assert.throws(
      () => new DatabaseUrl("orders", { connectionString: "db://orders.example", options }),
      {
        code: "argument",
        message:
          'the options of the DatabaseUrl "orders" must not contain the name __proto__. Remove it. [clouddb-argument]',
      },
    );
  });
});

describe("isInstance", () => {
  useMockedEngine();

  it("tells the resources of each class from others, as those of generated SDKs do", () => {
    const projectId = "64a0c0ffee0000000000a001";
    const resources = [
      new PrivateIpMode("orders", { projectId, enabled: false }),
      new ClusterConnectionStrings("orders", { projectId, clusterName: "orders" }),
      new Provider("partner"),
    ];
    const classes = [PrivateIpMode, ClusterConnectionStrings, Provider];
    for (const [at, type] of classes.entries()) {
      const expected = resources.map((_, index) => index === at);
      assert.deepEqual(
        resources.map((resource) => type.isInstance(resource)),
        expected,
      );
      for (const other of [{}, null, undefined, type.name]) assert.ok(!type.isInstance(other));
    }
    assert.ok(resources.every((resource) => pulumi.CustomResource.isInstance(resource)));
  });

  it("accepts the types of the plugin's resources", () => {
    const ofType = (name: string) => ({ __pulumiType: `clouddb:index:${name}` });
    assert.ok(PrivateIpMode.isInstance(ofType("PrivateIpMode")));
    assert.ok(ClusterConnectionStrings.isInstance(ofType("ClusterConnectionStrings")));
    assert.ok(!PrivateIpMode.isInstance(ofType("ClusterConnectionStrings")));
  });
});

describe("a resource that lacks an output", () => {
  it("has the output as undefined, although the state records null", async () => {
    const state = { legacySrv: null, standardSrv: "db+srv://orders" };
    const newResource = () => ({ id: "orders", state });
    await pulumi.runtime.setMocks({ newResource, call: () => ({}) });
    const args = { projectId: "64a0c0ffee0000000000a001", clusterName: "orders" };
    const { legacySrv, standardSrv } = new ClusterConnectionStrings("orders", args);
    assert.equal(await valueOf(legacySrv), undefined);
    assert.equal(await valueOf(standardSrv), "db+srv://orders");
  });
});

describe("the provider text", () => {
  for (const lifecycle of ["privateIpMode", "clusterConnectionStrings", "databaseUrl"] as const) {
    it(`equals the text that released versions recorded for ${lifecycle}`, () => {
      const text = `exports.handler=()=>require("pulumi-clouddb/runtime").${lifecycle}`;
      assert.equal(providerText(lifecycle), text);
    });
  }
});
