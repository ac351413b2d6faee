import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(__dirname, "..", "..");

describe("the packed clouddb-simulator", function () {
  this.timeout(180_000);
  let folder: string;

  // Installed outside the repository, with dependencies of its own, as a user's project has it.
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "packed-simulator-"));
    const npm = ["pack", "--silent", "--pack-destination", folder];
    execFileSync("npm", npm, { cwd: join(root, "simulator") });
    const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
    assert.ok(tarball !== undefined);
    writeFileSync(join(folder, "package.json"), '{"name":"user","private":true}');
    execFileSync(
      "npm",
      ["install", "--silent", "--prefer-offline", "--no-audit", "--no-fund", `./${tarball}`],
      { cwd: folder },
    );
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it("holds what is built, its page, its license and its README, and nothing else", () => {
    const files = readdirSync(join(folder, "node_modules", "clouddb-simulator")).sort();
    assert.deepEqual(
      files.filter((name) => name !== "node_modules"),
      ["LICENSE", "README.md", "bin", "dist", "package.json", "page"],
    );
  });

  it("runs by npx", () => {
    const help = execFileSync("npx", ["--no-install", "clouddb-simulator", "--help"], {
      cwd: folder,
      encoding: "utf8",
    });
    assert.match(help, /Usage: clouddb-simulator --seed <file>/);
  });

  it("starts, serves its page over HTTPS, and stops", async () => {
    const seed = join(root, "examples", "quickstart", "seed.json");
    const command = join(folder, "node_modules", ".bin", "clouddb-simulator");
    const child = spawn(command, ["--seed", seed], { stdio: ["ignore", "pipe", "inherit"] });
    const exited = once(child, "exit");
    const [line] = (await once(child.stdout, "data")) as [Buffer];
    const { url, caFile } = JSON.parse(line.toString()) as { url: string; caFile: string };
    const status = await new Promise((resolve, reject) => {
      get(url, { ca: readFileSync(caFile) }, (response) => {
        response.resume();
        resolve(response.statusCode);
      }).on("error", reject);
    });
    assert.equal(status, 200);
    child.kill();
    assert.deepEqual(await exited, [0, null]);
  });

  it("is a library with types", () => {
    const names = execFileSync(
      process.execPath,
      ["-e", 'console.log(Object.keys(require("clouddb-simulator")).sort().join(" "))'],
      { cwd: folder, encoding: "utf8" },
    );
    assert.equal(names.trim(), "SeedError ServiceError StateFileError startSimulator");
    const program = `
import { type Fault, type ReceivedRequest, type Seed, startSimulator } from "clouddb-simulator";
const seed: Seed = { organizations: [{ name: "acme" }] };
const fault: Fault = { status: 503 };
export async function listings(): Promise<readonly ReceivedRequest[]> {
  const service = await startSimulator({ seed, port: 0 });
  service.faults.push(fault);
  await service.stop();
  return service.requests.filter((request) => request.operation === "listClusters");
}
`;
    writeFileSync(join(folder, "program.ts"), program);
    const tsc = require.resolve("typescript/bin/tsc");
    const strict = ["--strict", "--module", "node16", "--target", "es2022", "--noEmit"];
    execFileSync(process.execPath, [tsc, ...strict, "program.ts"], {
      cwd: folder,
      encoding: "utf8",
    });
  });
});
