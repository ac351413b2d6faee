import assert from "node:assert/strict";
import { writeRefusal } from "../../../provider/src/privateIpMode/guard";
import { driftWarning, enablingWarning } from "../../../provider/src/privateIpMode/lifecycle";
import { gapOf } from "../service/testClient";

const old = { name: "a", version: "6.0.5", reason: "tooLow" } as const;

describe("the message of a refusal", () => {
  it("says how many clusters prevent disabling, and what to do", () => {
    const advice = "to 7.0 or later, or keep the mode with enabled: true.";
    const start = "private IP mode of project p1 cannot be disabled:";
    assert.equal(
      writeRefusal("p1", [old], { total: 1 }),
      `${start} its only cluster does not run version 7.0 or later:\n  a  6.0.5\nUpgrade it ${advice}`,
    );
    assert.equal(
      writeRefusal("p1", [old, { ...old, name: "bcd", version: "5.0.1" }], { total: 9 }),
      `${start} 2 of its 9 clusters do not run version 7.0 or later:\n  a    6.0.5\n  bcd  5.0.1\nUpgrade them ${advice}`,
    );
  });

  it("has a table of at most 16 kB, and says how many clusters that leaves out", () => {
    const many = Array.from({ length: 10_000 }, () => old);
    const lines = writeRefusal("p1", many, { total: 10_001 }).split("\n");
    const rows = lines.filter((line) => line === "  a  6.0.5");
    assert.equal(rows.length, 16_000 / "  a  6.0.5".length);
    assert.equal(lines.at(-2), `  and ${10_000 - rows.length} more`);
  });

  it("says why the list may be incomplete", () => {
    assert.match(
      writeRefusal("p1", [], {
        gap: gapOf("1 item was read, but clouddb:baseUrl is wrong"),
      }),
      /^.* cannot be disabled: its list of clusters may be incomplete\. 1 item was read, but clouddb:baseUrl is wrong\.\nA missing cluster could run a version below 7\.0\.\nTry again\. /,
    );
    assert.match(
      writeRefusal("p1", [old], { gap: gapOf("It has no end") }),
      /: its list of clusters may be incomplete\. It has no end\.\nOf the clusters read, these do not run version 7\.0 or later:\n {2}a {2}6\.0\.5\nTry again\. /,
    );
  });
});

describe("a warning about a mode", () => {
  it("names the project that is enabled", () => {
    assert.match(enablingWarning("p1"), /^enabling private IP mode of project p1 changes /);
  });

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
