/** What happens to a change when its process is suspended. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type Cleanup, useCleanup } from "../../support/cleanup";
import { startCommand } from "../../support/command";
import { projectId, settingsFor, useOwnServices } from "../../support/service";
import { waitUntil } from "../../support/waitUntil";
import { startProvider } from "../providerProcess";

const disable = { projectId, enabled: false };

/** An engine that accepts no connection, of which the system accepts two. A further attempt waits. */
const busyEngine = `require("node:net")
  .createServer()
  .listen({ host: "127.0.0.1", port: 0, backlog: 1 }, function () {
    require("node:fs").writeSync(1, this.address().port + "\\n");
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

/** Connects until an attempt waits. */
async function fill(port: number, cleanup: Cleanup): Promise<void> {
  const isWaiting = async () => {
    const socket = connect(port, "127.0.0.1").on("error", () => undefined);
    cleanup(() => socket.destroy());
    return await Promise.race([
      new Promise<boolean>((resolve) =>
        socket.once("connect", () => {
          resolve(false);
        }),
      ),
      sleep(500, true),
    ]);
  };
  while (!(await isWaiting()));
}

describe("a provider process that is suspended between the guard and the change", () => {
  const cleanup = useCleanup("test");
  const startService = useOwnServices();

  before("skip where a busy port accepts connections, or without signals", function () {
    if (process.platform !== "linux") this.skip();
  });

  /** Suspends a process while it asks whether the engine still runs, until its list of clusters is 31 s old. */
  async function change(addCluster: boolean) {
    const service = await startService();
    const engine = startCommand(cleanup, process.execPath, ["-e", busyEngine]);
    const port = Number(await engine.firstLine());
    const provider = await startProvider(
      "privateIpMode",
      settingsFor(service),
      `127.0.0.1:${port}`,
    );
    cleanup(() => provider.stop());
    const { inputs } = await provider.check(disable);
    await fill(port, cleanup);
    const counted = (method: string, path: RegExp) =>
      service.requests.filter(
        (request) => request.method === method && path.test(request.path) && !request.challenged,
      ).length;
    const listed = counted("GET", /clusters/);
    const created = provider.create(inputs).then(
      () => "created",
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
    await waitUntil("the guard's list", () => counted("GET", /clusters/) === listed + 3);
    await sleep(500);
    const signal = (name: NodeJS.Signals) => process.kill(provider.pid ?? assert.fail(), name);
    signal("SIGSTOP");
    if (addCluster) service.project(projectId).addCluster({ name: "late", version: "6.0.5" });
    await sleep(31_000);
    signal("SIGCONT");
    return {
      result: await created,
      patches: counted("PATCH", /./),
      lists: counted("GET", /clusters/) - listed,
    };
  }

  it("sends the change after a new list, unless a cluster below 7.0 appeared meanwhile", async () => {
    const [sent, refused] = await Promise.all([change(false), change(true)]);
    assert.deepEqual(sent, { result: "created", patches: 1, lists: 6 });
    assert.match(refused.result, /cannot be disabled: 1 of its 5 clusters .*\n +late +6\.0\.5\n/);
    assert.deepEqual([refused.patches, refused.lists], [0, 6]);
  });
});
