import assert from "node:assert/strict";
import fc from "fast-check";
import {
  type CloudProvider,
  type MoveFacts,
  type MovePlan,
  type MoveTarget,
  planMove,
} from "../../../connection-strings/src";
import { moveRules } from "../../../connection-strings/src/moves";

/** A new dedicated replica set in provider A whose applications use the Internet only. Nothing is missing. */
const plain: MoveFacts = {
  provider: "A",
  tier: "dedicated",
  createdAt: new Date("2024-05-01T00:00:00Z"),
  regions: ["us-east-1"],
  version: "7.0.12",
  sharded: false,
  peered: false,
  customDns: false,
  privateIpMode: false,
  privateEndpoints: false,
  regionalized: false,
  optimized: false,
  driver: true,
  legacyStrings: false,
  legacyBackups: false,
};
const old = { createdAt: new Date("2020-11-02T23:59:59Z") };
const optimized = { sharded: true, privateEndpoints: true, optimized: true };
const endpointsInB = { provider: "B", sharded: true, privateEndpoints: true } as const;
const inA = { provider: "A", region: "us-east-1" } as const;
const alsoInA = { provider: "A", region: "eu-west-1" } as const;
const inB = { provider: "B", region: "westeurope" } as const;
const alsoInB = { provider: "B", region: "northeurope" } as const;

/** Writes advice as its rule and text, after its conditions. */
function linesOf(advice: MovePlan["steps"]): string[] {
  return advice.map(
    ({ rule, text, conditions = [] }) => `${rule}: ${[...conditions, text].join(", ")}`,
  );
}

const noDowntime = /^10: .* no downtime/;
const restart = "in the applications, restart them and verify that they connect\\.";
const unchanged = ["unchanged", "unchanged", "unchanged", "unchanged"];
const keepsOthers = ["unchanged", "unchanged"];

describe("planMove", () => {
  const cases: {
    title: string;
    facts?: Partial<MoveFacts>;
    to: readonly MoveTarget[];
    /** The changes of host lists, SRV strings, private endpoints and optimized strings. Default: all unchanged */
    changes?: string[];
    steps?: RegExp[];
    warnings?: RegExp[];
  }[] = [
    { title: "has no steps if nothing changes", to: [{ provider: "A" }] },
    {
      title: "tells peered applications to use peering-private strings in provider C [2.6 rule 3]",
      facts: { peered: true },
      to: [{ provider: "C" }],
      steps: [/^table: .* peering-private strings/, noDowntime],
      warnings: [/^3: .* configure it in provider C/],
    },
    {
      title: "warns that custom DNS requires peering-private strings in provider A [2.6 rule 3]",
      facts: { provider: "C", peered: true, customDns: true },
      to: [{ provider: "A" }],
      steps: [noDowntime],
      warnings: [/^3: /, /^table: With a custom DNS service/],
    },
    {
      title: "ends the optimized string outside provider A [2.6 rule 4]",
      facts: optimized,
      to: [{ provider: "B" }],
      changes: [...keepsOthers, "changes", "ends"],
      steps: [/^4: /, /^table: Set up .* in provider B/, noDowntime, /^table: Adopt/],
      warnings: [/^table: .* interruption/],
    },
    {
      title: "ends every string of a private endpoint in provider C [2.6 rule 4]",
      facts: optimized,
      to: [{ provider: "C" }],
      changes: [...keepsOthers, "ends", "ends"],
      steps: [/^4: /, /^table: .* provider C has no private endpoint strings/, noDowntime],
    },
    ...(
      [
        ["is not sharded", { sharded: false }, [{ provider: "A" }], /not sharded/],
        ["is older than 5.0", { version: "5.0.0-rc1" }, [{ provider: "A" }], /below 5\.0/],
        ["has several regions", {}, [inA, alsoInA], /not enabled/],
        ["has a driver that is too old", { driver: false }, [inA], /plain SRV string/],
      ] as const
    ).map(([reason, facts, to, warning]) => ({
      title: `does not recommend an optimized string if the cluster ${reason} [2.6 rule 4]`,
      facts: { ...endpointsInB, ...facts },
      to,
      changes: [...keepsOthers, "changes", "unchanged"],
      steps: [/^table: Set up/, noDowntime, /^table: Adopt/],
      warnings: [/^table: /, ...("driver" in facts ? [/^8: /] : []), warning],
    })),
    {
      title: "names the string of each region for several regions in provider A [2.6 rule 5]",
      facts: { ...optimized, regionalized: true },
      to: [inA, alsoInA],
      warnings: [/^5: One SRV record cannot/],
    },
    {
      title: "names the regions in provider A of a cluster in several providers [2.6 rule 5]",
      facts: { ...optimized, regionalized: true },
      to: [inA, inB],
      warnings: [/^5: .* each region in provider A/],
    },
    {
      title: "ends the optimized string if several regions are not regionalized [2.6 rule 6]",
      facts: optimized,
      to: [inA, alsoInA],
      changes: [...keepsOthers, "unchanged", "ends"],
      steps: [/^6: Enable regionalized private endpoints/],
    },
    {
      title: "counts a region in two spellings once [2.6 rule 6]",
      facts: optimized,
      to: [inA, { provider: "A", region: "US_EAST_1" }],
    },
    {
      title: "counts the regions of the record if the move names none [2.6 rule 6]",
      facts: { ...optimized, regions: ["us-east-1", "eu-west-1"] },
      to: [{ provider: "A" }],
      changes: [...keepsOthers, "unchanged", "ends"],
      steps: [/^6: /],
    },
    {
      title: "does not know what happens to endpoints in a region that the cluster leaves",
      facts: { privateEndpoints: true },
      to: [alsoInA],
      changes: [...keepsOthers, "unknown", "unknown"],
      warnings: [/^table: .* a region that the cluster leaves/],
    },
    {
      title: "keeps legacy strings [2.6 rule 7]",
      facts: { legacyStrings: true },
      to: [{ provider: "B" }],
      steps: [noDowntime],
      warnings: [/^7: /],
    },
    {
      title: "expects the optimized string to be the default in provider A [2.6 rule 8]",
      facts: endpointsInB,
      to: [{ provider: "A" }],
      changes: [...keepsOthers, "changes", "unchanged"],
      steps: [/^table: Set up/, noDowntime, /^table: Adopt/],
      warnings: [/^table: /, /^8: .* shown by default/],
    },
    ...(["free", "flex"] as const).flatMap((tier) => [
      {
        title: `takes new strings of a ${tier} cluster with legacy strings from the connect view [2.6 rule 9]`,
        facts: { tier, legacyStrings: true },
        to: [{ provider: "C" as const }],
        changes: ["mayChange", "mayChange", ...keepsOthers],
        steps: [
          new RegExp(`^9: Move the ${tier} cluster to provider C`, "i"),
          /^9: .*connect view/,
        ],
        warnings: [/^9: .*\.gcp or \.azure/],
      },
      {
        title: `does not know the strings of a ${tier} cluster without legacy strings [2.6 rule 9]`,
        facts: { tier },
        to: [{ provider: "B" as const }],
        changes: ["unknown", "unknown", ...keepsOthers],
        steps: [/^9: Move/],
        warnings: [/^9: .* does not say/],
      },
    ]),
    {
      title: "keeps the strings of an old cluster in provider A [2.6 rule 10]",
      facts: old,
      to: [{ provider: "B" }],
      steps: [noDowntime],
    },
    {
      title: "keeps the strings of a cluster from 3 November 2020 [2.6 rule 10]",
      facts: { provider: "B", createdAt: new Date("2020-11-03T00:00:00Z") },
      to: [{ provider: "A" }],
      steps: [noDowntime],
    },
    {
      title: "changes the strings of an older cluster in two steps [2.6 rule 10]",
      facts: { ...old, provider: "C" },
      to: [{ provider: "B" }],
      changes: ["changes", "mayChange", ...keepsOthers],
      steps: [
        /^10: Add read-only nodes in provider B\.$/,
        new RegExp(`^10: Adopt the new comma-delimited URI ${restart}$`),
        /^10: Remove the electable nodes of provider C .* in provider B\.$/,
        new RegExp(`^10: Adopt the new URI ${restart}$`),
      ],
      warnings: [/^10: /],
    },
    {
      title: "keeps one node and waits for backups with legacy backups [2.6 rule 10]",
      facts: { ...old, provider: "B", legacyBackups: true },
      to: [{ provider: "A" }],
      changes: ["changes", "mayChange", ...keepsOthers],
      steps: [/Add/, /Keep one node in provider B/, /Adopt/, /Wait for new/, /Remove/, /Adopt/],
      warnings: [/^10: /],
    },
    {
      title: "disables private IP mode before a peered cluster spans provider B [2.6 rule 11]",
      facts: { provider: "B", peered: true, privateIpMode: true },
      to: [inB, alsoInB],
      steps: [/^11: .* peering-private strings/, /^11: Disable private IP mode/],
    },
    {
      title: "keeps private IP mode for one region in provider B [2.6 rule 11]",
      facts: { peered: true, privateIpMode: true },
      to: [inA, inB],
      steps: [/^table: /],
    },
  ];
  for (const { title, facts, to, changes = unchanged, steps = [], warnings = [] } of cases) {
    it(title, () => {
      const plan = planMove({ ...plain, ...facts }, to);
      assert.deepEqual([plan.hosts, plan.srv, plan.privateEndpoint, plan.optimized], changes);
      assert.deepEqual(plan.missing, []);
      for (const [advice, expected] of [
        [linesOf(plan.steps), steps],
        [linesOf(plan.warnings), warnings],
      ] as const) {
        assert.equal(advice.length, expected.length, advice.join("\n"));
        for (const [at, pattern] of expected.entries()) assert.match(advice[at] ?? "", pattern);
      }
    });
  }
});

describe("planMove without all facts", () => {
  it("lists the missing facts, and when advice applies", () => {
    const plan = planMove({ provider: "B", tier: "dedicated", peered: true }, [{ provider: "A" }]);
    const steps = linesOf(plan.steps);
    assert.ok(steps.some((line) => /^10: unless the cluster was created before .* no/.test(line)));
    assert.ok(steps.some((line) => /^10: if the cluster was created before .*, Add/.test(line)));
    assert.match(linesOf(plan.warnings).join("\n"), /^table: if the peered networks use/m);
    assert.equal(plan.hosts, "mayChange");
    assert.ok(plan.missing.includes("createdAt") && plan.missing.includes("customDns"));
    assert.ok(!plan.missing.includes("privateIpMode"));
  });

  it("does not depend on legacy strings if the cluster was created since 31 March 2020", () => {
    const missingAt = (date: string) =>
      planMove({ ...plain, legacyStrings: undefined, createdAt: new Date(date) }, [inB]).missing;
    assert.deepEqual(missingAt("2020-03-30T23:59:59Z"), ["legacyStrings"]);
    assert.deepEqual(missingAt("2020-03-31T00:00:00Z"), []);
  });

  it("treats an invalid date or version as missing", () => {
    const facts = { ...endpointsInB, createdAt: new Date("soon"), version: "new" };
    assert.deepEqual(planMove({ ...plain, ...facts }, [inA]).missing, ["createdAt", "version"]);
  });
});

const anyBoolean = fc.boolean();
const independentFacts = fc.record({
  provider: fc.constantFrom("A", "B", "C"),
  tier: fc.constantFrom("dedicated", "free", "flex"),
  createdAt: fc.constantFrom("2019-01-01", "2020-06-01", "2024-05-01").map((day) => new Date(day)),
  regions: fc.constantFrom(["us-east-1"], ["us-east-1", "eu-west-1"]),
  version: fc.constantFrom("4.4", "8.0.4"),
  ...{ sharded: anyBoolean, peered: anyBoolean, customDns: anyBoolean, driver: anyBoolean },
  ...{ privateIpMode: anyBoolean, privateEndpoints: anyBoolean, regionalized: anyBoolean },
  ...{ optimized: anyBoolean, legacyStrings: anyBoolean, legacyBackups: anyBoolean },
});
const anyFacts = independentFacts.map(
  ({ legacyStrings, createdAt, optimized: isOptimized, ...others }) => ({
    ...others,
    createdAt,
    legacyStrings: legacyStrings && createdAt.getFullYear() < 2020,
    optimized: isOptimized && others.privateEndpoints,
  }),
);
const anyTargets = fc.oneof(
  fc.constantFrom<CloudProvider>("A", "B", "C").map((provider) => [{ provider }]),
  fc.uniqueArray(fc.constantFrom(inA, alsoInA, inB, alsoInB), { minLength: 1 }),
);

describe("the rules of planMove", () => {
  it("apply to some clusters and not to others, and then depend on nothing that is missing (property)", () => {
    const seen = new Set<string>();
    const plans = fc.sample(fc.tuple(anyFacts, anyTargets), { numRuns: 2000, seed: 1 });
    for (const [facts, targets] of plans) {
      const { steps, warnings, missing } = planMove(facts, targets);
      assert.deepEqual(missing, []);
      const texts = [...steps, ...warnings].map(({ rule, text }) => {
        assert.doesNotMatch(text, /[{}]/);
        return `${rule} ${text.slice(0, 16)}`;
      });
      for (const text of texts) seen.add(text);
    }
    for (const { rule, step, warn } of moveRules) {
      for (const template of [step, warn]) {
        const start = template?.split("{")[0]?.slice(0, 16);
        const isSeen = [...seen].some((text) => text.startsWith(`${rule} ${start ?? ""}`));
        assert.ok(start === undefined || isSeen, template);
      }
    }
  });

  it("cover every possibility if facts are missing (property)", () => {
    const anyMissing = fc.subarray(
      ["createdAt", "regions", "version", "sharded", "peered", "customDns", "driver"].concat(
        ["privateIpMode", "privateEndpoints", "regionalized", "optimized"],
        ["legacyStrings", "legacyBackups"],
      ),
    );
    fc.assert(
      fc.property(anyFacts, anyTargets, anyMissing, (facts, targets, missing) => {
        const complete = planMove(facts, targets);
        const absent = Object.fromEntries(missing.map((name) => [name, undefined]));
        const partial = planMove({ ...facts, ...absent }, targets);
        const textsOf = ({ steps, warnings }: MovePlan) =>
          [...steps, ...warnings].map(({ text }) => text);
        for (const text of textsOf(complete)) assert.ok(textsOf(partial).includes(text), text);
        assert.ok(partial.missing.every((name) => missing.includes(name)));
        for (const kind of ["hosts", "srv", "privateEndpoint", "optimized"] as const) {
          if (partial[kind] !== "mayChange") assert.equal(partial[kind], complete[kind], kind);
        }
      }),
    );
  });
});
