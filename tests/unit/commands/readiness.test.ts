import assert from "node:assert/strict";
import { gapOf, listOf } from "../service/testClient";
import { readReadiness } from "../../../provider/src/commands/readiness";

describe("the readiness of a project", () => {
  it("cannot be determined from a list that may be incomplete", async () => {
    const list = { ...listOf(), gap: gapOf("1 item was read, but ...") };
    const sessionOf = (mode: boolean | undefined) => ({
      client: { getPrivateIpMode: () => Promise.resolve(mode) },
      listing: { verifiedAnew: () => Promise.resolve(list) },
    });
    for (const unprovable of [sessionOf(true), sessionOf(undefined)]) {
      await assert.rejects(
        readReadiness(unprovable, "p"),
        /^ProviderError: cannot determine whether private IP mode of project p can be disabled: its list of clusters may be incomplete\. 1 item was read/,
      );
    }
    // If the mode is off, the list does not matter.
    const off = sessionOf(false);
    assert.equal((await readReadiness(off, "p")).ready, true);
  });
});
