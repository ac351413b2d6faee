/** Finds the receivers of lookups' strings with only a stack export. */
import assert from "node:assert/strict";
import type { Receivers } from "../../../provider/src/report/model";
import { ReceiverIndex } from "../../../provider/src/report/decide/receivers";
import type { Properties } from "../../../provider/src/report/values";
import { stateOf, urnOf } from "./recorded";

const lookup = (name: string, projectId = "p", host = name) => ({
  urn: urnOf(name),
  inputs: { projectId, clusterName: name, recommended: `db+srv://${host}`, standard: "db://std" },
});
const resource = (name: string, from: readonly { readonly urn: string }[], rest: object = {}) => ({
  urn: urnOf(name, "kubernetes:core/v1:Secret"),
  propertyDependencies: { data: from.map(({ urn }) => urn) },
  ...rest,
});
const receiversIn = (resources: readonly object[]) =>
  new ReceiverIndex({ steps: [] }, stateOf(...resources));
const named = ({ direct, further, outputs }: Receivers) => [
  ...[direct, further].map((all) => all.map(({ name }) => name)),
  outputs,
];

/** Returns the receivers of the first lookup. */
function receiversOf(resources: readonly [ReturnType<typeof lookup>, ...object[]]) {
  const [{ urn, inputs }] = resources;
  return named(receiversIn(resources).ofString({ urn, old: inputs, new: inputs }));
}

describe("the receivers of a connection string", () => {
  const orders = lookup("orders");
  const secret = resource("secret", [orders]);

  it("are those of its lookup and those that receive a value from them, each once", () => {
    const api = resource("api", [secret, orders]);
    const worker = resource("worker", [secret]);
    const dashboard = resource("dashboard", [api, worker]);
    const other = resource("other", [lookup("other")]);
    assert.deepEqual(receiversOf([orders, secret, api, worker, dashboard, other]), [
      ["secret", "api"],
      ["worker", "dashboard"],
      [],
    ]);
  });

  it("are found among resources that depend on each other or have no properties", () => {
    const first = resource("first", [orders, { urn: urnOf("second", "a:b:C") }]);
    const second = { urn: urnOf("second", "a:b:C"), dependencies: [first.urn] };
    assert.deepEqual(receiversOf([orders, first, second]), [["first"], ["second"], []]);
  });

  it("are the resources of a provider that receives it", () => {
    const provider = {
      ...resource("db", [orders]),
      urn: urnOf("db", "pulumi:providers:postgresql"),
    };
    const role = resource("role", [], { provider: `${provider.urn}::0a1b-2c3d` });
    assert.deepEqual(receiversOf([orders, provider, role]), [["db"], ["role"], []]);
  });

  it("are stack outputs with its host, even in an object or with credentials", () => {
    const outputs = {
      url: "db+srv://orders",
      app: { urls: ["db+srv://user:password@orders/app"] },
      other: "db+srv://other",
      standard: "db://std",
      text: "orders",
    };
    const stack = { urn: urnOf("infra-dev", "pulumi:pulumi:Stack"), outputs };
    assert.deepEqual(receiversOf([orders, stack]), [[], [], ["url", "app"]]);
  });
});

describe("the stack outputs that receive a string", () => {
  const stringOf = (host: string) => ({ recommended: `db+srv://${host}` });
  const stack = (old: Properties | undefined, changed: Properties) => {
    const type = "pulumi:pulumi:Stack";
    const states = { old, new: changed, oldOutputs: old };
    return {
      op: "same",
      type,
      name: "infra-dev",
      urn: urnOf("infra-dev", type),
      diffs: [],
      ...states,
    };
  };
  const [a, b] = [stringOf("a"), stringOf("b")];
  const [inA, inB] = ["db+srv://a", "db+srv://b"];
  for (const [what, step, before, after, outputs] of [
    ["a deleted string", { old: a, new: undefined }, {}, { url: inA }, []],
    ["a deleted string", { old: a, new: undefined }, { url: inA }, {}, ["url"]],
    ["a deleted string", { old: a, new: undefined }, { url: inA }, { url: inA }, []],
    ["an added string", { old: undefined, new: a }, { url: inA }, {}, []],
    ["an added string", { old: undefined, new: a }, {}, { url: inA }, ["url"]],
    ["an added string", { old: undefined, new: a }, { url: inA }, { url: inA }, []],
    ["a changed string", { old: a, new: b }, { url: inB }, { url: inA }, []],
    ["a changed string", { old: a, new: b }, { url: inA }, { url: inB }, ["url"]],
    ["a changed string", { old: a, new: b }, {}, { old: inA, new: inB }, ["new"]],
    ["a changed string", { old: a, new: b }, { old: inA, new: inB }, {}, ["old"]],
  ] as const) {
    const change = `${JSON.stringify(before)} to ${JSON.stringify(after)}`;
    it(`are those with it before or after the preview, as the string is: ${what}, outputs ${change}`, () => {
      const index = new ReceiverIndex({ steps: [stack(before, after)] }, []);
      const found = index.ofString({ urn: urnOf("orders"), ...step });
      assert.deepEqual(found.outputs, outputs);
    });
  }

  it("are recorded ones without an event of the stack, or of its outputs before the preview", () => {
    const state = stateOf({
      urn: urnOf("infra-dev", "pulumi:pulumi:Stack"),
      outputs: { url: inA },
    });
    for (const steps of [[], [stack(undefined, {})]]) {
      const index = new ReceiverIndex({ steps }, state);
      const { outputs } = index.ofString({ urn: urnOf("orders"), old: a, new: b });
      assert.deepEqual(outputs, ["url"]);
    }
  });
});

describe("the receivers of a project", () => {
  const withLegacy = (found: ReturnType<typeof lookup>, legacySrv: string | null) => {
    return { ...found, inputs: { ...found.inputs, legacySrv } };
  };

  it("are those of its lookups that recommend a legacy string, and the outputs with one", () => {
    const orders = withLegacy(lookup("orders", "p", "orders-ab1cd"), "db+srv://orders-ab1cd");
    // In a network with a private endpoint, for example.
    const billing = withLegacy(lookup("billing"), "db+srv://billing-ab1cd");
    const analytics = lookup("analytics");
    const other = withLegacy(lookup("other", "q", "other-ab1cd"), "db+srv://other-ab1cd");
    const outputs = {
      a: "db+srv://orders-ab1cd",
      b: "db+srv://billing-ab1cd",
      c: "db+srv://billing",
      d: "db+srv://analytics",
      e: "db+srv://other-ab1cd",
      f: "db://std",
    };
    const receivers = receiversIn([
      orders,
      billing,
      analytics,
      other,
      resource("secret", [orders]),
      resource("job", [billing]),
      { urn: urnOf("infra-dev", "pulumi:pulumi:Stack"), outputs },
    ]).ofProject("p");
    assert.ok(receivers);
    assert.deepEqual(named(receivers), [["secret"], [], ["a", "b"]]);
    assert.deepEqual(
      receivers.lookups.map(({ name }) => name),
      ["orders"],
    );
  });

  it("include a lookup that moves from a legacy string, or is created, in either form", () => {
    const type = "clouddb:index:ClusterConnectionStrings";
    const step = (name: string, old: object | undefined, changed: object) => {
      const [before, after] = [old, changed].map((rest) => rest && { projectId: "p", ...rest });
      const states = { old: before, new: after, oldOutputs: before };
      return { op: "x", type, name, urn: urnOf(name), ...states, diffs: [] };
    };
    const steps = [
      step("moved", { recommended: "db://a", legacy: "db://a" }, { recommended: "db+srv://b" }),
      step("created", undefined, { recommended: "db://c", legacy: "db://c" }),
      { ...step("other", undefined, { recommended: "db://c", legacy: "db://c" }), type: "a:b:C" },
    ];
    const { lookups = [] } = new ReceiverIndex({ steps }, []).ofProject("p") ?? {};
    assert.deepEqual(
      lookups.map(({ name }) => name),
      ["moved", "created"],
    );
  });

  it("are unknown without a legacy string", () => {
    const none = withLegacy(lookup("orders"), null);
    assert.equal(receiversIn([none, resource("secret", [none])]).ofProject("p"), undefined);
  });
});
