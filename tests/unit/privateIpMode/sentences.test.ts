import assert from "node:assert/strict";
import { gapOf } from "../service/testClient";
import fc from "fast-check";
import { type Code, withCode } from "../../../provider/src/messages/codes";
import { escapeText } from "../../../provider/src/messages/text";
import {
  disablingWarning,
  driftWarning,
  enablingWarning,
  readModeWarning,
  readRefusal,
  writeRefusal,
} from "../../../provider/src/privateIpMode/sentences";
import { unusualText } from "../../fuzz/inputs";

/** Parts of the sentences, with which a name can look like one. */
const pieces = [
  " ",
  "  ",
  "a",
  ":",
  "(",
  "\n",
  "\n  ",
  "\xA0",
  "‮",
  "\\u{20}",
  "and 1 more",
  " cannot be disabled: 1 of its 2 clusters ",
  "its only cluster ",
  " is on, which differs ",
  " changes the addresses ",
  ": make sure ",
  "private IP mode of project ",
  "[clouddb-drift]",
];
const name = fc.oneof(
  unusualText,
  fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((parts) => parts.join("")),
  fc.string({ maxLength: 8 }).map((text) => text.repeat(70)),
);

/** Replaces the spaces that a sentence escapes. */
const withSpaces = (text: string) => text.replaceAll("\\u{20}", " ");
/** What a sentence says of a name. */
const shown = (text: string, limit?: number) => withSpaces(escapeText(text, limit));

const old = { name: "a", version: "6.0.5" };

describe("the message of a refusal", () => {
  const clusters = fc
    .tuple(fc.array(fc.record({ name, version: name }), { maxLength: 6 }), fc.constantFrom(1, 300))
    .map(([all, times]) => Array.from({ length: times }, () => all).flat());
  const reason = fc.tuple(name, fc.nat({ max: 2 })).map(([text, count]) => {
    return `${count} of its 3 clusters were read, but page 2 could not be read: ${escapeText(text)}`;
  });
  const list = fc.oneof(
    fc.record({ total: fc.nat({ max: 10_000 }) }),
    fc.record({ incomplete: reason.map(gapOf) }),
  );

  it("is read back, with any names, versions and reasons", () => {
    fc.assert(
      fc.property(name, clusters, list, (projectId, found, of) => {
        const written = writeRefusal(projectId, found, of);
        const read = readRefusal(written);
        assert.ok(read);
        assert.deepEqual(readRefusal(withCode(written, "refused")), read);
        assert.equal(withSpaces(read.projectId), shown(projectId));
        assert.equal(read.count, found.length);
        assert.equal(read.total, "total" in of ? of.total : undefined);
        const seen = read.clusters.map((cluster) =>
          [cluster.name, cluster.version].map(withSpaces),
        );
        const given = found.map((cluster) => [
          shown(cluster.name, 100),
          shown(cluster.version, 200),
        ]);
        assert.deepEqual(seen, given.slice(0, seen.length));
        // A row has up to 4 kB.
        assert.ok(seen.length === given.length || Buffer.byteLength(written) > 12_000);
      }),
    );
  });

  it("is read with its advice, and the number of clusters that it does not name", () => {
    const advice = "Upgrade it to 7.0 or later, or keep the mode with enabled: true.";
    const read = (found: readonly (typeof old)[], list: Parameters<typeof writeRefusal>[2]) => {
      const { count, total, advice: text } = readRefusal(writeRefusal("p1", found, list)) ?? {};
      return [count, total, text];
    };
    assert.deepEqual(read([old], { total: 1 }), [1, 1, advice]);
    assert.deepEqual(read([old], { total: 2 }), [1, 2, advice]);
    const many = Array.from({ length: 10_000 }, () => old);
    const several = advice.replace("it", "them");
    assert.deepEqual(read(many, { total: 10_001 }), [10_000, 10_001, several]);
    const [count, total, text] = read([], {
      incomplete: gapOf("1 item was read, but clouddb:baseUrl is wrong"),
    });
    assert.deepEqual([count, total], [0, undefined]);
    assert.match(
      String(text),
      /^its list of clusters may be incomplete\. 1 item was read, but clouddb:baseUrl is wrong\.\nA missing cluster could run a version below 7\.0\.\nTry again\. /,
    );
    assert.match(
      String(read([old], { incomplete: gapOf("It has no end") })[2]),
      /^its list of clusters may be incomplete\. It has no end\.\nOf the clusters read, these do not run version 7\.0 or later:\nTry again\. /,
    );
  });

  it("is read without clusters from other lines than those of its table", () => {
    const written = writeRefusal("p1", [old], { total: 1 });
    assert.deepEqual(readRefusal(`${written}\nx  y  and 7 more`)?.clusters, [old]);
    assert.equal(readRefusal(`${written}\nx  y  and 7 more`)?.count, 1);
  });

  it("is not found in other text, or after it", () => {
    for (const other of ["", "x", `x ${writeRefusal("p1", [old], { total: 1 })}`])
      assert.equal(readRefusal(other), undefined);
  });
});

type Named = Parameters<typeof disablingWarning>[1];

describe("a warning about a mode", () => {
  const warnings: Partial<Record<Code, (projectId: string, clusters: Named) => string>> = {
    drift: (projectId) => driftWarning(projectId, true, false),
    enabling: enablingWarning,
    disabling: disablingWarning,
  };
  const some = fc.array(name);
  const clusters = fc
    .record({ legacy: some, peered: some })
    .filter(({ legacy, peered }) => legacy.length + peered.length > 0);
  for (const [code, write] of Object.entries(warnings)) {
    it(`is read with its code ${code} for its project alone, with any names`, () => {
      const end = ` [clouddb-${code}]`;
      fc.assert(
        fc.property(name, name, clusters, (projectId, other, named) => {
          const written = write(projectId, named);
          const read = (project: string) => readModeWarning(`${written}${end}`, project);
          assert.equal(read(projectId), code);
          if (shown(projectId) !== shown(other)) assert.equal(read(other), undefined);
          assert.equal(readModeWarning(`${written} [clouddb-refused]`, projectId), undefined);
          assert.equal(readModeWarning(`x ${written}${end}`, projectId), undefined);
        }),
      );
    });
  }

  it("about drift says what the update does", () => {
    assert.match(
      driftWarning("p1", true, true),
      /^private IP mode of project p1 is on, which differs from what is recorded\. .* This update only records that\.$/,
    );
    assert.match(
      driftWarning("p1", false, true),
      /^private IP mode of project p1 is off, .*\. The program declares enabled: true\.$/,
    );
  });
});
