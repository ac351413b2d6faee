import assert from "node:assert/strict";
import { Socket } from "node:net";
import { connectionFacts } from "../../../../connection-strings/src/check/connections";

describe("the connections to a host", () => {
  const failing = (code: string) => {
    const socket = new Socket();
    process.nextTick(() => socket.destroy(Object.assign(new Error(code), { code })));
    return socket;
  };

  it("report how IPv4 fails if this machine has no IPv6", async () => {
    for (const codes of [
      ["ENETUNREACH", "ECONNREFUSED"],
      ["ECONNREFUSED", "ENETUNREACH"],
    ]) {
      const { tcp } = await connectionFacts(
        codes.map((code) => () => failing(code)),
        undefined,
      );
      assert.deepEqual(tcp, { code: "ECONNREFUSED" });
    }
    const { tcp } = await connectionFacts([() => failing("ENETUNREACH")], undefined);
    assert.deepEqual(tcp, { code: "ENETUNREACH" });
  });
});
