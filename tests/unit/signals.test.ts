/** Tests how the commands of scripts/ end what they started when something ends them. */
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { canListProcesses } from "../../scripts/markedProcesses.cjs";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { skipOnWindows, startCommand } from "../support/command";

const scripts = join(__dirname, "../../scripts");
/** A program that prints that it has started, and ends only after SIGINT. */
const waiting = "console.log('started'); setInterval(() => undefined, 1000);";

describe("a command of scripts/", () => {
  const cleanup = useCleanup("test");
  skipOnWindows();

  /** Writes a command that passes its arguments to a function of processes.mjs. */
  function place(call: string): string {
    const folder = temporaryFolder(cleanup);
    const imported = (file: string) => JSON.stringify(pathToFileURL(join(scripts, file)).href);
    const source = `import { run, runMarked } from ${imported("processes.mjs")};
      import { command } from ${imported("terminal.mjs")};
      await command("", async (args) => { await ${call}; return 0; });`;
    writeFileSync(join(folder, "command.mjs"), source);
    const manifest = { scripts: { command: "node command.mjs" } };
    writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
    return folder;
  }

  for (const [signal, expected] of [
    ["SIGTERM", { code: 143, stderr: "Interrupted.\n" }],
    ["SIGKILL", { code: null, stderr: "" }],
  ] as const) {
    it(`ends what its child process left behind after ${signal}`, async function () {
      if (!canListProcesses) this.skip();
      // Its own child process ignores the signals of its group, and keeps the output open.
      const child = `require("node:child_process")
        .spawn(process.execPath, ["-e", ${JSON.stringify(waiting)}], { detached: true, stdio: "inherit" });`;
      const cwd = place("runMarked(process.execPath, ['-e', ...args])");
      const args = ["command.mjs", child];
      const started = startCommand(cleanup, process.execPath, args, { cwd });
      await started.firstLine();
      started.kill(signal);
      const { code, stderr } = await started.result;
      assert.deepEqual({ code, stderr }, expected);
    });
  }

  for (const signal of ["SIGTERM", "SIGHUP", "SIGKILL"] as const) {
    it(`ends with its child process after a ${signal} that reaches only npm`, async function () {
      if (signal !== "SIGTERM" && !canListProcesses) this.skip();
      const cwd = place("run(process.execPath, ['-e', ...args])");
      const args = ["run", "--silent", "command", "--", waiting];
      const started = startCommand(cleanup, "npm", args, { cwd });
      await started.firstLine();
      started.kill(signal);
      const { stderr } = await started.result;
      assert.match(stderr, /Interrupted\./);
    });
  }
});
