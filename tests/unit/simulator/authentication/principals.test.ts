import assert from "node:assert/strict";
import { clustersPath, type ErrorBody, json, projectId } from "../client";
import { credentialsSeed, foreignProjectId, key, otherProjectId } from "../seeds";
import { useSimulator } from "../testService";

describe("roles", () => {
  const service = useSimulator({ seed: credentialsSeed });
  const modeOf = (id: string) => `/groups/${id}/privateIpMode`;
  const disable = { method: "PATCH", json: { enabled: false } };

  it("allows a read-only role to read, and rejects its changes with 403 [1 rule 7, 5 rule 5, 5 rule 6]", async () => {
    const reader = key("reader");
    assert.equal((await service.call(clustersPath, { key: reader })).status, 200);
    const changed = await service.call(modeOf(projectId), { key: reader, ...disable });
    assert.equal(changed.status, 403);
    assert.equal(json<ErrorBody>(changed).errorCode, "FORBIDDEN");
    for (const method of ["POST", "PATCH", "PUT", "DELETE"]) {
      const path = method === "POST" ? clustersPath : `${clustersPath}/orders`;
      assert.equal((await service.call(path, { key: reader, method, json: {} })).status, 403);
    }
    assert.equal(service.simulator.project(projectId).clusters.length, 1);
  });

  it("rejects a credential without a role in the project with 401 [5 rule 5]", async () => {
    assert.equal((await service.call(clustersPath, { key: key("nobody") })).status, 401);
    assert.equal((await service.call(modeOf(otherProjectId))).status, 401);
    assert.equal((await service.call(modeOf(foreignProjectId), { key: key("chief") })).status, 401);
  });

  it("gives a credential access to several projects of its organization, and lists no others [5 rule 4]", async () => {
    const names = async (publicKey: string) =>
      json<{ results: { id: string }[] }>(
        await service.call("/groups", { key: key(publicKey) }),
      ).results.map(({ id }) => id);
    assert.deepEqual(await names("chief"), [projectId, otherProjectId]);
    assert.deepEqual(await names("demo"), [projectId]);
    assert.deepEqual(await names("nobody"), []);
  });
});

describe("access lists", () => {
  const service = useSimulator({ seed: credentialsSeed });
  const from = (publicKey: string, localAddress: string) =>
    service.call("", { key: key(publicKey), localAddress });

  it("accepts addresses and ranges, separately for each credential [5 rule 7]", async () => {
    assert.equal((await from("local", "127.0.0.1")).status, 200);
    const rejected = await from("local", "127.0.0.3");
    assert.equal(rejected.status, 403);
    assert.equal(json<ErrorBody>(rejected).errorCode, "IP_ADDRESS_NOT_ON_ACCESS_LIST");
    assert.deepEqual(json<ErrorBody>(rejected).parameters, ["127.0.0.3"]);
    assert.equal((await from("range", "127.0.0.3")).status, 200);
    assert.equal((await from("range", "127.0.0.1")).status, 403);
    assert.equal((await from("closed", "127.0.0.1")).status, 403);
    assert.equal((await from("demo", "127.0.0.9")).status, 200);
  });

  it("rejects credentials without an access list with 403 if the organization requires one [5 rule 7]", async () => {
    assert.equal((await from("unlisted", "127.0.0.1")).status, 403);
    assert.equal((await from("listed", "127.0.0.1")).status, 200);
  });
});
