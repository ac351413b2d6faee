/** What the process of `pulumi-clouddb` adds to its commands. */
import assert from "node:assert/strict";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { minimalEnvironment, sourceCommand, startCommand } from "../../support/command";
import { missingProjectId, settingsFor, useService } from "../../support/service";

describe("the process of pulumi-clouddb", () => {
  const cleanup = useCleanup("test");
  const service = useService();
  const run = (args: readonly string[], environment: NodeJS.ProcessEnv = settingsFor(service)) =>
    startCommand(cleanup, process.execPath, [...sourceCommand("provider"), ...args], {
      env: { ...minimalEnvironment(), ...environment },
    }).result;

  it("exits with the code of the command, and prints no colors without a terminal", async () => {
    const { code, stdout, stderr } = await run(["doctor", "--project", missingProjectId]);
    assert.deepEqual([code, stderr], [1, ""]);
    assert.match(stdout, /\n {2}problem +clusters +.*404/);
    assert.ok(!stdout.includes("\u001b"));
  });

  const unknown: [args: string[], message: RegExp][] = [
    [[], /^Usage:/],
    [
      ["docter"],
      /^pulumi-clouddb: unknown command docter; did you mean doctor\? See pulumi-clouddb --help\n/,
    ],
    [["\u009bdoctor"], /: unknown command \\u\{9b\}doctor; did you mean doctor\?/],
    [
      ["mongodb://app:t0ken@h.example/"],
      /^pulumi-clouddb: unknown command; expected one of doctor, .*; see pulumi-clouddb --help\n$/,
    ],
    [["constructor"], /: unknown command; /],
  ];
  for (const [args, message] of unknown) {
    it(`exits 2 without a command: ${message}`, async () => {
      const { code, stdout, stderr } = await run(args);
      assert.deepEqual([code, stdout], [2, ""]);
      assert.match(stderr, message);
    });
  }

  it("exits 1 after an unexpected error", async () => {
    const breaking = join(temporaryFolder(cleanup), "breaking.cjs");
    writeFileSync(breaking, 'require("node:crypto").randomBytes = null;');
    const NODE_OPTIONS = `--require ${JSON.stringify(breaking)}`;
    const environment = { ...settingsFor(service), NODE_OPTIONS };
    const { code, stdout, stderr } = await run(["doctor"], environment);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /randomBytes/);
  });

  it("exits 1 if its output cannot be written", async function () {
    // Only Linux has this file.
    if (!existsSync("/dev/full")) this.skip();
    const command = [process.execPath, ...sourceCommand("provider"), "--version"];
    const { code, stderr } = await startCommand(cleanup, "sh", [
      "-c",
      '"$@" > /dev/full',
      "sh",
      ...command,
    ]).result;
    assert.deepEqual(
      [code, stderr],
      [1, "pulumi-clouddb: standard output cannot be written (ENOSPC)\n"],
    );
  });

  it("prints its version with --version", async () => {
    const { code, stdout } = await run(["--version"]);
    assert.equal(code, 0);
    assert.match(stdout, /^\d+\.\d+\.\d+\n$/);
  });
});
