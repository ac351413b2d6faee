import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Simulator, startSimulator } from "../../../simulator/src";
import { apiPath, type ClusterBody, type ListBody, projectId } from "./client";
import { seedOf } from "./seeds";

describe("curl --digest", function () {
  this.timeout(30_000);
  let simulator: Simulator;
  let folder: string;
  let ca: string;

  before(async function () {
    if (spawnSync("curl", ["--version"]).error) {
      console.log("      skipped: curl is not installed");
      this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), "curl-"));
    ca = join(folder, "ca.pem");
    simulator = await startSimulator({
      seed: seedOf([{ name: "a" }, { name: "b" }, { name: "c" }], {
        privateIpMode: { enabled: true },
      }),
    });
    writeFileSync(ca, simulator.ca);
  });
  after(async () => {
    await (simulator as Simulator | undefined)?.stop();
    if ((folder as string | undefined) !== undefined) rmSync(folder, { recursive: true });
  });

  const curl = async (path: string, ...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)("curl", [
      ...["--silent", "--show-error", "--fail", "--cacert", ca],
      ...["--digest", "--user", "demo:demo-secret", ...args],
      `${simulator.url}${apiPath}${path}`,
    ]);
    return stdout;
  };
  const clusters = `/groups/${projectId}/clusters`;

  it("lists clusters page by page", async () => {
    const page = JSON.parse(
      await curl(`${clusters}?itemsPerPage=2&pageNum=2`),
    ) as ListBody<ClusterBody>;
    assert.deepEqual(
      page.results.map(({ name }) => name),
      ["c"],
    );
    assert.equal(page.totalCount, 3);
  });

  it("updates private IP mode with PATCH", async () => {
    const type = ["--header", "Content-Type: application/json"];
    const path = `/groups/${projectId}/privateIpMode`;
    const text = await curl(path, "--request", "PATCH", ...type, "--data", '{"enabled":false}');
    assert.equal((JSON.parse(text) as { enabled: boolean }).enabled, false);
    assert.equal(simulator.project(projectId).privateIpMode.enabled, false);
  });

  it("returns only headers for HEAD", async () => {
    const text = await curl(clusters, "--head");
    assert.match(text, /HTTP\/1\.1 401/);
    assert.match(text, /HTTP\/1\.1 200 OK[^]*content-length: \d{3,}\r\n/i);
    assert.ok(text.endsWith("\r\n\r\n"));
  });

  it("returns formatted JSON and envelopes", async () => {
    assert.match(await curl(`${clusters}/a?pretty=true`), /^\{\n {2}"id"/);
    const wrapped = JSON.parse(await curl(`${clusters}/a?envelope=true`)) as {
      status: number;
      content: ClusterBody;
    };
    assert.equal(wrapped.status, 200);
    assert.equal(wrapped.content.name, "a");
  });
});
