import assert from "node:assert/strict";
import { readQuery } from "../../../provider/src/clusterConnectionStrings/argsSchema";

describe("the arguments of getConnectionStrings", () => {
  for (const [given, says] of [
    [{ clustername: "orders" }, /there is no argument "clustername"; did you mean clusterName\?/],
    [
      { clusterName: "orders", network: { kind: "privateEndpoint", endPointId: "vpce-1" } },
      /there is no argument "network\.endPointId"; did you mean network\.endpointId\?/,
    ],
  ] as const) {
    it(`name the nearest one for a misspelled one: ${JSON.stringify(given)}`, () => {
      assert.throws(() => readQuery({ projectId: "p", ...given }), says);
    });
  }
});
