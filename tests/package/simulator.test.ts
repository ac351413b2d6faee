import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { scratchFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";
import { unpack } from "./packed";

const root = join(__dirname, "..", "..");

describe("the packed clouddb-simulator", () => {
  const cleanup = useCleanup("file");
  let folder: string;

  // In the repository, so that mocha and the dependencies are found in its node_modules.
  before(() => {
    folder = scratchFolder(cleanup);
    cpSync(join(root, "examples", "tests-with-simulator"), folder, { recursive: true });
    unpack("simulator", join(folder, "node_modules", "clouddb-simulator"));
  });

  it("is a library for the tests of examples/tests-with-simulator", () => {
    // An error contains the output of the tests.
    execFileSync("npm", ["test", "--silent"], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  });

  it("contains the command, which serves its page over HTTPS until it is stopped", async () => {
    const seed = join(root, "examples", "quickstart", "seed.json");
    const command = join(folder, "node_modules/clouddb-simulator/bin/clouddb-simulator.js");
    const args = [command, "--seed", seed];
    const { firstLine, kill, result } = startCommand(cleanup, process.execPath, args);
    const { url, caFile } = JSON.parse(await firstLine()) as { url: string; caFile: string };
    const status = await new Promise((resolve, reject) => {
      get(url, { ca: readFileSync(caFile) }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on("error", reject);
    });
    assert.equal(status, 200);
    kill("SIGTERM");
    assert.equal((await result).code, 0);
  });
});
