import assert from "node:assert/strict";
import { listOf } from "../service/testClient";
import { findReadiness } from "../../../provider/src/privateIpMode/readiness";
import type { Client } from "../../../provider/src/service/client";

describe("the readiness of a project", () => {
  const incomplete = { ...listOf(), incomplete: "1 item was read, but ..." };
  const sessionOf = (mode: Awaited<ReturnType<Client["getPrivateIpMode"]>>) => ({
    client: { getPrivateIpMode: () => Promise.resolve(mode) },
    listing: { clusters: () => Promise.resolve(incomplete) },
  });

  for (const [what, mode] of [
    ["enabled", { kind: "observed", enabled: true }],
    ["unknown", { kind: "unsupported" }],
  ] as const) {
    it(`cannot be determined from a list that may be incomplete if the mode is ${what}`, async () => {
      await assert.rejects(
        findReadiness(sessionOf(mode), { projectId: "p" }),
        /^ProviderError: cannot determine whether private IP mode of project p can be disabled: its list of clusters may be incomplete\. 1 item was read/,
      );
    });
  }

  it("needs no complete list if the mode is disabled", async () => {
    const session = sessionOf({ kind: "observed", enabled: false });
    const { ready } = await findReadiness(session, { projectId: "p" });
    assert.equal(ready, true);
  });

  it("rejects invalid arguments instead of throwing", async () => {
    const session = sessionOf({ kind: "observed", enabled: true });
    await assert.rejects(findReadiness(session, {}), /^ProviderError: invalid arguments/);
  });
});
