import assert from "node:assert/strict";
import {
  allRows,
  formats,
  groupByInstallation,
  mainRows,
  managers,
  nameOf,
  nodeMajors,
  sdkAges,
  selectRows,
} from "../../../quality/matrix/rows";

describe("the rows of the compatibility matrix", () => {
  it("combine every package manager, Node.js version, SDK and format", () => {
    const names = allRows.map(nameOf);
    assert.equal(new Set(names).size, names.length);
    assert.equal(allRows.length, 5 * 3 * 2 * 3);
  });

  it("have a selection for npm test with each value of each column", () => {
    const values = new Set(
      mainRows.flatMap(({ manager, node, sdk, format }) => [manager, String(node), sdk, format]),
    );
    const expected = [...managers, ...nodeMajors.map(String), ...sdkAges, ...formats];
    assert.deepEqual(
      expected.filter((value) => !values.has(value)),
      ["yarn4-pnp"],
    );
  });

  it("are selected by values, of which those of a column are alternatives", () => {
    assert.deepEqual(selectRows("npm,pnpm, 20,newest,esm").map(nameOf), [
      "npm, Node.js 20, newest SDK, esm",
      "pnpm, Node.js 20, newest SDK, esm",
    ]);
    assert.equal(selectRows("24").length, 5 * 2 * 3);
  });

  it("cannot be selected by an unknown value", () => {
    assert.throws(() => selectRows("npm,18"), /Unknown value of --only: 18\. Known values: npm, /);
    assert.throws(() => selectRows(""), /Unknown value of --only/);
  });

  it("are grouped by what a package manager installs", () => {
    const groups = groupByInstallation(selectRows("yarn1,22,typescript,esm"));
    assert.deepEqual(groups, [
      {
        installation: { manager: "yarn1", node: 22, sdk: "oldest" },
        formats: ["typescript", "esm"],
      },
      {
        installation: { manager: "yarn1", node: 22, sdk: "newest" },
        formats: ["typescript", "esm"],
      },
    ]);
  });
});
