import assert from "node:assert/strict";
import type { Fault } from "clouddb-simulator";
import type { Client } from "../../../provider/src/api/client";
import { sharedListing } from "../../../provider/src/api/sharedListing";
import { foreignService } from "../../foreignService";
import { projectId, quickstartSeed, startService } from "../../service";
import { type TestSettings, errorOf, setUpServices, testClient } from "./testClient";

describe("the client", () => {
  const services = setUpServices(quickstartSeed());

  const clientOf = (settings: TestSettings = {}): Client =>
    testClient(services.simulator, settings);

  const sent = () => services.simulator.requests.filter(({ challenged }) => !challenged);
  const challenges = () => services.simulator.requests.filter(({ challenged }) => challenged);
  function addFault(fault: Fault) {
    services.simulator.faults.push({ withCredentials: true, ...fault });
  }

  it("lists 1,200 clusters for 1,000 concurrent lookups with three requests and one challenge", async () => {
    for (let index = 0; index < 1196; index += 1)
      services.simulator.project(projectId).addCluster({ name: `c${index}` });
    const listing = sharedListing(clientOf());
    const all = await Promise.all(Array.from({ length: 1000 }, () => listing.clusters(projectId)));
    assert.ok(all.every(({ clusters }) => clusters.length === 1200));
    assert.equal(challenges().length, 1);
    assert.deepEqual(
      sent().map(({ query }) => query["pageNum"]),
      ["1", "2", "3"],
    );
    assert.ok(sent().every(({ query }) => query["itemsPerPage"] === "500"));
  });

  it("fetches one challenge for concurrent requests", async () => {
    const client = clientOf();
    await Promise.all([
      client.listClusters(projectId),
      client.getPrivateIpMode(projectId),
      client.listClusters(projectId),
    ]);
    assert.equal(services.simulator.requests.length, 4);
    assert.equal(challenges().length, 1);
  });

  it("parses responses in an envelope and pretty-printed responses", async () => {
    for (const field of ["content", "envelope"]) {
      const body = JSON.stringify({ status: 200, [field]: { enabled: true } }, undefined, 2);
      addFault({ status: 200, body });
      assert.deepEqual(await clientOf().getPrivateIpMode(projectId), {
        kind: "observed",
        enabled: true,
      });
    }
  });

  it("returns unsupported when the service has no GET for the mode", async () => {
    for (const status of [404, 405]) {
      addFault({ method: "GET", path: /privateIpMode$/, status });
      assert.deepEqual(await clientOf().getPrivateIpMode(projectId), { kind: "unsupported" });
    }
  });

  it("sends the configured media type in the Accept header", async () => {
    const settings = { mediaType: "application/vnd.example.2023-01-01+json" };
    assert.equal((await clientOf(settings).listClusters(projectId)).clusters.length, 4);
  });

  it("parses clusters whose fields are null or empty", async () => {
    const connectionStrings = { standard: null, private: "" };
    const cluster = { id: null, name: "c", clusterType: null, stateName: null, connectionStrings };
    const body = { results: [cluster], totalCount: null, links: null };
    addFault({ status: 200, body, times: 2 });
    const [read] = (await clientOf().listClusters(projectId)).clusters;
    assert.equal(read?.state, undefined);
    assert.equal(read?.connectionStrings?.private, undefined);
  });

  it("signs again when the nonce is stale", async () => {
    const client = clientOf();
    await client.listClusters(projectId);
    services.simulator.clock.advanceSeconds(24 * 3600);
    assert.equal((await client.listClusters(projectId)).clusters.length, 4);
  });

  const failures: [what: string, fault: Fault, code: string, message: RegExp][] = [
    ["401", { status: 401, body: "" }, "authentication", /API key.*API access list/],
    [
      "a 403 of the API access list",
      { status: 403, body: { errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST", detail: "No." } },
      "access-list",
      /Add this machine's address to the API access list/,
    ],
    ["403", { status: 403 }, "forbidden", /roles .*API access list/],
    ["404", { status: 404 }, "not-found", /Check the project ID/],
    [
      "a 409 about a duplicate",
      { status: 409, body: { errorCode: "DUPLICATE_CLUSTER_NAME" } },
      "conflict",
      /already exists/,
    ],
    [
      "a 409 about the state",
      { status: 409, body: { errorCode: "CANNOT_UPDATE_PAUSED_CLUSTER" } },
      "refused",
      /refuses this in the current state of the resource/,
    ],
    [
      "a 409 without an error code",
      { status: 409, body: "" },
      "conflict",
      /conflicts with the current state of the resource/,
    ],
    [
      "a 400 that names fields",
      {
        status: 400,
        body: { badRequestDetail: { fields: [{ field: "enabld", description: "unknown" }] } },
      },
      "invalid-field",
      /enabld: unknown/,
    ],
    [
      "a redirect to another host",
      { status: 302, headers: { location: "https://elsewhere.example/" }, body: "" },
      "malformed-response",
      /a redirect to https:\/\/elsewhere\.example, which is not followed/,
    ],
    [
      "a 206",
      { status: 206, body: { results: [], totalCount: 0 } },
      "malformed-response",
      /responded with 206\. Check that baseUrl/,
    ],
    [
      "a 404 in the wrapper of a list",
      { status: 200, body: { status: 404, results: [], totalCount: 0 } },
      "not-found",
      /responded with 404\. Check the project ID/,
    ],
    ["an empty 200", { status: 200, body: "" }, "malformed-response", /not JSON \(empty\)/],
    ["an HTML 200", { status: 200, body: "<html>" }, "malformed-response", /not JSON \(HTML\)/],
  ];

  for (const [what, fault, code, message] of failures) {
    it(`fails with advice after ${what}, without a retry`, async () => {
      addFault({ ...fault, times: Infinity });
      const error = await errorOf(clientOf().listClusters(projectId));
      assert.equal(error.code, code);
      assert.match(error.message, message);
      assert.equal(error.attempts, 1);
      assert.equal(error.method, "GET");
      assert.match(error.path, /\/clusters\?/);
    });
  }

  it("rejects a certificate that is not signed by a trusted CA", async () => {
    const other = await startService();
    try {
      for (const extraCertificates of [undefined, other.ca]) {
        const client = clientOf({ extraCertificates });
        const { code, message, attempts } = await errorOf(client.listClusters(projectId));
        assert.equal(code, "transport");
        assert.match(message, /certificate of https:.* is not trusted.*set caFile/);
        assert.equal(attempts, 1);
      }
    } finally {
      await other.stop();
    }
  });

  it("rejects a certificate for another host name", async () => {
    const service = await foreignService((_request, response) => {
      response.end();
    });
    try {
      const url = service.url.replace("127.0.0.1", "localhost");
      const client = testClient({ url, ca: service.ca });
      const { code, message } = await errorOf(client.listClusters(projectId));
      assert.equal(code, "transport");
      assert.match(message, /certificate of https:.* is for another host name\. Check baseUrl/);
    } finally {
      service.stop();
    }
  });
});
