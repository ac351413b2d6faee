/** Tests the environments of child processes. */
import assert from "node:assert/strict";

describe("withoutSettings", () => {
  it("removes the provider's settings and keeps everything else", async () => {
    const { withoutSettings } = await import("../../../tools/environment.mjs");
    const environment = { PATH: "/bin", CLOUDDB_PUBLIC_KEY: "a", CLOUDDB_: "b", MY_CLOUDDB_X: "c" };
    assert.deepEqual(withoutSettings(environment), { PATH: "/bin", MY_CLOUDDB_X: "c" });
  });
});
