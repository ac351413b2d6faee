import assert from "node:assert/strict";
import { ProviderError } from "../../../provider/src/session/errors";
import { findReadiness } from "../../../provider/src/privateIpMode/readinessCall";
import { openSession } from "../../../provider/src/session/session";

describe("the call of getPrivateIpModeReadiness", () => {
  it("rejects invalid arguments instead of throwing", async () => {
    const settings: Record<string, string> = {
      baseUrl: "https://127.0.0.1:1",
      publicKey: "key",
      privateKey: "key-secret",
    };
    const source = {
      owner: { kind: "stack" },
      get: (key: string) => settings[key],
      keys: () => [],
    } as const;
    const session = openSession(source, () => Promise.resolve());
    const call = findReadiness(session, {});
    await assert.rejects(call, ProviderError);
  });
});
