import assert from "node:assert/strict";
import { forCommand } from "../../../provider/src/commands/command";
import { doctor } from "../../../provider/src/commands/doctor";
import { doctorAdvice } from "../../../provider/src/messages/recommendations";
import { unsafeCharacters } from "../../../provider/src/messages/text";

describe("a message of a command", () => {
  const message =
    'Check clouddb:baseUrl and clouddb:other, says "clouddb:apiPath". Run:\n  pulumi config set clouddb:apiPath /api';

  it("names settings by variables, except in quotes and commands", () => {
    assert.equal(
      forCommand(message, false),
      'Check CLOUDDB_BASE_URL and clouddb:other, says "clouddb:apiPath". Run:\n  pulumi config set clouddb:apiPath /api',
    );
  });

  it("names doctor without a stack if the command has none", () => {
    const check = `Check clouddb:apiPath. ${doctorAdvice}`;
    const own = "Check CLOUDDB_API_PATH. To check them, run npx --no pulumi-clouddb doctor.";
    assert.deepEqual([forCommand(check, false), forCommand(check, true)], [own, check]);
  });

  it("keeps the settings of a stack", () => {
    assert.equal(forCommand(message, true), message);
  });
});

describe("the arguments of a command", () => {
  for (const [args, problem] of [
    [
      "--project ..",
      "--project must be a project ID, not . or ..; see pulumi-clouddb doctor --help",
    ],
    ["--project=", "--project must be a project ID, not empty; see "],
    ["--projekt=p", "unknown option '--projekt'; see "],
    ["--\u001b[2J \u009b", "unknown option '--\\u{1b}[2J"],
    ["wr0ng-token", "unexpected argument; see "],
    ["orders", "unexpected argument orders; see "],
    ["-- 64a0c0ffee0000000000a001", "unexpected argument 64a0c0ffee0000000000a001; see "],
    ["--stack=", "--stack NAME is missing; see "],
  ] as const) {
    it(`are refused in one line that names the help: ${JSON.stringify(args)}`, async () => {
      const { code, output, error } = await doctor.run(args.split(" "));
      assert.deepEqual([code, output], [2, ""]);
      assert.ok(error.startsWith(`pulumi-clouddb doctor: ${problem}`), error);
      assert.doesNotMatch(error, unsafeCharacters);
    });
  }
});
