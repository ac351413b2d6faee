import assert from "node:assert/strict";
import { readQuery } from "../../../provider/src/clusterConnectionStrings/argsSchema";

describe("the arguments of getConnectionStrings", () => {
  for (const [args, expected] of [
    [{ clustername: "orders" }, /there is no argument "clustername"; did you mean clusterName\?/],
    [
      { clusterName: "orders", network: { kind: "privateEndpoint", endPointId: "vpce-1" } },
      /there is no argument "network\.endPointId"; did you mean network\.endpointId\?/,
    ],
  ] as const) {
    it(`are reported with the nearest name if misspelled: ${JSON.stringify(args)}`, () => {
      assert.throws(() => readQuery({ projectId: "p", ...args }), expected);
    });
  }
});
