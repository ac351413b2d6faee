import assert from "node:assert/strict";
import { forCommand } from "../../../provider/src/commands/command";
import { doctorAdvice } from "../../../provider/src/messages/recommendations";

describe("a message of a command", () => {
  const message =
    'Check clouddb:baseUrl, clouddb:other and network.endpointId, says "clouddb:apiPath". Run:\n  pulumi config set clouddb:apiPath /api';

  it("names settings by variables and arguments by options, except in quotes and commands", () => {
    assert.equal(
      forCommand(message, false),
      'Check CLOUDDB_BASE_URL, clouddb:other and --endpoint-id, says "clouddb:apiPath". Run:\n  pulumi config set clouddb:apiPath /api',
    );
  });

  it("names doctor without a stack if the command has none", () => {
    const check = `Check clouddb:apiPath. ${doctorAdvice}`;
    const own = "Check CLOUDDB_API_PATH. To check them, run npx pulumi-clouddb doctor.";
    assert.deepEqual([forCommand(check, false), forCommand(check, true)], [own, check]);
  });

  it("keeps the settings of a stack", () => {
    const expected = message.replace("network.endpointId", "--endpoint-id");
    assert.equal(forCommand(message, true), expected);
  });
});
