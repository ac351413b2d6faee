/** Tests `npm run pulumi` while `npm run simulator` is running. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { temporaryFolder, useCleanup } from "../cleanup";
import { startCommand, waitWhileRunning } from "../command";
import { projectId } from "../service";
import { json, send } from "../unit/simulator/client";

const root = resolve(__dirname, "../..");

describe("npm run pulumi while npm run simulator is running", function () {
  // A test runs up to four commands, each of which checks the build first.
  this.timeout(600_000);
  const cleanup = useCleanup("test");
  let demoFolder: string;
  beforeEach(() => {
    demoFolder = join(temporaryFolder(cleanup), "demo");
  });

  const start = (script: string, ...args: string[]) => {
    const command = startCommand(
      cleanup,
      process.execPath,
      [join(root, "scripts", script), ...args],
      {
        cwd: root,
        env: { ...process.env, PULUMI_CLOUDDB_DEMO_FOLDER: demoFolder },
      },
    );
    // A command that is killed with SIGKILL does not stop its simulator.
    cleanup(async () => {
      command.kill("SIGTERM");
      await command.result;
    });
    return command;
  };
  const pulumi = (...args: string[]) => start("stack.mjs", ...args, "--non-interactive").result;

  /** Starts `npm run simulator`, and returns functions for its /control. */
  async function startSimulator() {
    const command = start("simulator.mjs");
    const url = (await command.firstLine()).replace("Simulator: ", "");
    const service = { url, ca: readFileSync(join(demoFolder, "ca.pem"), "utf8") };
    const change = async (path: string, value: unknown) => {
      const response = await send(service, `/control/projects/${projectId}/${path}`, {
        method: "PATCH",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(value),
      });
      assert.equal(response.status, 200, response.text);
    };
    const requests = async () =>
      json<{ requests: unknown[] }>(await send(service, "/control/requests")).requests;
    return { command, change, requests };
  }

  /** Returns the process of the engine that has locked the stack. */
  function lockOwner() {
    const locks = join(demoFolder, "backend", ".pulumi", "locks");
    const files = readdirSync(locks, { recursive: true, encoding: "utf8" });
    const lock = files.find((file) => file.endsWith(".json"));
    assert.ok(lock !== undefined, "the stack is locked");
    const content: unknown = JSON.parse(readFileSync(join(locks, lock), "utf8"));
    return z.object({ pid: z.number() }).parse(content).pid;
  }

  it("refuses disabling in preview once a cluster is changed to 6.0, until --fresh resets the simulator", async () => {
    const simulator = await startSimulator();
    await simulator.change("clusters/sessions", { version: "6.0.5" });
    const refused = await pulumi("preview");
    assert.notEqual(refused.code, 0);
    assert.match(refused.stdout + refused.stderr, /cannot be disabled[^]*sessions +6\.0\.5/);
    assert.match(refused.stderr, /Using the simulator of npm run simulator: /);

    const up = await pulumi("up", "--yes", "--fresh");
    assert.equal(up.code, 0, up.stdout + up.stderr);
    simulator.command.kill("SIGINT");
    assert.equal((await simulator.command.result).code, 0);
  });

  it("runs two commands one after the other", async () => {
    await startSimulator();
    const ups = [pulumi("up", "--yes"), pulumi("up", "--yes")];
    const help = await pulumi("help");
    assert.match(help.stdout, /pulumi up/);
    assert.doesNotMatch(help.stderr, /another command/);
    const results = await Promise.all(ups);
    for (const { code, stdout, stderr } of results) assert.equal(code, 0, stdout + stderr);
    const changes = results.map(
      ({ stdout }) => /^ +(?:\+ )?6 (created|unchanged)$/m.exec(stdout)?.[1],
    );
    assert.deepEqual(changes.sort(), ["created", "unchanged"]);
  });

  it("names the command that removes the lock of a killed engine", async () => {
    const simulator = await startSimulator();
    const killed = start("up.mjs", "--non-interactive");
    await waitWhileRunning(killed, async () => (await simulator.requests()).length > 0);
    process.kill(lockOwner(), "SIGKILL");
    assert.equal((await killed.result).code, 137);

    const locked = await pulumi("up", "--yes");
    assert.notEqual(locked.code, 0);
    assert.match(locked.stderr, /locked by 1 lock[^]*\n {2}npm run pulumi -- cancel --yes\n$/);
    const cancel = await pulumi("cancel", "--yes");
    assert.equal(cancel.code, 0, cancel.stderr);
    assert.doesNotMatch(cancel.stderr, /npm run pulumi/);
    const repeated = await pulumi("up", "--yes");
    assert.equal(repeated.code, 0, repeated.stderr);
  });
});
