import assert from "node:assert/strict";
import { listOf } from "../service/testClient";
import { findReadiness } from "../../../provider/src/privateIpMode/readiness";

describe("the readiness of a project", () => {
  it("cannot be determined from a list that may be incomplete", async () => {
    const list = { ...listOf(), incomplete: "1 item was read, but ..." };
    const session = {
      client: {
        getPrivateIpMode: () => Promise.resolve({ kind: "observed", enabled: true } as const),
      },
      listing: { clusters: () => Promise.resolve(list) },
    };
    await assert.rejects(
      findReadiness(session, { projectId: "p" }),
      /^ProviderError: cannot determine whether private IP mode of project p can be disabled: its list of clusters may be incomplete\. 1 item was read/,
    );
    // Rejects invalid arguments instead of throwing.
    await assert.rejects(findReadiness(session, {}), /^ProviderError: invalid arguments/);
  });
});
