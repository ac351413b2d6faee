const assert = require("node:assert/strict");
const { startSimulator } = require("clouddb-simulator");
const { credentials, fixtures, projectId } = require("clouddb-simulator/fixtures");
const { createClient } = require("./clusters");

describe("the client", () => {
  let service;
  let client;

  before(async () => {
    service = await startSimulator({ seed: fixtures.manyClusters });
  });
  beforeEach(() => {
    service.reset();
    const { clientId, clientSecret } = credentials;
    client = createClient({ url: service.url, ca: service.ca, clientId, clientSecret });
  });
  afterEach(() => client.close());
  after(() => service.stop());

  it("reads the clusters of all pages", async () => {
    const clusters = await client.listClusters(projectId);
    assert.equal(clusters.length, 1200);
    const requests = service.requests.filter(({ operation }) => operation === "listClusters");
    assert.deepEqual(
      requests.map(({ query }) => query.pageNum),
      [undefined, "2", "3"],
    );
  });

  it("waits until a new cluster is IDLE", async () => {
    service.project(projectId).addCluster({ name: "new", state: "CREATING", readyInSeconds: 3600 });
    const waiting = client.waitUntilIdle(projectId, "new", 10);
    // Advances the clock when the client has seen the cluster in the state CREATING.
    while (
      !service.requests.some(({ operation, status }) => operation === "getCluster" && status)
    ) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    service.clock.advanceSeconds(3600);
    assert.equal((await waiting).stateName, "IDLE");
  });

  it("retries when the service is unavailable", async () => {
    service.faults.push({ method: "GET", status: 503, times: 2 });
    await client.waitUntilIdle(projectId, "cluster-0");
    assert.deepEqual(
      service.requests.map(({ operation, status }) => [operation, status]),
      [
        ["issueToken", 200],
        ["getCluster", 503],
        ["getCluster", 503],
        ["getCluster", 200],
      ],
    );
  });

  it("signs in again when its token is revoked", async () => {
    await client.waitUntilIdle(projectId, "cluster-0");
    service.revokeTokens();
    await client.waitUntilIdle(projectId, "cluster-0");
    const tokens = service.requests.filter(({ operation }) => operation === "issueToken");
    assert.equal(tokens.length, 2);
  });
});
