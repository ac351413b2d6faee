/** Finds the receivers of strings in a state, with the steps of a preview. */
import assert from "node:assert/strict";
import type { Receivers } from "../../../provider/src/report/model";
import { ReceiverIndex } from "../../../provider/src/report/decide/receivers";
import type { Properties } from "../../../provider/src/report/values";
import { eventLog, eventsOf, secret, stateOf, unknown, urnOf } from "./recorded";

const lookup = (name: string, projectId = "p", host = name) => ({
  urn: urnOf(name),
  inputs: { projectId, clusterName: name, recommended: `db+srv://${host}`, standard: "db://std" },
});
const secretType = "kubernetes:core/v1:Secret";
const resource = (name: string, from: readonly { readonly urn: string }[], rest: object = {}) => ({
  urn: urnOf(name, secretType),
  propertyDependencies: { data: from.map(({ urn }) => urn) },
  ...rest,
});
const stack = { op: "same", urn: urnOf("infra-dev", "pulumi:pulumi:Stack") };
/** The steps of a preview with this event for each resource. */
const stepsOf = (...steps: readonly object[]) => eventLog(eventsOf({ steps })).steps;
const indexOf = (resources: readonly object[], ...steps: readonly object[]) =>
  new ReceiverIndex({ steps: stepsOf(...steps) }, stateOf(...resources));
const named = ({ direct, further, outputs }: Receivers) => [
  ...[direct, further].map((all) => all.map(({ name }) => name)),
  outputs,
];
const orders = lookup("orders");
/** A change from one string to another, as the report shows them. */
const change = (from?: string, to?: string) => {
  const value = (string: string | undefined) =>
    string === undefined ? undefined : { network: undefined, string };
  const type = "ClusterConnectionStrings";
  return { type, from: value(from), to: value(to), policy: undefined } as const;
};

/** Returns what receives the string of the lookup `orders`. */
function ofOrders(resources: readonly object[], ...steps: readonly object[]) {
  return indexOf([orders, ...resources], ...steps).ofString(orders.urn, change());
}

describe("the resources that receive a string", () => {
  const first = resource("secret", [orders]);

  it("are those of its lookup and those that have a value of them, each once", () => {
    const api = resource("api", [first, orders]);
    const worker = resource("worker", [first]);
    const dashboard = resource("dashboard", [api, worker]);
    const other = resource("other", [lookup("other")]);
    assert.deepEqual(named(ofOrders([first, api, worker, dashboard, other])), [
      ["secret", "api"],
      ["worker", "dashboard"],
      [],
    ]);
  });

  it("are found among resources that depend on each other", () => {
    const a = resource("a", [orders, { urn: urnOf("b", secretType) }]);
    assert.deepEqual(named(ofOrders([a, resource("b", [a])])), [["a"], ["b"], []]);
  });

  it("are those with an input of it, not those that only depend on it", () => {
    const dependencies = [orders.urn];
    const without = { propertyDependencies: { data: [] }, inputs: { data: "x" }, dependencies };
    const resources = [
      resource("ordered", [], without),
      resource("empty", [], { propertyDependencies: undefined, inputs: {}, dependencies }),
      // An older state does not say which input it is.
      resource("older", [], {
        propertyDependencies: undefined,
        inputs: { data: "x" },
        dependencies,
      }),
    ];
    assert.deepEqual(named(ofOrders(resources)), [["older"], [], []]);
  });

  it("are the resources of a provider that receives it", () => {
    const provider = {
      ...resource("db", [orders]),
      urn: urnOf("db", "pulumi:providers:postgresql"),
    };
    const role = resource("role", [], { provider: `${provider.urn}::0a1b-2c3d` });
    const steps = [
      { op: "update", urn: provider.urn },
      { op: "same", urn: role.urn },
    ];
    const found = ofOrders([provider, role], ...steps);
    assert.deepEqual(named(found), [["db"], ["role"], []]);
    assert.deepEqual(found.unchanged, [], "a role has no string to keep");
  });

  it("are, as far as the preview keeps them, those that have a value of another changed one", () => {
    const [api, port, job] = ["api", "port", "job"].map((name) => resource(name, [first]));
    assert.ok(api && port && job);
    const version = resource("version", [orders]);
    const behind = [resource("behind-api", [api]), resource("behind-version", [version])];
    const found = ofOrders(
      [first, api, port, job, version, ...behind],
      { op: "update", urn: first.urn },
      { op: "same", urn: api.urn },
      { op: "delete", urn: port.urn },
      ...["create-replacement", "replace", "delete-replaced"].map((op) => ({ op, urn: job.urn })),
      { op: "same", urn: version.urn },
      ...behind.map(({ urn }) => ({ op: "same", urn })),
    );
    assert.deepEqual(named(found), [["secret"], ["api", "job"], []]);
    assert.deepEqual(
      found.unchanged.map(({ name }) => name),
      ["api"],
    );
  });

  it("are found if an alias renames its lookup or one of them", () => {
    const index = indexOf([orders, first], {
      op: "update",
      urn: urnOf("renamed", secretType),
      old: { urn: first.urn },
      new: {},
    });
    assert.deepEqual(named(index.ofString(orders.urn, change())), [["renamed"], [], []]);
  });
});

describe("a DatabaseUrl", () => {
  const url = { ...resource("url", [orders]), urn: urnOf("url", "clouddb:index:DatabaseUrl") };
  const step = { op: "update", urn: orders.urn, old: {}, new: { inputs: orders.inputs } };

  for (const [connectionString, names] of [
    ["db+srv://orders", ["url", "secret"]],
    ["db://std", ["url", "secret"]],
    ["db+srv://billing", []],
    [secret, ["url", "secret"]],
    [undefined, ["url", "secret"]],
  ] as const) {
    it(`receives the string of a lookup unless it has that of another one: ${JSON.stringify(connectionString)}`, () => {
      const behind = resource("secret", [url]);
      const changed = {
        op: "update",
        urn: url.urn,
        old: {},
        new: { inputs: { connectionString } },
      };
      const found = ofOrders([url, behind], step, changed, { op: "update", urn: behind.urn });
      assert.deepEqual(
        [...found.direct, ...found.further].map(({ name }) => name),
        names,
      );
    });
  }
});

describe("the stack outputs that receive a string", () => {
  const [a, b] = ["db+srv://a", "db+srv://b"];
  const stackStep = (old: Properties | undefined, changed: Properties) => ({
    ...stack,
    old: old === undefined ? null : { outputs: old },
    new: { outputs: changed },
  });
  const outputsOf = (index: ReceiverIndex, from?: string, to?: string) =>
    index.ofString(orders.urn, change(from, to)).outputs;

  for (const [what, [from, to], before, after, outputs] of [
    ["a deleted string", [a], {}, { url: a }, []],
    ["a deleted string", [a], { url: a }, {}, ["url"]],
    ["a deleted string", [a], { url: a }, { url: a }, []],
    ["an added string", [undefined, a], { url: a }, {}, []],
    ["an added string", [undefined, a], {}, { url: a }, ["url"]],
    ["an added string", [undefined, a], { url: a }, { url: a }, []],
    ["a changed string", [a, b], { url: b }, { url: a }, []],
    ["a changed string", [a, b], { url: a }, { url: b }, ["url"]],
    ["a changed string", [a, b], { url: a }, { url: "db+srv://c" }, []],
    // Nothing shows whether it has the string.
    ["a changed string", [a, b], { url: a }, { url: secret }, ["url"]],
    ["a changed string", [a, b], { url: a }, { url: unknown }, ["url"]],
    ["a changed string", [a, b], {}, { old: a, new: b }, ["new"]],
    ["a changed string", [a, b], { old: a, new: b }, {}, ["old"]],
    // Beside another text that changes, such as the same string of another lookup.
    ["a changed string", [a, b], { all: [a, "x"] }, { all: [a, "y"] }, []],
  ] as const) {
    const texts = `${JSON.stringify(before)} to ${JSON.stringify(after)}`;
    it(`are those with it before or after the preview, as the string is: ${what}, outputs ${texts}`, () => {
      assert.deepEqual(outputsOf(indexOf([], stackStep(before, after)), from, to), outputs);
    });
  }

  const hosts = "h1.db.example:27017,h2.db.example:27017";
  for (const [string, text] of [
    ["db+srv://a", "db+srv://a"],
    ["db+srv://a", "db+srv://app:password@a/shop?w=1"],
    ["db+srv://a", { app: { urls: ["db+srv://a"] } }],
    ["db+srv://a", "mongosh 'db+srv://a/shop' --username app"],
    ["db+srv://a", 'DATABASE_URL="db+srv://a"'],
    ["db+srv://a", JSON.stringify({ text: JSON.stringify({ url: "db+srv://a" }) })],
    ["db+srv://a", "see db+srv://A."],
    ["db+srv://a", "db+srv://b,db+srv://a"],
    [`db://${hosts}/?w=1`, `db://app@${hosts}/shop?w=1`],
  ] as const) {
    it(`are those with ${string} in their text: ${JSON.stringify(text)}`, () => {
      const index = indexOf([], stackStep({}, { text }));
      assert.deepEqual(outputsOf(index, undefined, string), ["text"]);
    });
  }

  for (const text of ["a", "db+srv://a.b", "db+srv://b-a", "db+srv://b", secret, "db://a:1", 1]) {
    it(`are not those with another text: ${JSON.stringify(text)}`, () => {
      const index = indexOf([], stackStep({}, { text }));
      assert.deepEqual(outputsOf(index, undefined, a), []);
    });
  }

  it("are recorded ones without an event of the stack, or of its outputs before the preview", () => {
    const recorded = { urn: stack.urn, outputs: { url: a } };
    for (const steps of [[], [stackStep(undefined, {})]])
      assert.deepEqual(outputsOf(indexOf([recorded], ...steps), a, b), ["url"]);
  });
});

describe("the stack outputs that receive a database URL", () => {
  const url = "db+srv://a%20b:[secret]@a.db.example/shop?w=1";
  const x509 = "db+srv://CN%3Dapp@a.db.example/shop?authMechanism=MONGODB-X509";
  const aws = "db+srv://a.db.example/?w=1&authMechanism=MONGODB-AWS";
  for (const [text, shown, isReceiver] of [
    ["db+srv://a%20b:p%40ss@a.db.example/shop?w=1", url, true],
    ["mongosh 'db+srv://a%20b:pass@a.db.example/shop'", url, true],
    ["db+srv://a%20b:pass@a.db.example", url, false],
    ["db+srv://a%20b:pass@a.db.example/other", url, false],
    ["db+srv://other:pass@a.db.example/shop", url, false],
    ["db+srv://a%20b:pass@b.db.example/shop", url, false],
    ["db+srv://a%20b:${PASSWORD}@a.db.example/shop", url, false],
    ["db+srv://a%20b@a.db.example/shop", url, false],
    ["db+srv://a.db.example/?w=1", url, false],
    ["db+srv://a:pass@a.db.example", "db+srv://[secret]:[secret]@a.db.example", false],
    ["db+srv://a:pass@a.db.example", "[secret]", false],
    ["db+srv://a:pass@a.db.example", "(known after the update)", false],
    [x509, x509, true],
    ["db+srv://CN%3Dapp@a.db.example/shop", x509, true],
    ["db+srv://a.db.example/?w=1", aws, false],
    [`url=${aws}`, aws, true],
  ] as const) {
    it(`are ${isReceiver ? "" : "not "}those with ${text} if the URL is ${shown}`, () => {
      const outputs = { text };
      const index = indexOf([], { ...stack, old: { outputs: {} }, new: { outputs } });
      const url = { ...change(undefined, shown), type: "DatabaseUrl" } as const;
      const found = index.ofString(urnOf("a"), url);
      assert.deepEqual(found.outputs, isReceiver ? ["text"] : []);
    });
  }
});

describe("the receivers of a project", () => {
  const withLegacy = (found: ReturnType<typeof lookup>, legacySrv: string | null) => {
    return { ...found, inputs: { ...found.inputs, legacySrv } };
  };

  it("are those of its lookups that recommend a legacy string, and the outputs with one", () => {
    const legacy = withLegacy(lookup("orders", "p", "orders-ab1cd"), "db+srv://orders-ab1cd");
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
    const resources = [
      legacy,
      billing,
      analytics,
      other,
      resource("secret", [legacy]),
      resource("job", [billing]),
      { urn: stack.urn, outputs },
    ];
    // The strings stay the same.
    const steps = resources.map(({ urn }) => ({ op: "same", urn }));
    for (const receivers of [indexOf(resources), indexOf(resources, ...steps.slice(0, -1))]) {
      const found = receivers.ofProject("p");
      assert.ok(found);
      assert.deepEqual(named(found), [["secret"], [], ["a", "b"]]);
      assert.deepEqual(
        found.lookups.map(({ name }) => name),
        ["orders"],
      );
    }
  });

  it("include a lookup that moves from a legacy string, or is created, in either form", () => {
    const step = (name: string, old: object | undefined, changed: object, type?: string) => {
      const [before, after] = [old, changed].map(
        (rest) => rest && { inputs: { projectId: "p", ...rest } },
      );
      return { op: "x", urn: urnOf(name, type), old: before ?? null, new: after };
    };
    const steps = [
      step("moved", { recommended: "db://a", legacy: "db://a" }, { recommended: "db+srv://b" }),
      step("created", undefined, { recommended: "db://c", legacy: "db://c" }),
      step("other", undefined, { recommended: "db://c", legacy: "db://c" }, "a:b:C"),
      step(
        "of q",
        { recommended: "db+srv://d" },
        { projectId: "q", recommended: "db://d", legacy: "db://d" },
      ),
    ];
    const { lookups = [] } = indexOf([], ...steps).ofProject("p") ?? {};
    assert.deepEqual(
      lookups.map(({ name }) => name),
      ["moved", "created"],
    );
  });

  it("are unknown without a legacy string", () => {
    const none = withLegacy(lookup("orders"), null);
    assert.equal(indexOf([none, resource("secret", [none])]).ofProject("p"), undefined);
  });
});
