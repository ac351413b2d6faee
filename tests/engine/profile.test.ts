import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import * as clouddb from "pulumi-clouddb";
import { useCleanup } from "../support/cleanup";
import {
  type ForeignService,
  type ReceivedRequest,
  foreignService,
  sendJson,
} from "../support/foreignService";
import { projectId, settingsFor } from "../support/service";
import { collectDiagnostics, stateFile } from "./stack";
import { useStack } from "./useStack";

const account = { id: "svc_demo", secret: "svc-secret" };
const basic = `Basic ${Buffer.from(`${account.id}:${account.secret}`).toString("base64")}`;

const cluster = (name: string, mongoDBVersion: string) => ({
  id: `id-of-${name}`,
  name,
  mongoDBVersion,
  stateName: "IDLE",
  connectionStrings: { standardSrv: `db+srv://${name}.ab1cd.db.example` },
});

/** The family of services that the profile v2 is for, as its public description says. */
class DatedService {
  enabled = true;
  readonly lists: Record<string, object[]> = {
    clusters: [cluster("orders", "8.0.4")],
    flexClusters: [cluster("small", "6.0.9")],
  };

  readonly handle = (request: ReceivedRequest, response: ServerResponse): void => {
    const { method, headers, body } = request;
    const path = request.path.replace(/\?.*/, "");
    if (path.startsWith("/api/oauth/")) {
      if (headers.accept !== "application/json") fail(response, 406, "NOT_ACCEPTABLE");
      else if (headers.authorization !== basic) fail(response, 401, "invalid_client");
      else sendJson(response, 200, { access_token: "token", expires_in: 3600 });
      return;
    }
    if (headers.authorization !== "Bearer token") {
      fail(response, 401, "UNAUTHORIZED");
      return;
    }
    const [, version = ""] = dated.exec(headers.accept ?? "") ?? [];
    const resource = path.split("/").at(-1) ?? "";
    if (version < (resource === "flexClusters" ? "2024-11-13" : "2023-01-01")) {
      fail(response, 406, "INVALID_VERSION_DATE");
    } else if (method === "PATCH" && !dated.test(headers["content-type"] ?? "")) {
      fail(response, 415, "UNSUPPORTED_MEDIA_TYPE");
    } else if (path === "/api/atlas/v2") {
      sendJson(response, 200, { appName: "service", build: "1", throttling: false });
    } else if (path === `/api/atlas/v2/groups/${projectId}/privateIpMode`) {
      if (method === "PATCH") this.enabled = body.includes("true");
      sendJson(response, 200, { enabled: this.enabled });
    } else if (path === `/api/atlas/v2/groups/${projectId}/${resource}` && this.lists[resource]) {
      const results = this.lists[resource];
      const sunset = "Thu, 01 Jan 2099 00:00:00 GMT";
      sendJson(response, 200, { results, totalCount: results.length }, { sunset });
    } else {
      fail(response, 404, "RESOURCE_NOT_FOUND");
    }
  };
}

const dated = /^application\/vnd\.atlas\.(\d{4}-\d\d-\d\d)\+json$/;

function fail(response: ServerResponse, status: number, errorCode: string): void {
  sendJson(response, status, { error: status, errorCode, detail: errorCode });
}

describe("a service with dated media types and Flex clusters", () => {
  const cleanup = useCleanup("test");
  const { createInline } = useStack();

  /** The profile and the credentials of a service account, and nothing else about the API. */
  const environmentFor = (service: ForeignService) => {
    const { CLOUDDB_BASE_URL = "", CLOUDDB_CA_FILE = "" } = settingsFor(service);
    return {
      CLOUDDB_BASE_URL,
      CLOUDDB_CA_FILE,
      CLOUDDB_PROFILE: "v2",
      CLOUDDB_CLIENT_ID: account.id,
      CLOUDDB_CLIENT_SECRET: account.secret,
    };
  };

  const program = (enabled: boolean) => () => {
    const mode = new clouddb.PrivateIpMode("mode", { projectId, enabled });
    const small = new clouddb.ClusterConnectionStrings("small", {
      projectId,
      clusterName: "small",
    });
    return Promise.resolve({ enabled: mode.enabled, url: small.recommended });
  };

  it("is deployed, guarded, refreshed and destroyed with the profile alone", async () => {
    const dated = new DatedService();
    const service = await foreignService(dated.handle);
    cleanup(() => {
      service.stop();
    });
    const {
      stack,
      program: replace,
      failure,
    } = await createInline(program(true), {
      environment: environmentFor(service),
    });

    const { messages, onEvent } = collectDiagnostics("warning");
    const { outputs } = await stack.up({ onEvent });
    assert.equal(outputs["url"]?.value, "db+srv://small.ab1cd.db.example");
    const sunset = messages.filter((message) => message.includes("will be removed on 2099-01-01"));
    assert.equal(sunset.length, 1, messages.join("\n"));

    replace(program(false));
    assert.match(await failure(stack.up()), /1 of its 2 clusters [^]*small {2}6\.0\.9/);
    assert.equal(dated.enabled, true);

    dated.lists["flexClusters"] = [cluster("small", "7.0.12")];
    assert.equal((await stack.up()).outputs["enabled"]?.value, false);
    assert.equal(dated.enabled, false);

    assert.deepEqual((await stack.refresh()).summary.resourceChanges, { same: 3 });

    await stack.destroy();
    assert.doesNotMatch(stateFile(stack), /small\.ab1cd/);
    assert.ok(service.requests.some(({ path }) => path === "/api/oauth/revoke"));
  });
});
