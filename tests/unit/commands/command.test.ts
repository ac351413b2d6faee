import assert from "node:assert/strict";
import { defineCommand, succeeded } from "../../../provider/src/commands/command";
import { useCleanup } from "../../cleanup";
import { sourceCommand, startCommand } from "../../command";

describe("a command", () => {
  const cleanup = useCleanup("test");

  it("ends with its own failure code if its options cannot be read", async () => {
    const command = defineCommand({
      summary: "",
      usage: "",
      help: "",
      failure: "Could not run",
      failureCode: 1,
      // Node.js refuses a short name of two letters.
      options: { broken: { type: "boolean", short: "bb" } },
      run: () => Promise.resolve(succeeded("")),
    });
    assert.equal((await command.run([])).code, 1);
  });

  it("is unknown if its name is a property of every object", async () => {
    const cli = sourceCommand("provider");
    for (const name of ["toString", "constructor", "__proto__"]) {
      const { code, stderr } = await startCommand(cleanup, process.execPath, [...cli, name]).result;
      assert.equal(code, 2);
      assert.ok(stderr.startsWith(`Unknown command ${name}; `), stderr);
    }
  });
});
