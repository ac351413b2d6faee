import assert from "node:assert/strict";
import { SeedError, startSimulator } from "../../../../simulator/src";

describe("an invalid setting", () => {
  it("is rejected with an error that names it", async () => {
    for (const [setting, value] of [
      ["port", 70000],
      ["apiPath", "api/"],
      ["requestsPerMinute", 0],
      ["host", "example.org"],
      ["nonsense", true],
      ["rateLimitedOperations", ["listCluster"]],
      ["rateLimitedOperations", ["listProjects"]],
      ["versions", { dates: ["2023-13-01"] }],
      ["versions", { dates: [] }],
      ["versions", { dates: ["2023-01-01"], ended: ["2022-01-01"] }],
    ] as const) {
      await assert.rejects(
        startSimulator({ seed: {}, [setting]: value }),
        (error) => error instanceof SeedError && error.message.includes(setting),
      );
    }
  });
});
