import assert from "node:assert/strict";
import { moveIndex, moves, planFor, textOf } from "./providerChangePlans";

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
