// What a change of provider means for applications in peered networks and behind private endpoints.
import assert from "node:assert/strict";
import {
  type Advice,
  type CloudProvider,
  type ProviderChange,
  planProviderChange,
} from "../../../connection-strings/src";

const providers: readonly CloudProvider[] = ["A", "B", "C"];
const pairs = providers.flatMap((from) => providers.map((to) => ({ from, to })));
const moves = pairs.filter(({ from, to }) => from !== to);

/** A new dedicated cluster that no network but the Internet leads to. */
const base: ProviderChange = {
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

const plan = (change: Partial<ProviderChange>) => planProviderChange({ ...base, ...change });
const textOf = (advice: readonly Advice[]) =>
  advice.map(({ rule, text }) => `${rule}: ${text}`).join("\n");

/** Where among the steps the cluster itself changes its provider. */
const moveIn = (steps: readonly Advice[]) => steps.findIndex(({ rule }) => rule === 10);

describe("planProviderChange, for a cluster that only the Internet leads to", () => {
  for (const { from, to } of moves) {
    it(`promises an unchanged string from ${from} to ${to} (2.6 rule 10)`, () => {
      const { connectionString, steps, warnings } = plan({ from, to });
      assert.equal(connectionString, "unchanged");
      assert.match(textOf(steps), /^10: .*: its connection string stays, without downtime\.$/);
      assert.deepEqual(warnings, []);
    });
  }
});

describe("planProviderChange, for a peered cluster (2.6 table)", () => {
  for (const { from, to } of moves) {
    const asked =
      to === "A" ? "asks for no other string" : "asks for the peering-private string first";
    it(`from ${from} to ${to} ${asked}`, () => {
      const { connectionString, steps, warnings } = plan({ from, to, peered: true });
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
      assert.ok(adopt >= 0 && adopt < moveIn(steps));
      assert.match(
        textOf(steps),
        new RegExp(`in provider ${to}, the standard string leads to public`),
      );
      assert.match(textOf(steps), /without downtime for applications that already use a string/);
    });
  }

  it("with a custom DNS service in provider A keeps its peering-private string", () => {
    for (const to of ["B", "C"] as const) {
      const { connectionString, warnings } = plan({ to, peered: true, customDns: true });
      assert.equal(connectionString, "unchanged");
      assert.doesNotMatch(textOf(warnings), /customDns/);
    }
  });

  it("needs the peering-private string in provider A with a custom DNS service", () => {
    for (const from of ["B", "C"] as const) {
      const warnings = (customDns?: boolean) =>
        textOf(plan({ from, to: "A", peered: true, customDns }).warnings);
      assert.match(warnings(true), /table: With a custom DNS service, .* in provider A, too/);
      assert.match(warnings(), /table: customDns is not given: with a custom DNS service/);
      assert.doesNotMatch(warnings(false), /DNS/);
    }
  });

  it("is warned of a missing customDns where it matters: from or to provider A", () => {
    for (const { from, to } of moves) {
      const { connectionString, warnings } = plan({ from, to, peered: true, customDns: undefined });
      const matters = from === "A" || to === "A";
      assert.equal(/customDns is not given/.test(textOf(warnings)), matters, `${from} to ${to}`);
      if (from === "A") assert.equal(connectionString, "mayChange");
    }
  });

  it("is asked once for the peering-private strings where rule 11 asks for them", () => {
    const { steps } = plan({ to: "B", peered: true, multiRegion: true });
    assert.equal(textOf(steps).match(/Change the applications/g)?.length, 1);
  });

  it("of provider B or C from before 3 November 2020 adopts it before the first of the two steps", () => {
    const createdAt = "2019-06-03";
    const { connectionString, steps } = plan({ from: "B", to: "C", peered: true, createdAt });
    assert.equal(connectionString, "changes");
    assert.match(textOf(steps), /^table: .*peering-private.*\n10: Add read-only nodes/);
  });

  it("on the Free tier may change its string, too", () => {
    const { connectionString } = plan({ tier: "free", to: "B", peered: true });
    assert.equal(connectionString, "mayChange");
  });
});

describe("planProviderChange, for applications behind private endpoints (2.6 table)", () => {
  for (const { from, to } of moves) {
    it(`changes their string from ${from} to ${to}`, () => {
      const { connectionString, steps, warnings } = plan({ from, to, privateEndpoints: true });
      assert.equal(connectionString, "changes");
      const move = moveIn(steps);
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

    it(`says from ${from} to ${to} what is not given and matters`, () => {
      const given = plan({ from, to, privateEndpoints: undefined, optimizedString: undefined });
      const matters = from !== "C";
      assert.equal(/table: privateEndpoints is not given/.test(textOf(given.warnings)), matters);
      const inUse = plan({ from, to, privateEndpoints: true, optimizedString: undefined });
      const optimizedMatters = from === "A" && to === "B";
      assert.equal(
        /4: optimizedString is not given/.test(textOf(inUse.warnings)),
        optimizedMatters,
      );
    });
  }

  it("takes applications off the optimized string before a move out of provider A (2.6 rule 4)", () => {
    const inB = plan({ to: "B", optimizedString: true });
    assert.equal(inB.connectionString, "changes");
    assert.match(
      textOf(inB.steps),
      /^4: .*from the optimized string to the plain .*before the move/,
    );
    const inC = plan({ to: "C", optimizedString: true, privateEndpoints: undefined });
    assert.equal(inC.connectionString, "changes");
    assert.match(textOf(inC.steps), /^table: .*another string before the move/);
  });

  it("doubts an optimized string outside provider A (2.6 rule 4)", () => {
    const { warnings } = plan({ from: "B", to: "A", optimizedString: true });
    assert.match(textOf(warnings), /4: .*only provider A has optimized strings: check them/);
  });

  it("warns of the optimized string of a cluster that spans regions in provider A (2.6 rule 6)", () => {
    const stays = { from: "A", to: "A", optimizedString: true } as const;
    assert.match(textOf(plan({ ...stays, multiRegion: true }).warnings), /^6: /);
    assert.deepEqual(plan(stays).warnings, []);
  });
});

describe("planProviderChange, where the provider stays", () => {
  for (const provider of providers) {
    it(`has nothing to do in provider ${provider}`, () => {
      const given = { from: provider, to: provider, peered: true } as const;
      for (const privateEndpoints of [true, false, undefined]) {
        assert.deepEqual(plan({ ...given, privateEndpoints, customDns: undefined }), {
          connectionString: "unchanged",
          steps: [],
          warnings: [],
        });
      }
    });
  }
});
