import { execFileSync } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder, useCleanup } from "../support/cleanup";
import { unpack } from "./packed";

const root = join(__dirname, "..", "..");

describe("examples/tests-with-simulator", () => {
  const cleanup = useCleanup("file");
  let folder: string;

  // In the repository, so that mocha is found in its node_modules.
  before(() => {
    folder = scratchFolder(cleanup);
    cpSync(join(root, "examples", "tests-with-simulator"), folder, { recursive: true });
    unpack("simulator", join(folder, "node_modules", "clouddb-simulator"));
  });

  it("passes with the packed simulator", () => {
    // An error contains the output of the tests.
    execFileSync("npm", ["test", "--silent"], { cwd: folder, encoding: "utf8", stdio: "pipe" });
  });
});
