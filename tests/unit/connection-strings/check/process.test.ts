/** What the process of `clouddb-connection-strings` adds to the check. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { useCleanup } from "../../../support/cleanup";
import {
  type CommandOptions,
  minimalEnvironment,
  sourceCommand,
  startCommand,
} from "../../../support/command";

describe("the process of clouddb-connection-strings", () => {
  const cleanup = useCleanup("test");
  const command = sourceCommand("connection-strings");
  const run = (args: readonly string[], { env, ...options }: CommandOptions = {}) =>
    startCommand(cleanup, process.execPath, [...command, ...args], {
      ...options,
      env: { ...minimalEnvironment(), ...env },
    }).result;
  const unreachable = "mongodb://app:s3cret@localhost:1/?tls=true";

  it("reads the string from standard input or a variable, and prints no colors", async () => {
    const piped = await run(["check"], { input: `${unreachable}\n` });
    assert.deepEqual([piped.code, piped.stderr], [1, ""]);
    assert.match(piped.stdout, /^ok [^]*\nNot reachable\.\nUsual causes: [^]*\n$/);
    const named = await run(["check", "--variable", "URL"], { env: { URL: unreachable } });
    assert.deepEqual(named, piped);
    assert.ok(!piped.stdout.includes("s3cret") && !piped.stdout.includes("\u001b"));
  });

  const usage = /^Usage: clouddb-connection-strings <command>\n/;
  for (const [args, expectedCode, stdout, stderr] of [
    [["--version"], 0, /^\d+\.\d+\.\d+\n$/, /^$/],
    [["--help"], 0, usage, /^$/],
    [[], 2, /^$/, usage],
    [[unreachable], 2, /^$/, /^clouddb-connection-strings: unknown command, expected check; see/],
  ] as const) {
    it(`exits ${expectedCode} with ${args.join(" ") || "no arguments"}`, async () => {
      const result = await run(args);
      assert.equal(result.code, expectedCode);
      assert.match(result.stdout, stdout);
      assert.match(result.stderr, stderr);
      assert.doesNotMatch(result.stderr, /s3cret/);
    });
  }

  it("exits 1 if its output cannot be written", async function () {
    // Only Linux has this file.
    if (!existsSync("/dev/full")) this.skip();
    const line = '"$@" > /dev/full';
    const args = ["-c", line, "sh", process.execPath, ...command, "--version"];
    const { code, stderr } = await startCommand(cleanup, "sh", args).result;
    const expected = "clouddb-connection-strings: standard output cannot be written (ENOSPC)\n";
    assert.deepEqual([code, stderr], [1, expected]);
  });
});
