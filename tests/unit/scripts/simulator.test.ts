/** Tests `npm run simulator`. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryFolder, useCleanup } from "../../cleanup";
import { startCommand } from "../../command";
import { send } from "../simulator/client";

const root = resolve(__dirname, "../../..");

describe("npm run simulator", function () {
  this.timeout(120_000);
  const cleanup = useCleanup("test");
  let demoFolder: string;
  beforeEach(() => {
    demoFolder = join(temporaryFolder(cleanup), "demo");
  });

  function start(...args: string[]) {
    const script = join(root, "scripts", "simulator.mjs");
    const env = { ...process.env, PULUMI_CLOUDDB_DEMO_FOLDER: demoFolder };
    const command = startCommand(cleanup, process.execPath, [script, ...args], { cwd: root, env });
    // A command that is killed with SIGKILL does not stop its simulator.
    cleanup(async () => {
      command.kill("SIGTERM");
      await command.result;
    });
    return command;
  }

  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    it(`serves the page with controls, and stops cleanly on ${signal}`, async () => {
      const command = start();
      const url = (await command.firstLine()).replace("Simulator: ", "");
      const service = { url, ca: readFileSync(join(demoFolder, "ca.pem"), "utf8") };
      assert.match((await send(service, "/page.json")).text, /"control":true/);
      command.kill(signal);
      const { code, stdout, stderr } = await command.result;
      assert.equal(code, 0, stderr);
      assert.match(stdout, /npm run pulumi -- preview\nTo stop: Ctrl-C/);
      await assert.rejects(send(service, "/page.json"), /ECONNREFUSED/);
      assert.ok(!existsSync(join(demoFolder, "service.json")));
    });
  }

  it("reports a simulator that is already running", async () => {
    const url = (await start().firstLine()).replace("Simulator: ", "");
    const { code, stderr } = await start().result;
    assert.equal(code, 1);
    assert.ok(stderr.includes(`The simulator is already running: ${url}\n`), stderr);
    assert.doesNotMatch(stderr, /^\s+at /m);
  });

  it("ignores what a killed command left behind", async () => {
    const first = start();
    await first.firstLine();
    const record = readFileSync(join(demoFolder, "service.json"), "utf8");
    first.kill("SIGTERM");
    await first.result;
    writeFileSync(join(demoFolder, "service.json"), record);
    assert.match(await start().firstLine(), /^Simulator: https:/);
  });

  it("passes options to the simulator, and reports an invalid one", async () => {
    const { code, stderr } = await start("--port", "x").result;
    assert.equal(code, 1);
    assert.match(stderr, /--port must be a number/);
    assert.doesNotMatch(stderr, /^\s+at /m);
  });
});
