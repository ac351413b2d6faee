import assert from "node:assert/strict";
import { clustersPath, type ErrorBody, json, projectId } from "../client";
import { credentialsSeed, key, otherProjectId } from "../seeds";
import { useSimulator } from "../testService";

describe("the rate limit", () => {
  const service = useSimulator({ seed: credentialsSeed }, "test");

  /** Sends list requests, and returns how many of them were rejected. */
  const rejected = async (times: number, publicKey: string, project = projectId) => {
    let count = 0;
    for (let at = 0; at < times; at += 1) {
      const response = await service.call(`/groups/${project}/clusters`, {
        key: key(publicKey),
      });
      if (response.status === 429) count += 1;
      else assert.equal(response.status, 200);
    }
    return count;
  };

  it("allows each project 100 requests per minute, shared by all callers [8 requests, 8 rule 1, 8 rule 3]", async () => {
    await service.start();
    assert.equal(await rejected(50, "chief"), 0);
    assert.equal(await rejected(60, "reader"), 10);
    assert.equal(await rejected(10, "chief", otherProjectId), 0);
  });

  it("resets every minute [8 rule 2]", async () => {
    await service.start({ requestsPerMinute: 2 });
    assert.equal(await rejected(3, "chief"), 1);
    service.simulator.clock.advanceSeconds(60);
    assert.equal(await rejected(3, "chief"), 1);
  });

  it("responds with a five-field 429, and with Retry-After if configured [7.1]", async () => {
    await service.start({ requestsPerMinute: 1, retryAfter: true });
    await rejected(1, "chief");
    const response = await service.call(clustersPath);
    assert.equal(response.status, 429);
    const body = json<ErrorBody>(response);
    assert.equal(body.errorCode, "RATE_LIMITED");
    assert.equal(body.reason, "Too Many Requests");
    assert.deepEqual(body.parameters, ["listClusters", 1, 1]);
    const seconds = Number(response.headers["retry-after"]);
    assert.ok(seconds > 0 && seconds <= 60);
  });

  it("limits only the configured operations, and none if disabled [8 rule 4]", async () => {
    await service.start({ requestsPerMinute: 1, rateLimitedOperations: ["updatePrivateIpMode"] });
    assert.equal(await rejected(3, "chief"), 0);
    await service.start({ requestsPerMinute: Infinity });
    assert.equal(await rejected(120, "chief"), 0);
  });

  it("does not count challenged requests", async () => {
    await service.start({ requestsPerMinute: 2 });
    assert.equal(await rejected(2, "chief"), 0);
    assert.equal(service.simulator.requests.filter(({ challenged }) => challenged).length, 2);
  });
});
