import assert from "node:assert/strict";
import { moveIndex, moves, planFor, textOf } from "./providerChangePlans";

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
