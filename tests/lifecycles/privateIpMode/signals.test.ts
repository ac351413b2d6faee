/** What happens to a change when a signal ends its process. */
import assert from "node:assert/strict";
import { projectId } from "../../support/service";
import { skipOnWindows } from "../../support/command";
import { waitUntil } from "../../support/waitUntil";
import { useProvider } from "../useProvider";

describe("a provider process that a signal ends while a change is pending", () => {
  const { service, start } = useProvider("privateIpMode");
  const disable = { projectId, enabled: false };
  skipOnWindows();

  /** Ends a process while its PATCH is pending. Returns the result of the creation, and the time until then, in seconds. */
  async function endAfterChange(delayMs: number) {
    const { check, create, pid } = await start();
    const { inputs } = await check(disable);
    service.faults.push({ method: "PATCH", withCredentials: true, delayMs });
    const created = create(inputs).catch((error: unknown) => error);
    await waitUntil("a change", () => service.patches().length > 0);
    const from = performance.now();
    process.kill(pid ?? assert.fail(), "SIGTERM");
    return { created: await created, seconds: (performance.now() - from) / 1000 };
  }

  it("returns what the service confirms", async () => {
    const { created } = await endAfterChange(1500);
    assert.deepEqual(created, { id: projectId, outs: disable });
    assert.equal(service.patches().length, 1);
  });

  it("says that the outcome is unknown before the engine kills it after 5 s, and records that without a GET", async () => {
    service.faults.push({
      method: "GET",
      path: /privateIpMode$/,
      withCredentials: true,
      status: 405,
      times: Infinity,
    });
    const { created, seconds } = await endAfterChange(60_000);
    assert.ok(created instanceof Error && "properties" in created, String(created));
    assert.match(created.message, /may or may not have been disabled\. .*cancelled/);
    assert.deepEqual(created.properties, { projectId });
    assert.ok(seconds > 3 && seconds < 5, `${seconds} s`);
  });
});
