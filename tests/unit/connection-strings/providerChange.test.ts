import assert from "node:assert/strict";
import {
  type Advice,
  type ProviderChange,
  planProviderChange,
} from "../../../connection-strings/src";
import { codeOf } from "./given";

const base: ProviderChange = {
  tier: "dedicated",
  from: "A",
  to: "C",
  createdAt: "2019-06-03T08:00:00Z",
  legacyString: false,
  legacyBackups: false,
  peered: false,
  multiRegion: false,
  privateIpMode: false,
  privateEndpoints: false,
};

const plan = (change: Partial<ProviderChange>) => planProviderChange({ ...base, ...change });
const textOf = (advice: readonly Advice[]) =>
  advice.map(({ rule, text }) => `${rule}: ${text}`).join("\n");

describe("planProviderChange (2.6 rules 9 to 11)", () => {
  for (const tier of ["free", "flex"] as const) {
    for (const [from, to] of [
      ["A", "B"],
      ["B", "C"],
      ["C", "A"],
    ] as const) {
      it(`rule 9: the legacy string of a ${tier} cluster may change from ${from} to ${to}`, () => {
        const { connectionString, steps, warnings } = plan({ tier, from, to, legacyString: true });
        assert.equal(connectionString, "mayChange");
        assert.match(textOf(steps), /9: Take the new connection string .*connect view/);
        assert.match(textOf(warnings), /\.gcp or \.azure/);
      });
    }
  }

  it("rule 9: says that nothing is said of a free cluster without a legacy string", () => {
    const { connectionString, warnings } = plan({ tier: "free" });
    assert.equal(connectionString, "unknown");
    assert.match(textOf(warnings), /does not say/);
  });

  for (const [what, change] of [
    ["a cluster in provider A, however old", {}],
    ["a cluster created on 3 November 2020", { from: "B", createdAt: "2020-11-03" }],
    ["a cluster created later", { from: "C", to: "B", createdAt: "2024-05-01T00:00:00Z" }],
  ] as const) {
    it(`rule 10: ${what} keeps its string, without downtime`, () => {
      const { connectionString, steps, warnings } = plan(change);
      assert.equal(connectionString, "unchanged");
      assert.match(textOf(steps), /^10: Change the cluster's provider .* without downtime\.$/);
      assert.deepEqual(warnings, []);
    });
  }

  for (const from of ["B", "C"] as const) {
    it(`rule 10: a cluster of provider ${from} from before 3 November 2020 changes in two steps`, () => {
      const { connectionString, steps, warnings } = plan({
        from,
        to: "A",
        createdAt: "2020-11-02T23:59:59",
      });
      assert.equal(connectionString, "changes");
      assert.deepEqual(
        steps.map(({ text }) => text),
        [
          "Add read-only nodes in provider A.",
          "Adopt the new comma-delimited URI in the applications.",
          "Restart the applications and verify that they connect.",
          `Remove the electable nodes of provider ${from} and the read-only nodes of provider A, and add the same number of electable nodes in provider A.`,
          "Adopt the new URI in the applications.",
          "Restart the applications and verify that they connect.",
        ],
      );
      assert.equal(warnings.length, 1);
    });
  }

  it("rule 10: legacy backups keep a node, and are waited for before the second step", () => {
    const texts = plan({ from: "B", to: "A", legacyBackups: true }).steps.map(({ text }) => text);
    assert.match(texts[0] ?? "", /keep one node in provider B/);
    assert.match(texts[3] ?? "", /Wait for the new backups/);
    assert.match(texts[4] ?? "", /^Remove the electable nodes/);
  });

  it("rule 11: a peered cluster over several regions of provider B needs the mode off, and private strings", () => {
    const { steps, warnings } = plan({
      to: "B",
      peered: true,
      multiRegion: true,
      privateIpMode: true,
    });
    assert.match(textOf(steps), /^11: Change the applications .*peering-private.*\n11: Disable/);
    assert.match(textOf(warnings), /^11: /);
  });

  it("rule 11: asks for nothing where the mode is off, the cluster not peered or in one region", () => {
    const peered = { to: "B", peered: true, multiRegion: true } as const;
    assert.doesNotMatch(textOf(plan(peered).steps), /Disable/);
    assert.doesNotMatch(textOf(plan({ ...peered, peered: false }).steps), /^11/);
    assert.doesNotMatch(textOf(plan({ ...peered, multiRegion: false }).steps), /^11/);
    assert.doesNotMatch(textOf(plan({ ...peered, to: "C" }).steps), /^11/);
  });

  it("has no steps where the provider stays", () => {
    assert.deepEqual(plan({ from: "C" }), {
      connectionString: "unchanged",
      steps: [],
      warnings: [],
    });
  });

  it("rule 10: two zones of one date are on two sides of the border", () => {
    const change = (createdAt: string) => plan({ from: "B", createdAt }).connectionString;
    assert.equal(change("2020-11-02T23:59:59.999"), "changes");
    assert.equal(change("2020-11-03T01:59:59+02:00"), "changes");
    assert.equal(change("2020-11-03T00:00:00"), "unchanged");
    assert.equal(change("2020-11-02T22:00:00-02:00"), "unchanged");
  });

  it("rejects a creation date that does not exist or is not ISO 8601", () => {
    for (const createdAt of ["", "yesterday", "2020-13-01", "3 November 2020", "2020-02-30"]) {
      assert.equal(
        codeOf(() => plan({ createdAt })),
        "invalid-facts",
      );
    }
  });
});
