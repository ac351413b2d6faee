/** What `pulumi-clouddb` does differently on Windows, in a Node.js that only claims to run there, with shell scripts as commands. */
import assert from "node:assert/strict";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { skipOnWindows, startCommand, waitWhileRunning } from "../../support/command";
import { settingsFor, useService } from "../../support/service";

const bin = join(__dirname, "../../../provider/bin/pulumi-clouddb.js");
const onWindows = 'data:text/javascript,Object.defineProperty(process,"platform",{value:"win32"})';

describe("pulumi-clouddb on Windows", () => {
  skipOnWindows();
  const cleanup = useCleanup("test");
  const service = useService();
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder(cleanup);
  });

  const start = (args: readonly string[], environment: Record<string, string> = {}) => {
    const command = ["--import", onWindows, bin, ...args];
    return startCommand(cleanup, process.execPath, command, {
      env: { PATH: folder, ...environment },
    });
  };

  /** Places the shim that npm creates for the package `pulumi`, and a command processor that is a shell script. */
  function pulumi(script: string): Record<string, string> {
    writeFileSync(join(folder, "pulumi.cmd"), "");
    const comspec = join(folder, "cmd.exe");
    writeFileSync(comspec, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
    chmodSync(comspec, 0o755);
    return { PATHEXT: ".EXE;.CMD", RUNNER_TEMP: folder, comspec };
  }

  it("starts npm's shim pulumi.cmd to read the configuration of a stack", async () => {
    const { CLOUDDB_BASE_URL: value, ...settings } = settingsFor(service);
    const config = JSON.stringify({ "clouddb:baseUrl": { value } });
    const environment = pulumi(`case "$4" in *config*--json*) echo '${config}'; esac`);
    const { code, stdout, stderr } = await start(["doctor", "--stack", "dev"], {
      ...settings,
      ...environment,
    }).result;
    assert.deepEqual([code, stderr], [0, ""], stdout);
    assert.match(stdout, /clouddb:baseUrl +https:\S+ +stack\n/);
  });

  for (const signal of ["SIGINT", "SIGBREAK"] as const) {
    it(`leaves ${signal} to the console, which sends it to Pulumi, too`, async () => {
      const script = `trap "touch ${folder}/received" INT TERM
        touch ${folder}/started
        while [ ! -e ${folder}/end ]; do sleep 0.1; done`;
      // Linux has no SIGBREAK, so the command sends it to itself.
      const emits = `data:text/javascript,process.on("SIGUSR2",()=>process.emit("${signal}","${signal}"))`;
      const environment = { ...pulumi(script), NODE_OPTIONS: `--import=${JSON.stringify(emits)}` };
      const command = start(["preview", "--stack", "dev"], environment);
      await waitWhileRunning(command, () => existsSync(join(folder, "started")));
      command.kill("SIGUSR2");
      await sleep(300);
      writeFileSync(join(folder, "end"), "");
      const { code, stderr } = await command.result;
      assert.equal(code, 1);
      assert.match(stderr, new RegExp(`${signal} ended pulumi preview`));
      assert.equal(existsSync(join(folder, "received")), false);
    });
  }

  it("reads settings regardless of the case of their names, and recommends its shells' commands", async () => {
    const { stdout } = await start(["doctor"], { clouddb_base_url: service.url }).result;
    assert.doesNotMatch(stdout, /is not a setting|CLOUDDB_BASE_URL is not set/);
    assert.match(
      stdout,
      /CLOUDDB_CLIENT_ID is not set\. Run:\n +\$env:CLOUDDB_CLIENT_ID="\.\.\." \(in cmd: set CLOUDDB_CLIENT_ID=\.\.\.\)\n/,
    );
  });
});
