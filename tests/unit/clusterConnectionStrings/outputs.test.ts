import assert from "node:assert/strict";
import { changedNames } from "../../../provider/src/clusterConnectionStrings/lifecycle";

describe("an output of a lookup", () => {
  const endpoint = { region: "us-east-1", endpointIds: ["vpce-0a1"] };
  const recorded = { standard: "db://a", legacy: null, privateEndpoints: [endpoint] };

  const cases: [what: string, change: Record<string, unknown>, changed: string[]][] = [
    ["is no change if it is null and the state lacks it", { private: null }, []],
    ["is a change if the state lacks it", { private: "db://a" }, ["private"]],
    ["is a change if the state has null", { legacy: "db://a" }, ["legacy"]],
    [
      "is a change if a nested object lacks it in the state",
      { privateEndpoints: [{ ...endpoint, srv: "db+srv://a" }] },
      ["privateEndpoints"],
    ],
    [
      "is a change if a list gets longer",
      { privateEndpoints: [endpoint, { ...endpoint, cloud: "aws" }] },
      ["privateEndpoints"],
    ],
    [
      "is a change if an item of a nested list differs",
      { privateEndpoints: [{ ...endpoint, endpointIds: ["vpce-0a2"] }] },
      ["privateEndpoints"],
    ],
  ];
  for (const [what, change, changed] of cases) {
    it(what, () => {
      assert.deepEqual(changedNames(recorded, { ...recorded, ...change }), changed);
    });
  }
});
