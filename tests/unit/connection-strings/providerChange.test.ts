import assert from "node:assert/strict";
import { moves, planFor, providers, textOf } from "./providerChangePlans";
import { thrownCode } from "./thrownCode";

const older = { createdAt: "2019-06-03T08:00:00Z" } as const;

describe("planProviderChange (2.6 rules 9 and 10)", () => {
  for (const tier of ["free", "flex"] as const) {
    for (const [from, to] of [
      ["A", "B"],
      ["B", "C"],
      ["C", "A"],
    ] as const) {
      it(`warns that the legacy string of a ${tier} cluster may change from ${from} to ${to} (rule 9)`, () => {
        const { connectionString, steps, warnings } = planFor({
          tier,
          from,
          to,
          legacyString: true,
        });
        assert.equal(connectionString, "mayChange");
        assert.match(textOf(steps), /9: Take the new connection string .*connect view/);
        assert.match(textOf(warnings), /\.gcp or \.azure/);
      });
    }
  }

  it("returns unknown for a Free cluster without a legacy string (rule 9)", () => {
    const { connectionString, warnings } = planFor({ tier: "free" });
    assert.equal(connectionString, "unknown");
    assert.match(textOf(warnings), /does not say/);
  });

  for (const [what, change] of [
    ["an old cluster in provider A", { createdAt: "2019-06-03T08:00:00Z" }],
    ["a cluster created on 3 November 2020", { from: "B", createdAt: "2020-11-03" }],
    ["a cluster created after that", { from: "C", to: "B", createdAt: "2024-05-01T00:00:00Z" }],
  ] as const) {
    it(`returns unchanged, without downtime, for ${what} (rule 10)`, () => {
      const { connectionString, steps, warnings } = planFor(change);
      assert.equal(connectionString, "unchanged");
      assert.match(textOf(steps), /^10: Change the cluster's provider .* without downtime\.$/);
      assert.deepEqual(warnings, []);
    });
  }

  for (const from of ["B", "C"] as const) {
    it(`changes the string in two steps for an older cluster in provider ${from} (rule 10)`, () => {
      const { connectionString, steps, warnings } = planFor({
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

  it("keeps one node and waits for new backups with legacy backups (rule 10)", () => {
    const texts = planFor({ ...older, from: "B", to: "A", legacyBackups: true }).steps.map(
      ({ text }) => text,
    );
    assert.match(texts[0] ?? "", /keep one node in provider B/);
    assert.match(texts[3] ?? "", /Wait for the new backups/);
    assert.match(texts[4] ?? "", /^Remove the electable nodes/);
  });

  it("returns no steps if the provider stays the same", () => {
    assert.deepEqual(planFor({ from: "C" }), {
      connectionString: "unchanged",
      steps: [],
      warnings: [],
    });
  });

  it("compares the creation date with 3 November 2020 in UTC (rule 10)", () => {
    const stringChange = (createdAt: string) => planFor({ from: "B", createdAt }).connectionString;
    assert.equal(stringChange("2020-11-02T23:59:59.999"), "changes");
    assert.equal(stringChange("2020-11-03T01:59:59+02:00"), "changes");
    assert.equal(stringChange("2020-11-03T00:00:00"), "unchanged");
    assert.equal(stringChange("2020-11-02T22:00:00-02:00"), "unchanged");
  });

  it("rejects a creation date that does not exist or is not ISO 8601", () => {
    for (const createdAt of ["", "yesterday", "2020-13-01", "3 November 2020", "2020-02-30"]) {
      assert.equal(
        thrownCode(() => planFor({ createdAt })),
        "invalid-facts",
      );
    }
  });
});

describe("planProviderChange for applications on the Internet", () => {
  for (const { from, to } of moves) {
    it(`returns unchanged for a move of a new cluster from ${from} to ${to} (2.6 rule 10)`, () => {
      const { connectionString, steps, warnings } = planFor({ from, to });
      assert.equal(connectionString, "unchanged");
      assert.match(textOf(steps), /^10: .*: its connection string stays, without downtime\.$/);
      assert.deepEqual(warnings, []);
    });
  }
});

describe("planProviderChange for a cluster that stays in its provider", () => {
  for (const provider of providers) {
    it(`returns no steps and no warnings in provider ${provider}`, () => {
      const facts = { from: provider, to: provider, peered: true } as const;
      for (const privateEndpoints of [true, false, undefined]) {
        assert.deepEqual(planFor({ ...facts, privateEndpoints, customDns: undefined }), {
          connectionString: "unchanged",
          steps: [],
          warnings: [],
        });
      }
    });
  }
});
