/** The messages of this package in alerts, of which only names and values are code. */
import assert from "node:assert/strict";
import { disableRefusal, disableWarning } from "../../../provider/src/privateIpMode/guard";
import type { Line } from "../../../provider/src/report/write/blocks";
import { ownLine, refusalLine } from "../../../provider/src/report/write/ownMessages";
import { list } from "./recorded";

const written = (line: Line) =>
  line.map((part) => (typeof part === "string" ? part : `<${part.code}>`)).join("");

describe("a message of this package in an alert", () => {
  for (const [message, text] of [
    ["the list has 2 pages (of 10), 7.0 or later.", "The list has 2 pages (of 10), 7.0 or later."],
    ["project 64a0: see https://x/y, not a_b.", "Project <64a0>: see <https://x/y>, not <a_b>."],
    ["shop-2 is gone [clouddb-removed]", "<shop-2> is gone <[clouddb-removed]>"],
    ["1. a @b #1 *c* ...", "<1>. a <@b> <#1> <*c*> <...>"],
    [
      "project p has no cluster order. The nearest names: a, b.",
      "Project p has no cluster <order>. The nearest names: <a>, <b>.",
    ],
    [
      "project p has no cluster order. It has 7 clusters: a, b, and 5 more.",
      "Project p has no cluster <order>. It has 7 clusters: <a>, <b>, and 5 more.",
    ],
    [
      "cluster billing of project 64a0 is being deleted",
      "Cluster <billing> of project <64a0> is being deleted",
    ],
    ["", ""],
  ] as const) {
    it(`is text, except for names and values: ${JSON.stringify(message)}`, () => {
      assert.equal(written(ownLine(message)), text);
    });
  }

  it("has the names of the clusters of a disable as code", () => {
    const strings = (name: string) => ({
      name,
      connectionStrings: {
        standardSrv: `db+srv://${name}.ab1cd.db.example`,
        privateSrv: `db+srv://${name}-pri.ab1cd.db.example`,
      },
    });
    const warning = disableWarning("64a0", [strings("orders"), strings("billing")]) ?? "";
    assert.match(written(ownLine(warning)), / of clusters <billing>, <orders>\.$/);
  });
});

describe("the alert of a refusal", () => {
  const refusal = (count: number, gap?: { reason: string; advice: string }) => {
    const records = list(count, (at) => ({
      name: `old-${at + 1000}`,
      version: "6.0.5",
      majorVersion: "6.0",
    }));
    const text = disableRefusal("64a0", { records, gap }) ?? "";
    return written(refusalLine({ text, places: [] }));
  };
  const start = "Private IP mode of project <64a0> cannot be disabled:";

  it("names the clusters that prevent it", () => {
    assert.equal(
      refusal(1),
      `${start} its only cluster does not run version 7.0 or later: <old-1000>.`,
    );
  });

  it("names ten clusters, and counts the others, even those that the message only counts", () => {
    const names = list(10, (at) => `<old-${at + 1000}>`).join(", ");
    for (const count of [12, 5000])
      assert.equal(
        refusal(count),
        `${start} ${count} of its ${count} clusters do not run version 7.0 or later: ${names} and ${count - 10} more.`,
      );
  });

  it("says that a list may be incomplete, and names the clusters that were read", () => {
    const gap = { reason: "Page 2 repeats an ID", advice: "Try again." };
    const reason = `${start} its list of clusters may be incomplete. Page 2 repeats an ID.`;
    assert.equal(refusal(0, gap), reason);
    assert.equal(
      refusal(1, gap),
      `${reason} Of the clusters read, these do not run version 7.0 or later: <old-1000>.`,
    );
  });
});
