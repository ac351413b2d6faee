import assert from "node:assert/strict";
import { list, lookup, moved, reportOn, secret, shownText, stateOf, urnOf } from "./recorded";

const clusterUrn = urnOf("main", "shop:index:Cluster");
/** A resource in the state, which is a custom one. */
const recorded = (urn: string, rest: object = {}) => ({ urn, custom: true, ...rest });
const lookupOf = (name: string, rest: object) =>
  recorded(urnOf(name), { inputs: lookup({ recommended: `db+srv://${name}` }), ...rest });
const same = (urn: string) => {
  const inputs = lookup({ recommended: `db+srv://${urn.split("::").at(-1)}` });
  return { op: "same", urn, old: { inputs }, new: { inputs } };
};
const changed = (urn: string, rest: object = {}) => ({
  op: "update",
  urn,
  old: { inputs: { __provider: "x", tags: "a", size: 1 } },
  new: { inputs: { __provider: "y", tags: "b", size: 1 } },
  ...rest,
});
const cluster = recorded(clusterUrn);
const onCluster = { dependencies: [clusterUrn] };
const orders = lookupOf("orders", onCluster);

/** Returns the sentence about the lookup `orders` and others. */
function sentenceOf(steps: readonly object[], ...state: readonly object[]): string | undefined {
  const text = shownText(steps, { state: stateOf(...state) });
  return /\n\n(After .*)\n/.exec(text)?.[1];
}

describe("a report of a changed resource on which lookups depend", () => {
  const after =
    "is looked up again in this update, so its string can differ from the one shown here.";
  const steps = [changed(clusterUrn), same(orders.urn)];

  it("says that their strings can change, and what receives them", () => {
    const secretUrn = urnOf("orders-db", "kubernetes:core/v1:Secret");
    const deploymentUrn = urnOf("api", "kubernetes:apps/v1:Deployment");
    const state = [
      cluster,
      orders,
      recorded(secretUrn, { propertyDependencies: { data: [orders.urn] } }),
      recorded(deploymentUrn, { propertyDependencies: { spec: [secretUrn] } }),
    ];
    const outputs = { url: "db+srv://orders", other: "db+srv://other" };
    const stack = { urn: urnOf("infra-dev", "pulumi:pulumi:Stack"), op: "same" };
    const all = [
      ...steps,
      ...[secretUrn, deploymentUrn].map((urn) => ({ op: "same", urn })),
      { ...stack, old: { outputs }, new: { outputs } },
    ];
    assert.equal(
      sentenceOf(all, ...state),
      `After Cluster \`main\` changes (\`tags\`), \`orders\` ${after} It is used by Secret \`orders-db\`, then Deployment \`api\`; output \`url\`.`,
    );
  });

  const between = recorded(urnOf("project", "shop:index:Project"), onCluster);
  const parent = recorded(urnOf("group", "my:index:Group"), { custom: false, ...onCluster });
  for (const [how, state] of [
    ["by dependsOn", [orders]],
    ["by an argument", [lookupOf("orders", { propertyDependencies: { a: [clusterUrn] } })]],
    ["as their parent", [lookupOf("orders", { parent: clusterUrn })]],
    [
      "through a resource that does not change",
      [between, lookupOf("orders", { dependencies: [between.urn] })],
    ],
    [
      "through another lookup",
      [lookupOf("a", onCluster), lookupOf("orders", { dependencies: [urnOf("a")] })],
    ],
    ["through the component that has them", [parent, lookupOf("orders", { parent: parent.urn })]],
  ] as const) {
    it(`says so if they depend on it ${how}`, () => {
      assert.match(sentenceOf(steps, cluster, ...state) ?? "", /^After Cluster `main` changes /);
    });
  }

  it("says so of a lookup that changes, too, and of resources that aliases rename", () => {
    const renamed = { urn: urnOf("new", "shop:index:Cluster") };
    const step = moved("orders");
    const all = [changed(clusterUrn, { ...renamed, old: { urn: clusterUrn } }), step];
    const start = /^After Cluster `new` changes \(`size`, `tags`\), `orders` is looked up again/;
    assert.match(sentenceOf(all, cluster, orders) ?? "", start);
  });

  it("says so of a lookup by `get`", () => {
    const all = [changed(clusterUrn), { ...same(orders.urn), op: "read" }];
    assert.match(sentenceOf(all, cluster, orders) ?? "", /^After Cluster `main` changes /);
  });

  for (const [what, all, ...state] of [
    ["nothing changes", [same(clusterUrn), same(orders.urn)], cluster, orders],
    ["it is deleted", [{ op: "delete", urn: clusterUrn }, same(orders.urn)], cluster, orders],
    ["it is only read", [{ op: "read", urn: clusterUrn }, same(orders.urn)], cluster, orders],
    [
      "it is a component",
      [changed(parent.urn), same(orders.urn)],
      parent,
      lookupOf("orders", { dependencies: [parent.urn] }),
    ],
    [
      "it is of this package",
      [changed(urnOf("a")), same(orders.urn)],
      lookupOf("a", {}),
      lookupOf("orders", { dependencies: [urnOf("a")] }),
    ],
    ["the lookup does not depend on it", steps, cluster, lookupOf("orders", {})],
    [
      "the lookup is deleted",
      [changed(clusterUrn), { op: "delete", urn: orders.urn }],
      cluster,
      orders,
    ],
    [
      "a row says that its string is known after the update",
      [changed(clusterUrn), { ...same(orders.urn), op: "update", new: { inputs: lookup({}) } }],
      cluster,
      orders,
    ],
    [
      "the lookup is replaced",
      [changed(clusterUrn), { ...same(orders.urn), op: "replace" }],
      cluster,
      orders,
    ],
  ] as const) {
    it(`does not say so if ${what}`, () => {
      assert.equal(sentenceOf(all, ...state), undefined);
    });
  }

  it("does not say so if a limit decides which resources are updated", () => {
    const text = shownText(steps, { state: stateOf(cluster, orders), isTargeted: true });
    assert.doesNotMatch(text, /After/);
  });

  it("names the nearest five of several, with three properties of each", () => {
    const urns = list(7, (at) => urnOf(`c${at}`, "shop:index:Cluster"));
    const [far = "", ...near] = urns;
    const diffs = ["a", "b", "c", "d", "e"];
    const state = [
      recorded(far),
      // It changes later than the next one, on which the lookup depends.
      ...near.map((urn) => recorded(urn, { dependencies: [far] })),
      lookupOf("orders", { dependencies: near.slice(1) }),
      lookupOf("a", { dependencies: near.slice(0, 1) }),
    ];
    const all = [...urns.map((urn) => changed(urn, { diffs })), same(orders.urn), same(urnOf("a"))];
    const each = near
      .slice(1)
      .map((_, at) => `Cluster \`c${at + 2}\` (\`a\`, \`b\`, \`c\` and 2 more)`);
    assert.equal(
      sentenceOf(all, ...state),
      `After ${each.join(", ")} and 1 more change, \`a\`, \`orders\` are looked up again in this update, so their strings can differ from those shown here.`,
    );
  });

  it("takes a changed resource on the way for the cause, not what that depends on", () => {
    const state = [cluster, between, lookupOf("orders", { dependencies: [between.urn] })];
    const sentence = sentenceOf([...steps, changed(between.urn)], ...state);
    assert.match(sentence ?? "", /^After Project `project` changes \(`tags`\), `orders` /);
  });
});

describe("a report of a changed provider of lookups", () => {
  for (const [what, type, before, after, cause] of [
    ["the address", "clouddb", { baseUrl: "a" }, { baseUrl: "b" }, "changes (`baseUrl`), "],
    ["the account", "clouddb", { clientId: "a" }, { clientId: "b" }, "changes (`clientId`), "],
    [
      "the timeout",
      "clouddb",
      { requestTimeoutSeconds: 1 },
      { requestTimeoutSeconds: 2 },
      undefined,
    ],
    [
      "secret settings",
      "pulumi-nodejs",
      { "clouddb:publicKey": secret, "clouddb:privateKey": secret },
      { "clouddb:publicKey": secret, "clouddb:privateKey": secret },
      "changes, ",
    ],
    [
      "a secret token",
      "pulumi-nodejs",
      { "clouddb:accessToken": secret, "clouddb:baseUrl": secret },
      { "clouddb:accessToken": secret, "clouddb:baseUrl": secret },
      undefined,
    ],
    ["a setting of another provider", "pulumi-nodejs", { a: 1 }, { a: 2 }, undefined],
  ] as const) {
    it(`${cause === undefined ? "does not say" : "says"} that their strings can change: ${what}`, () => {
      const urn = urnOf("second", `pulumi:providers:${type}`);
      const state = stateOf(
        recorded(urn, { inputs: before }),
        lookupOf("orders", { provider: `${urn}::0a1b` }),
      );
      const step = { op: "update", urn, old: { inputs: before }, new: { inputs: after } };
      const text = shownText([step, same(urnOf("orders"))], { state });
      const start = "After Provider `second` ";
      assert.equal(/\n\n(After .*)`orders`/.exec(text)?.[1], cause && `${start}${cause}`);
    });
  }

  it("looks for causes through it, but not through the provider of another resource", () => {
    const accountUrn = urnOf("ci", "shop:index:Account");
    const providerUrn = urnOf("second", "pulumi:providers:clouddb");
    const provider = recorded(providerUrn, { dependencies: [accountUrn] });
    const reference = `${providerUrn}::0a1b`;
    const steps = [changed(accountUrn), { op: "same", urn: providerUrn }, same(urnOf("orders"))];
    const report = (...state: readonly object[]) =>
      reportOn({ steps }, { state: stateOf(recorded(accountUrn), provider, ...state) })
        .laterLookups;
    assert.ok(report(lookupOf("orders", { provider: reference })));
    const between = recorded(urnOf("x", "shop:index:Cluster"), { provider: reference });
    assert.equal(report(between, lookupOf("orders", { dependencies: [between.urn] })), undefined);
  });
});
