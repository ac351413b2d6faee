/** Tests the environments of child processes. */
import assert from "node:assert/strict";

describe("withoutSettings", () => {
  it("removes the provider's settings and keeps everything else", async () => {
    const { withoutSettings } = await import("../../../scripts/environment.mjs");
    const environment = { PATH: "/bin", CLOUDDB_PUBLIC_KEY: "a", CLOUDDB_: "b", MY_CLOUDDB_X: "c" };
    assert.deepEqual(withoutSettings(environment), { PATH: "/bin", MY_CLOUDDB_X: "c" });
  });
});

describe("withoutLoopbackProxy", () => {
  const noProxy = async (environment: NodeJS.ProcessEnv) => {
    const { withoutLoopbackProxy } = await import("../../../scripts/environment.mjs");
    const { NO_PROXY, no_proxy } = withoutLoopbackProxy(environment);
    return [NO_PROXY, no_proxy];
  };

  it("adds loopback to the hosts that need no proxy, in both spellings", async () => {
    const loopback = "127.0.0.1,localhost";
    assert.deepEqual(await noProxy({ HTTPS_PROXY: "http://proxy" }), [loopback, loopback]);
    const both = ["internal,127.0.0.1,localhost", "internal,127.0.0.1,localhost"];
    assert.deepEqual(await noProxy({ NO_PROXY: "internal" }), both);
    assert.deepEqual(await noProxy({ no_proxy: "internal" }), both);
  });

  it("keeps an asterisk, which exempts every host", async () => {
    assert.deepEqual(await noProxy({ NO_PROXY: "*" }), ["*", "*"]);
  });
});
