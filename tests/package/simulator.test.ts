import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { join } from "node:path";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";
import { pack } from "./packed";

const root = join(__dirname, "..", "..");

describe("the packed clouddb-simulator", () => {
  const cleanup = useCleanup("file");
  let folder: string;

  // Outside the repository, the package needs its own dependencies, as in a user's project.
  before(() => {
    folder = temporaryFolder(cleanup);
    const tarball = pack("simulator", folder);
    writeFileSync(join(folder, "package.json"), '{"name":"user","private":true}');
    execFileSync(
      "npm",
      ["install", "--silent", "--prefer-offline", "--no-audit", "--no-fund", `./${tarball}`],
      { cwd: folder },
    );
  });

  it("prints its usage when npx runs it", () => {
    const help = execFileSync("npx", ["--no-install", "clouddb-simulator", "--help"], {
      cwd: folder,
      encoding: "utf8",
    });
    assert.match(help, /Usage: clouddb-simulator \[options\]/);
  });

  it("serves its page over HTTPS until it is stopped", async () => {
    const seed = join(root, "examples", "quickstart", "seed.json");
    const command = join(folder, "node_modules", ".bin", "clouddb-simulator");
    const { firstLine, kill, result } = startCommand(cleanup, command, ["--seed", seed]);
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

  it("exports a library", () => {
    const names = execFileSync(
      process.execPath,
      ["-e", 'console.log(Object.keys(require("clouddb-simulator")).sort().join(" "))'],
      { cwd: folder, encoding: "utf8" },
    );
    assert.equal(names.trim(), "SeedError ServiceError StateFileError startSimulator");
  });
});
