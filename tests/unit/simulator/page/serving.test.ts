import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { json, projectId } from "../client";
import { credentialsSeed, seedOf } from "../seeds";
import { useSimulator } from "../testService";

interface PageData {
  control: boolean;
  baseUrl: string;
  caFile?: string;
  projects: { name: string; curl?: string; clusterCount: number; clusters: unknown[] }[];
}

describe("the status page", () => {
  const service = useSimulator({ seed: seedOf([{ name: "orders", version: "7.0.12" }]) });
  const data = async () => json<PageData>(await service.send("/page.json"));

  it("serves its files without credentials", async () => {
    for (const [path, type] of [
      ["/", "text/html"],
      ["/page/page.js", "text/javascript"],
      ["/page/page.css", "text/css"],
      ["/page.json", "application/json"],
    ] as const) {
      const response = await service.send(path);
      assert.equal(response.status, 200);
      assert.ok(String(response.headers["content-type"]).startsWith(type));
      assert.match(String(response.headers["content-security-policy"]), /default-src 'none'/);
    }
    assert.equal(service.simulator.requests.length, 0);
  });

  it("returns neither private keys nor client secrets", async () => {
    await service.start({ seed: credentialsSeed, control: true });
    const { text } = await service.send("/page.json");
    assert.match(text, /--user demo:/);
    assert.doesNotMatch(text, /secret/);
  });

  it("returns neither the bodies nor the headers of faults", async () => {
    service.simulator.faults.push({ status: 500, body: "hidden", headers: { "x-a": "hidden" } });
    const { text } = await service.send("/page.json");
    assert.match(text, /"status":500/);
    assert.doesNotMatch(text, /hidden/);
  });

  it("rejects other host names, so that no website can read it", async () => {
    for (const path of ["/", "/page.json"]) {
      const response = await service.send(path, { headers: { host: "evil.example" } });
      assert.equal(response.status, 403);
    }
  });

  it("returns 304 until the data changes", async () => {
    const first = await service.send("/page.json");
    const headers = { "if-none-match": String(first.headers.etag) };
    assert.equal((await service.send("/page.json", { headers })).status, 304);
    service.simulator.project(projectId).setPrivateIpMode(true);
    assert.equal((await service.send("/page.json", { headers })).status, 200);
  });

  it("returns the first 200 clusters of a project, and the total number", async () => {
    const clusters = Array.from({ length: 201 }, (_, index) => ({ name: `c${index}` }));
    await service.start({ seed: seedOf(clusters) });
    const [project] = (await data()).projects;
    assert.equal(project?.clusterCount, 201);
    assert.equal(project.clusters.length, 200);
  });

  it("returns no curl command for a project without API keys", async () => {
    const seed = { ...seedOf([]), organizations: [{ name: "acme" }] };
    await service.start({ seed });
    assert.equal((await data()).projects[0]?.curl, undefined);
  });

  describe("the curl command", () => {
    let folder: string;
    beforeEach(function () {
      if (spawnSync("curl", ["--version"]).error) {
        console.log("      skipped: curl is not installed");
        this.skip();
      }
      folder = mkdtempSync(join(tmpdir(), "page's folder-"));
    });
    afterEach(() => {
      rmSync(folder, { recursive: true });
    });

    it("lists the clusters with the certificate of caFile", async () => {
      const caFile = join(folder, "ca.pem");
      const simulator = await service.start({ caFile });
      assert.equal(readFileSync(caFile, "utf8"), simulator.ca);
      const { projects, ...page } = await data();
      assert.equal(page.caFile, caFile);
      const { stdout } = await promisify(execFile)("sh", ["-c", String(projects[0]?.curl)], {
        env: { ...process.env, CLOUDDB_PRIVATE_KEY: "demo-secret" },
      });
      assert.match(stdout, /"name": "orders"/);
    });
  });

  it("does not start if the certificate cannot be written to caFile", async () => {
    const caFile = join(tmpdir(), "missing", "folder", "ca.pem");
    await assert.rejects(service.start({ caFile }), /CA certificate cannot be written: .*\nChoose/);
  });
});
