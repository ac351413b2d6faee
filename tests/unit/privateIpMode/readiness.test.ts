import assert from "node:assert/strict";
import { gapOf, listOf } from "../service/testClient";
import { findReadiness } from "../../../provider/src/privateIpMode/readiness";

describe("the readiness of a project", () => {
  it("cannot be determined from a list that may be incomplete", async () => {
    const list = { ...listOf(), incomplete: gapOf("1 item was read, but ...") };
    const sessionOf = (mode: boolean | undefined) => ({
      client: { getPrivateIpMode: () => Promise.resolve(mode) },
      listing: { verifiedAnew: () => Promise.resolve(list) },
    });
    const session = sessionOf(true);
    for (const unprovable of [session, sessionOf(undefined)]) {
      await assert.rejects(
        findReadiness(unprovable, { projectId: "p" }),
        /^ProviderError: cannot determine whether private IP mode of project p can be disabled: its list of clusters may be incomplete\. 1 item was read/,
      );
    }
    // If the mode is off, the list does not matter.
    const off = sessionOf(false);
    assert.equal((await findReadiness(off, { projectId: "p" })).ready, true);
    // Rejects invalid arguments instead of throwing.
    await assert.rejects(findReadiness(session, {}), /^ProviderError: invalid arguments/);
  });
});
