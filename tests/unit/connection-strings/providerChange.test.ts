import assert from "node:assert/strict";
import {
  type Advice,
  type CloudProvider,
  type ProviderChange,
  type ProviderChangePlan,
  planProviderChange,
} from "../../../connection-strings/src";
import { thrownCode } from "./thrownCode";

const providers: readonly CloudProvider[] = ["A", "B", "C"];
const pairs = providers.flatMap((from) => providers.map((to) => ({ from, to })));

/** Every move from one provider to another. */
const moves = pairs.filter(({ from, to }) => from !== to);

/** A new dedicated cluster whose applications use the Internet only. */
const internetOnly: ProviderChange = {
  tier: "dedicated",
  from: "A",
  to: "C",
  createdAt: "2024-05-01T00:00:00Z",
  legacyString: false,
  legacyBackups: false,
  peered: false,
  multiRegion: false,
  privateIpMode: false,
  privateEndpoints: false,
  optimizedString: false,
  customDns: false,
};

/** Plans a change for a new dedicated cluster; `facts` override its defaults. */
function planFor(facts: Partial<ProviderChange>): ProviderChangePlan {
  return planProviderChange({ ...internetOnly, ...facts });
}

/** Joins steps or warnings into one text: a line for each, starting with its rule. */
function textOf(advice: readonly Advice[]): string {
  return advice.map(({ rule, text }) => `${rule}: ${text}`).join("\n");
}

/** Returns the index of the step in which the cluster itself changes its provider. */
function moveIndex(steps: readonly Advice[]): number {
  return steps.findIndex(({ rule }) => rule === 10);
}

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
});

describe("the creation date (2.6 rule 10, 2.5)", () => {
  /** The string of a cluster in provider B changes if it was created before 3 November 2020. */
  const isBefore = (createdAt: string) =>
    planFor({ from: "B", createdAt }).connectionString === "changes";
  const { TZ } = process.env;
  afterEach(() => {
    if (TZ === undefined) delete process.env["TZ"];
    else process.env["TZ"] = TZ;
  });

  for (const zone of ["UTC", "America/Los_Angeles", "Pacific/Kiritimati"]) {
    it(`is in UTC without a time zone, on a machine in ${zone}`, () => {
      process.env["TZ"] = zone;
      for (const [before, after] of [
        ["2020-11-02", "2020-11-03"],
        ["2020-11-02T23:59", "2020-11-03T00:00"],
        ["2020-11-02T23:59:59", "2020-11-03 00:00:00"],
        ["2020-11-02T23:59:59.999", "2020-11-03T00:00:00.000"],
        ["2020-11-02T23:59:59,5", "2020-11-03T00:00:00,5"],
      ] as const) {
        assert.deepEqual([isBefore(before), isBefore(after)], [true, false], before);
      }
    });
  }

  it("may have any time zone", () => {
    for (const [before, after] of [
      ["2020-11-02T23:59:59Z", "2020-11-03t00:00z"],
      ["2020-11-03T01:59:59+02:00", "2020-11-03T02:00:00+02:00"],
      ["2020-11-03T01:59+0200", "2020-11-03T02:00+0200"],
      ["2020-11-03T01:59+02", "2020-11-03T02:00+02"],
      ["2020-11-02T18:29:59.000-05:30", "2020-11-02T18:30:00.000-05:30"],
    ] as const) {
      assert.deepEqual([isBefore(before), isBefore(after)], [true, false], before);
    }
  });

  it("may be 29 February of a leap year", () => {
    assert.deepEqual(["2020-02-29", "2000-02-29"].map(isBefore), [true, true]);
  });

  for (const createdAt of [
    ...["2019-02-29", "1900-02-29", "2020-02-30", "2020-04-31", "2020-11-00", "2020-11-32"],
    ...["2020-00-01", "2020-13-01", "2020-1-1", "20201103", "2020-11", "2020-307", "2020-W45-2"],
    ...["2020-11-03T25:00:00Z", "2020-11-03T24:00:00Z", "2020-11-03T12:60:00Z"],
    ...["2020-11-03T12:00:60Z", "2020-11-03T12", "2020-11-03T12:00:00.Z", "2020-11-03Z"],
    ...["2020-11-03T12:00:00+24:00", "2020-11-03T12:00:00+02:60", "2020-11-03T12:00:00 UTC"],
    ...["2020-11-03T", " 2020-11-03", "2020-11-03 ", "2020-11-03\n", "3 November 2020", "now", ""],
  ]) {
    it(`cannot be ${JSON.stringify(createdAt)}`, () => {
      assert.equal(
        thrownCode(() => planFor({ createdAt })),
        "invalid-facts",
      );
    });
  }
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

describe("planProviderChange for a peered cluster (2.6 table)", () => {
  for (const { from, to } of moves) {
    const behavior = to === "A" ? "needs no other string" : "requires the peering-private string";
    it(`${behavior} before a move from ${from} to ${to}`, () => {
      const { connectionString, steps, warnings } = planFor({ from, to, peered: true });
      assert.equal(connectionString, from === "A" ? "mayChange" : "unchanged");
      assert.match(textOf(warnings), new RegExp(`3: .*configure it in provider ${to}`));
      const adopt = steps.findIndex(({ text }) =>
        /peering-private string before the move/.test(text),
      );
      if (to === "A") {
        assert.equal(adopt, -1);
        assert.match(textOf(steps), /without downtime\.$/);
        return;
      }
      assert.ok(adopt >= 0 && adopt < moveIndex(steps));
      assert.match(
        textOf(steps),
        new RegExp(`in provider ${to}, the standard string leads to public`),
      );
      assert.match(textOf(steps), /without downtime for applications that already use a string/);
    });
  }

  it("returns unchanged for a move from provider A with a custom DNS service", () => {
    for (const to of ["B", "C"] as const) {
      const { connectionString, warnings } = planFor({ to, peered: true, customDns: true });
      assert.equal(connectionString, "unchanged");
      assert.doesNotMatch(textOf(warnings), /customDns/);
    }
  });

  it("requires the peering-private string in provider A with a custom DNS service", () => {
    for (const from of ["B", "C"] as const) {
      const warnings = (customDns?: boolean) =>
        textOf(planFor({ from, to: "A", peered: true, customDns }).warnings);
      assert.match(warnings(true), /table: With a custom DNS service, .* in provider A, too/);
      assert.match(warnings(), /table: customDns is not set: with a custom DNS service/);
      assert.doesNotMatch(warnings(false), /DNS/);
    }
  });

  it("warns that customDns is not set for a move from or to provider A only", () => {
    for (const { from, to } of moves) {
      const { connectionString, warnings } = planFor({
        from,
        to,
        peered: true,
        customDns: undefined,
      });
      const matters = from === "A" || to === "A";
      assert.equal(/customDns is not set/.test(textOf(warnings)), matters, `${from} to ${to}`);
      if (from === "A") assert.equal(connectionString, "mayChange");
    }
  });

  it("requires the peering-private strings only once if rule 11 applies", () => {
    const { steps } = planFor({ to: "B", peered: true, multiRegion: true });
    assert.equal(textOf(steps).match(/Change the applications/g)?.length, 1);
  });

  it("requires the peering-private string before the two steps of an older cluster", () => {
    const createdAt = "2019-06-03";
    const { connectionString, steps } = planFor({ from: "B", to: "C", peered: true, createdAt });
    assert.equal(connectionString, "changes");
    assert.match(textOf(steps), /^table: .*peering-private.*\n10: Add read-only nodes/);
  });

  it("returns mayChange for a Free cluster", () => {
    const { connectionString } = planFor({ tier: "free", to: "B", peered: true });
    assert.equal(connectionString, "mayChange");
  });

  it("requires peering-private strings and disables private IP mode for several regions in provider B (rule 11)", () => {
    const { steps, warnings } = planFor({
      to: "B",
      peered: true,
      multiRegion: true,
      privateIpMode: true,
    });
    assert.match(textOf(steps), /^11: Change the applications .*peering-private.*\n11: Disable/);
    assert.match(textOf(warnings), /^11: /);
  });

  it("omits steps of rule 11 that do not apply", () => {
    const peered = { to: "B", peered: true, multiRegion: true } as const;
    assert.doesNotMatch(textOf(planFor(peered).steps), /Disable/);
    assert.doesNotMatch(textOf(planFor({ ...peered, peered: false }).steps), /^11/);
    assert.doesNotMatch(textOf(planFor({ ...peered, multiRegion: false }).steps), /^11/);
    assert.doesNotMatch(textOf(planFor({ ...peered, to: "C" }).steps), /^11/);
  });
});

describe("planProviderChange for applications behind private endpoints (2.6 table)", () => {
  for (const { from, to } of moves) {
    it(`plans other strings for a move from ${from} to ${to}`, () => {
      const { connectionString, steps, warnings } = planFor({ from, to, privateEndpoints: true });
      assert.equal(connectionString, "changes");
      const move = moveIndex(steps);
      if (to === "C") {
        assert.match(textOf(steps.slice(0, move)), /table: .*another string before the move/);
        assert.equal(move, steps.length - 1);
      } else {
        assert.match(textOf(steps.slice(0, move)), new RegExp(`Set up .* in provider ${to}\\.$`));
        assert.match(textOf(steps.slice(move + 1)), /^table: Adopt the strings of the private/);
        assert.match(textOf(warnings), /table: .* plan for an interruption/);
      }
      assert.match(textOf(steps), /standard and peering-private strings stay/);
      assert.equal(/provider C, which has none/.test(textOf(warnings)), from === "C");
    });

    it(`warns about missing facts that matter for a move from ${from} to ${to}`, () => {
      const unknownUse = planFor({
        from,
        to,
        privateEndpoints: undefined,
        optimizedString: undefined,
      });
      const matters = from !== "C";
      assert.equal(/table: privateEndpoints is not set/.test(textOf(unknownUse.warnings)), matters);
      const endpointsInUse = planFor({
        from,
        to,
        privateEndpoints: true,
        optimizedString: undefined,
      });
      const optimizedMatters = from === "A" && to === "B";
      assert.equal(
        /4: optimizedString is not set/.test(textOf(endpointsInUse.warnings)),
        optimizedMatters,
      );
    });
  }

  it("replaces the optimized string before a move out of provider A (2.6 rule 4)", () => {
    const inB = planFor({ to: "B", optimizedString: true });
    assert.equal(inB.connectionString, "changes");
    assert.match(
      textOf(inB.steps),
      /^4: .*from the optimized string to the plain .*before the move/,
    );
    const inC = planFor({ to: "C", optimizedString: true, privateEndpoints: undefined });
    assert.equal(inC.connectionString, "changes");
    assert.match(textOf(inC.steps), /^table: .*another string before the move/);
  });

  it("warns about an optimized string outside provider A (2.6 rule 4)", () => {
    const { warnings } = planFor({ from: "B", to: "A", optimizedString: true });
    assert.match(textOf(warnings), /4: .*only provider A has optimized strings: check them/);
  });

  it("warns about an optimized string with several regions in provider A (2.6 rule 6)", () => {
    const stays = { from: "A", to: "A", optimizedString: true } as const;
    assert.match(textOf(planFor({ ...stays, multiRegion: true }).warnings), /^6: /);
    assert.deepEqual(planFor(stays).warnings, []);
  });
});
