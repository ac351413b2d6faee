/** Tests `npm run up` and `npm run pulumi` while `npm run simulator` is running. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";
import { projectId } from "../support/service";
import { send } from "../unit/simulator/client";

const root = resolve(__dirname, "../..");

describe("the commands of the demo while npm run simulator is running", function () {
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
    return command;
  };
  const pulumi = (...args: string[]) => start("stack.mjs", ...args, "--non-interactive").result;

  /** Starts `npm run simulator -- --profile atlas`, and returns functions for its /control. */
  async function startSimulator() {
    const command = start("simulator.mjs", "--profile", "atlas");
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
    return { command, url, change };
  }

  it("refuses disabling in preview once a cluster is changed to 6.0, until --fresh resets the simulator", async () => {
    const simulator = await startSimulator();
    await simulator.change("clusters/sessions", { version: "6.0.5" });
    const refused = await pulumi("preview");
    assert.notEqual(refused.code, 0);
    assert.match(refused.stdout + refused.stderr, /cannot be disabled[^]*sessions +6\.0\.5/);
    assert.match(refused.stderr, /Using the simulator of npm run simulator: /);

    const up = await start("up.mjs", "--fresh", "--non-interactive").result;
    assert.equal(up.code, 0, up.stdout + up.stderr);
    assert.match(up.stdout, /ordersFromPeeredNetwork *: "mongodb\+srv:\/\/orders-pri\./);
    const longest = up.stdout.match(/sessionsFromInternet *: ".*"/g);
    assert.equal(longest?.length, 1);
    assert.match(longest[0], /&replicaSet=[^.]+"$/);
    assert.match(
      up.stderr,
      /Next, .*:\n  https:\/\/127\.0\.0\.1:.* the page .*\n  npm run pulumi -- preview /,
    );
    simulator.command.kill("SIGINT");
    assert.equal((await simulator.command.result).code, 0);
  });

  it("uses port 8443 or, if that is in use, a free one with the command that a stack needs", async () => {
    const address = "https://127.0.0.1:8443";
    const holder = createServer().listen(8443, "127.0.0.1");
    cleanup(() => holder.close());
    await once(holder, "listening").catch(() => undefined);
    // Otherwise, another program uses the port.
    const isHeld = holder.listening;

    const { command, url } = await startSimulator();
    command.kill("SIGINT");
    const { stdout } = await command.result;
    assert.notEqual(url, address);
    assert.match(stdout, new RegExp(`in use\\..*: pulumi config set clouddb:baseUrl ${url}$`, "m"));

    holder.close();
    const next = await startSimulator();
    if (isHeld) assert.equal(next.url, address);
  });
});
