import assert from "node:assert/strict";
import { Findings, examine } from "../../../provider/src/commands/examination";
import { readSettings } from "../../../provider/src/settings/readSettings";
import { environmentOnly } from "../../../provider/src/settings/settings";
import { useCleanup } from "../../support/cleanup";
import { type Handler, foreignService, respondWith, sendJson } from "../../support/foreignService";
import { accountSettings } from "../../support/service";

describe("the examination of a service", () => {
  const cleanup = useCleanup("test");

  /** Starts a service, and returns it with the settings of a service account. */
  async function start(handler: Handler) {
    const service = await foreignService(handler);
    cleanup(() => {
      service.stop();
    });
    const { client } = readSettings(environmentOnly, {
      ...accountSettings(service),
      CLOUDDB_CLUSTER_PATHS: "clusters,flexClusters?",
    });
    return { service, settings: client };
  }

  const answer = { access_token: "token", expires_in: 60, links: [], results: [], totalCount: 0 };

  for (const [what, status, errorCode, result] of [
    ["accepts an optional path that the service does not have", 404, "RESOURCE_NOT_FOUND", "ok"],
    ["reports a 405 without errorCode of an optional path", 405, undefined, "problem"],
    ["reports a redirect of an optional path", 302, undefined, "problem"],
  ] as const) {
    it(what, async () => {
      const { settings } = await start(({ path }, response) => {
        const isMissing = path.includes("flexClusters");
        sendJson(response, isMissing ? status : 200, isMissing ? { errorCode } : answer);
      });
      const findings = await examine(settings, new Findings(environmentOnly.owner), "p1");
      assert.equal(findings.find(({ check }) => check === "clusterPaths")?.result, result);
    });
  }

  it("revokes its token even if it fails", async () => {
    class FailingFindings extends Findings {
      override ok(check: string, finding: string): void {
        if (check === "credentials") throw new Error("a bug");
        super.ok(check, finding);
      }
    }
    const { service, settings } = await start(respondWith(200, answer));
    await assert.rejects(examine(settings, new FailingFindings(environmentOnly.owner)), /a bug/);
    assert.match(service.requests.at(-1)?.path ?? "", /oauth\/revoke$/);
  });
});
