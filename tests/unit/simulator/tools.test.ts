/** Checks that curl and the OpenAPI document agree about the same seed. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import addFormats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020";
import type { Seed } from "../../../simulator/src";
import {
  type ClusterBody,
  type ListBody,
  apiPath,
  clustersPath,
  json,
  modePath,
  projectId,
} from "./client";
import { seedOf } from "./seeds";
import { useSimulator } from "./testService";

const run = promisify(execFile);

/** One cluster for each kind of connection string. */
const seed: Seed = seedOf(
  [
    { name: "orders", peering: true },
    { name: "old", createdAt: "2019-01-01", peering: true, provider: "B" },
    { name: "free", createdAt: "2019-01-01", provider: "C", tier: "FREE" },
    {
      name: "analytics",
      type: "SHARDED",
      regions: ["us-east-1", "eu-west-1"],
      regionalizedPrivateEndpoints: true,
      privateEndpoints: [
        { endpointId: "vpce-1", region: "us-east-1" },
        { endpointId: "vpce-2", region: "eu-west-1" },
      ],
    },
  ],
  { privateIpMode: { enabled: true } },
);

describe("curl and the OpenAPI document", () => {
  const service = useSimulator({ seed }, "before");
  let folder: string;
  let page: ListBody<ClusterBody>;

  const curl = async (path: string, ...args: string[]): Promise<string> => {
    const { stdout } = await run("curl", [
      ...["--silent", "--show-error", "--fail", "--cacert", join(folder, "ca.pem")],
      ...["--digest", "--user", "demo:demo-secret", ...args],
      `${service.simulator.url}${apiPath}${path}`,
    ]);
    return stdout;
  };

  before("list the clusters with curl", async function () {
    try {
      await run("curl", ["--version"]);
    } catch {
      console.log("      skipped: curl is not installed");
      this.skip();
    }
    folder = mkdtempSync(join(tmpdir(), "tools-"));
    writeFileSync(join(folder, "ca.pem"), service.simulator.ca);
    page = JSON.parse(await curl(clustersPath)) as ListBody<ClusterBody>;
  });
  after(() => {
    if ((folder as string | undefined) !== undefined) rmSync(folder, { recursive: true });
  });

  it("agree on the effect of a PATCH that curl sends", async () => {
    const body = ["--header", "Content-Type: application/json", "--data", '{"enabled":false}'];
    const answer = await curl(modePath, "--request", "PATCH", ...body);
    assert.equal((JSON.parse(answer) as { enabled: boolean }).enabled, false);
    assert.equal(service.simulator.project(projectId).privateIpMode.enabled, false);
  });

  it("agree on the schema of every resource that curl receives", async () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(ajv);
    ajv.addSchema(json<object>(await service.send("/openapi.json")), "openapi");
    const schemaOf = (path: string) => {
      const encoded = `${apiPath}${path}`.replace(/\//g, "~1");
      const pointer = `/paths/${encoded}/get/responses/200/content/application~1json/schema`;
      return ajv.compile({ $ref: `openapi#${encodeURI(pointer)}` });
    };
    const group = "/groups/{projectId}";
    for (const path of [
      ...["", "/groups", group, `${group}/clusters`, `${group}/privateIpMode`],
      ...page.results.map(({ name }) => `${group}/clusters/${name}`),
    ]) {
      const validate = schemaOf(path.replace(/(\/clusters\/).*/, "$1{clusterName}"));
      const body: unknown = JSON.parse(await curl(path.replace("{projectId}", projectId)));
      assert.ok(validate(body), `${path}: ${ajv.errorsText(validate.errors)}`);
    }
    const [first] = page.results;
    assert.ok(!schemaOf(`${group}/clusters`)({ ...page, results: [{ ...first, unknown: true }] }));
  });
});
