import assert from "node:assert/strict";
import { defineCommand, success } from "../../../provider/src/commands/command";

describe("a command", () => {
  it("ends with its own failure code if its options cannot be read", async () => {
    const command = defineCommand({
      summary: "",
      usage: "",
      help: "",
      failure: "Could not run",
      failureCode: 1,
      // Node.js refuses a short name of two letters.
      options: { broken: { type: "boolean", short: "bb" } },
      run: () => Promise.resolve(success("")),
    });
    assert.equal((await command.run([])).code, 1);
  });
});
