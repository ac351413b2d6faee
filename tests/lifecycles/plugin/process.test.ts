import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { useCleanup } from "../../support/cleanup";
import { startCommand, waitWhileRunning } from "../../support/command";
import { listenAsEngine } from "../../support/engineServer";
import { packedPlugin } from "../packedPlugin";
import { packageVersion } from "./usePlugin";

const executable = () => join(packedPlugin(), "pulumi-resource-clouddb");

describe("the executable of the plugin", () => {
  const cleanup = useCleanup("test");

  it("explains what is missing if node is not on PATH", () => {
    const { status, stderr } = spawnSync("/bin/sh", [executable()], {
      env: { PATH: "/nonexistent" },
      encoding: "utf8",
    });
    assert.equal(status, 127);
    assert.match(stderr, /needs Node\.js 20\.19 or later, but there is no node on PATH\. Install/);
  });

  it("prints its version", () => {
    const printed = execFileSync(executable(), ["--version"], { encoding: "utf8" });
    assert.equal(printed, `${packageVersion()}\n`);
  });

  // This process is the parent throughout, as on Windows, where a child keeps the ID of a parent that ended.
  it("ends after its engine stopped listening, even while its parent runs", async () => {
    const engine = await listenAsEngine();
    let connections = 0;
    engine.server.on("connection", () => (connections += 1));
    const plugin = startCommand(cleanup, executable(), [engine.address]);
    await waitWhileRunning(plugin, () => connections >= 2);
    await engine.stop();
    assert.deepEqual((await plugin.result).code, 0);
  });

  it("ends if its engine stopped listening before it started", async () => {
    const engine = await listenAsEngine();
    await engine.stop();
    const { code, stdout } = await startCommand(cleanup, executable(), [engine.address]).result;
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\n$/);
  });
});
