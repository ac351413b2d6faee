import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import {
  apiPath,
  type ClusterBody,
  clustersPath,
  type ListBody,
  modePath,
  projectId,
} from "./client";
import { seedOf } from "./seeds";
import { useSimulator } from "./testService";

describe("curl --digest", () => {
  let folder: string;
  let ca: string;
  before(function () {
    if (spawnSync("curl", ["--version"]).error) {
      console.log("      skipped: curl is not installed");
      this.skip();
    }
  });
  const service = useSimulator(
    {
      seed: seedOf([{ name: "a" }, { name: "b" }, { name: "c" }], {
        privateIpMode: { enabled: true },
      }),
    },
    "before",
  );
  before(() => {
    folder = mkdtempSync(join(tmpdir(), "curl-"));
    ca = join(folder, "ca.pem");
    writeFileSync(ca, service.simulator.ca);
  });
  after(() => {
    if ((folder as string | undefined) !== undefined) rmSync(folder, { recursive: true });
  });

  const curl = async (path: string, ...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)("curl", [
      ...["--silent", "--show-error", "--fail", "--cacert", ca],
      ...["--digest", "--user", "demo:demo-secret", ...args],
      `${service.simulator.url}${apiPath}${path}`,
    ]);
    return stdout;
  };

  it("lists clusters page by page", async () => {
    const page = JSON.parse(
      await curl(`${clustersPath}?itemsPerPage=2&pageNum=2`),
    ) as ListBody<ClusterBody>;
    assert.deepEqual(
      page.results.map(({ name }) => name),
      ["c"],
    );
    assert.equal(page.totalCount, 3);
  });

  it("updates private IP mode with PATCH", async () => {
    const type = ["--header", "Content-Type: application/json"];
    const text = await curl(modePath, "--request", "PATCH", ...type, "--data", '{"enabled":false}');
    assert.equal((JSON.parse(text) as { enabled: boolean }).enabled, false);
    assert.equal(service.simulator.project(projectId).privateIpMode.enabled, false);
  });

  it("returns only headers for HEAD", async () => {
    const text = await curl(clustersPath, "--head");
    assert.match(text, /HTTP\/1\.1 401/);
    assert.match(text, /HTTP\/1\.1 200 OK[^]*content-length: \d{3,}\r\n/i);
    assert.ok(text.endsWith("\r\n\r\n"));
  });

  it("returns formatted JSON for pretty, and an envelope for envelope", async () => {
    assert.match(await curl(`${clustersPath}/a?pretty=true`), /^\{\n {2}"/);
    const wrapped = JSON.parse(await curl(`${clustersPath}/a?envelope=true`)) as {
      status: number;
      content: ClusterBody;
    };
    assert.equal(wrapped.status, 200);
    assert.equal(wrapped.content.name, "a");
  });
});
