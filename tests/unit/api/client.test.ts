import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import { inspect } from "node:util";
import type { Fault, Simulator } from "clouddb-simulator";
import type { Client, ClientSettings } from "../../../provider/src/api/client";
import { ApiError } from "../../../provider/src/api/errors";
import { sharedListing } from "../../../provider/src/api/sharedListing";
import { loopbackCertificate } from "../../certificate";
import { key, projectId, startService } from "../../service";
import { testClient, urlOf } from "./testClient";

/** The message and code with which a call fails. */
async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof ApiError, String(error));
    return error;
  }
  assert.fail("the call succeeds");
}

describe("the client", () => {
  let service: Simulator;
  /** What the user was told while waiting. */
  let told: string[];
  /** How long the client waited for the rate limit, in seconds. */
  let waited: number[];

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
    told = [];
    waited = [];
  });

  function clientOf(settings: Partial<ClientSettings> = {}): Client {
    return testClient(service, {
      credentials: { kind: "apiKey", ...key },
      onWait: (message) => told.push(message),
      retries: {
        wait: (seconds) => {
          waited.push(seconds);
          service.clock.advanceSeconds(seconds);
          return Promise.resolve();
        },
      },
      ...settings,
    });
  }

  const project = () => service.project(projectId);
  const sent = () => service.requests.filter(({ challenged }) => !challenged);
  const signed = (fault: Fault): Fault => ({ withCredentials: true, ...fault });

  it("lists 1,200 clusters in three requests and one challenge, for 1,000 lookups at once", async () => {
    for (let index = 0; index < 1196; index += 1) project().addCluster({ name: `c${index}` });
    const listing = sharedListing(clientOf());
    const all = await Promise.all(Array.from({ length: 1000 }, () => listing.clusters(projectId)));
    assert.ok(all.every(({ clusters }) => clusters.length === 1200));
    assert.equal(service.requests.filter(({ challenged }) => challenged).length, 1);
    assert.deepEqual(
      sent().map(({ query }) => query["pageNum"]),
      ["1", "2", "3"],
    );
    assert.ok(sent().every(({ query }) => query["itemsPerPage"] === "500"));
  });

  it("fetches one challenge for requests that start at once", async () => {
    const client = clientOf();
    await Promise.all([
      client.listClusters(projectId),
      client.getPrivateIpMode(projectId),
      client.listClusters(projectId),
    ]);
    assert.equal(service.requests.length, 4);
    assert.equal(service.requests.filter(({ challenged }) => challenged).length, 1);
  });

  it("parses responses in an envelope and pretty-printed responses", async () => {
    for (const field of ["content", "envelope"]) {
      const body = JSON.stringify({ status: 200, [field]: { enabled: true } }, undefined, 2);
      service.faults.push(signed({ status: 200, body }));
      assert.deepEqual(await clientOf().getPrivateIpMode(projectId), {
        kind: "observed",
        enabled: true,
      });
    }
  });

  it("returns notShown if the service has no GET for the mode", async () => {
    for (const status of [404, 405]) {
      service.faults.push(signed({ method: "GET", path: /privateIpMode$/, status }));
      assert.deepEqual(await clientOf().getPrivateIpMode(projectId), { kind: "notShown" });
    }
  });

  it("sends the Accept header of the media type that is set", async () => {
    const settings = { mediaType: "application/vnd.example.2023-01-01+json" };
    assert.equal((await clientOf(settings).listClusters(projectId)).clusters.length, 4);
  });

  describe("when the service refuses for the rate limit", () => {
    it("waits as long as Retry-After says, logs the wait, and continues", async () => {
      service.faults.push(signed({ status: 429, headers: { "retry-after": "17" } }));
      assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
      assert.deepEqual(waited, [17]);
      assert.match(told[0] ?? "", /^waiting 17 s: GET .* answered 429/);
    });

    it("waits for the next minute without Retry-After, as often as necessary", async () => {
      service.faults.push(signed({ status: 429, times: 6 }));
      assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
      assert.equal(waited.length, 6);
      assert.ok(waited.every((seconds) => seconds >= 1 && seconds <= 61));
    });

    it("fails with the refusal if the wait would exceed the deadline", async () => {
      service.faults.push(signed({ status: 429, headers: { "retry-after": "3600" } }));
      const { code, message } = await failureOf(clientOf().listClusters(projectId));
      assert.equal(code, "rate-limited");
      assert.match(message, /project's limit of requests per minute is exhausted/);
    });
  });

  for (const status of [500, 502, 503, 504]) {
    it(`asks again after ${status}, and gives up after four times`, async () => {
      service.faults.push(signed({ status }));
      assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);

      service.faults.push(signed({ status, times: Infinity }));
      const error = await failureOf(clientOf().listClusters(projectId));
      assert.equal(error.code, "server");
      assert.equal(error.attempts, 4);
      assert.match(error.message, /\(4 times\): the service answered \d+.* try again later/i);
    });
  }

  const transient: [what: string, fault: Fault][] = [
    ["an HTML page with 503", { status: 503, body: "<html>busy</html>" }],
    ["an empty 500", { status: 500, body: "" }],
    ["a reset before the answer", { reset: true }],
    ["a reset in the middle of a body", { truncate: true }],
    ["truncated JSON", { status: 200, body: '{"results": [' }],
  ];

  for (const [what, fault] of transient) {
    it(`reads again after ${what}`, async () => {
      service.faults.push(signed(fault));
      assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
    });
  }

  it("waits for the rate limit without using up a retry", async () => {
    service.faults.push(signed({ status: 503, times: 3 }), signed({ status: 429, times: 2 }));
    assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
    assert.equal(waited.length, 2);
  });

  it("waits at least a second if the service asks for an immediate retry", async () => {
    service.faults.push(signed({ status: 429, headers: { "retry-after": "0" } }));
    await clientOf().listClusters(projectId);
    assert.deepEqual(waited, [1]);
  });

  it("reads clusters whose fields are null or empty", async () => {
    const connectionStrings = { standard: null, private: "" };
    const cluster = { id: null, name: "c", clusterType: null, stateName: null, connectionStrings };
    const body = { results: [cluster], totalCount: null, links: null };
    service.faults.push(signed({ status: 200, body }), signed({ status: 200, body }));
    const [read] = (await clientOf().listClusters(projectId)).clusters;
    assert.equal(read?.state, undefined);
    assert.equal(read?.connectionStrings?.private, undefined);
  });

  it("retries a stale nonce with the new one", async () => {
    const client = clientOf();
    await client.listClusters(projectId);
    service.clock.advanceSeconds(24 * 3600);
    assert.equal((await client.listClusters(projectId)).clusters.length, 4);
  });

  it("aborts the whole call after its deadline", async () => {
    service.faults.push(signed({ delayMs: 3000 }));
    const { code, message } = await failureOf(
      clientOf({ callTimeoutSeconds: 0.3 }).listClusters(projectId),
    );
    assert.equal(code, "timeout");
    assert.match(message, /timed out after 0\.3 s in total, including retries and waits/);
  });

  it("times out a slow response, in every attempt", async () => {
    service.faults.push(signed({ delayMs: 3000, times: Infinity }));
    const settings = { requestTimeoutSeconds: 0.2 };
    const error = await failureOf(clientOf(settings).listClusters(projectId));
    assert.equal(error.code, "timeout");
    assert.equal(error.attempts, 4);
    assert.match(error.message, /no response from https:.* within 0\.2 s/);
  });

  it("times out a response that never ends", async () => {
    const certificate = await loopbackCertificate();
    const server = createServer(certificate, (_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).write('{"results": [');
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    try {
      const client = clientOf({
        baseUrl: new URL(urlOf(server)),
        extraCertificates: certificate.cert,
        requestTimeoutSeconds: 0.2,
      });
      const { code } = await failureOf(client.listClusters(projectId));
      assert.equal(code, "timeout");
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  const refusals: [what: string, fault: Fault, code: string, says: RegExp][] = [
    ["401", { status: 401, body: "" }, "authentication", /API key.*API access list/],
    [
      "a 403 by the API access list",
      { status: 403, body: { errorCode: "IP_ADDRESS_NOT_ON_ACCESS_LIST", detail: "No." } },
      "access-list",
      /Add this machine's address to the API access list/,
    ],
    ["403", { status: 403 }, "forbidden", /roles .*API access list/],
    ["404", { status: 404 }, "not-found", /Check the project ID/],
    [
      "a duplicate",
      { status: 409, body: { errorCode: "DUPLICATE_CLUSTER_NAME" } },
      "conflict",
      /already exists/,
    ],
    [
      "a 409 by the state",
      { status: 409, body: { errorCode: "CANNOT_UPDATE_PAUSED_CLUSTER" } },
      "refused",
      /refuses this in the current state of the resource/,
    ],
    [
      "a 409 that says no more",
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
      "malformed-answer",
      /a redirect to https:\/\/elsewhere\.example, which is not followed/,
    ],
    ["an empty 200", { status: 200, body: "" }, "malformed-answer", /not JSON \(empty\)/],
    ["an HTML 200", { status: 200, body: "<html>" }, "malformed-answer", /not JSON \(HTML\)/],
  ];

  for (const [what, fault, code, says] of refusals) {
    it(`says what to do about ${what}, at once`, async () => {
      service.faults.push(signed({ ...fault, times: Infinity }));
      const error = await failureOf(clientOf().listClusters(projectId));
      assert.equal(error.code, code);
      assert.match(error.message, says);
      assert.equal(error.attempts, 1);
      assert.equal(error.method, "GET");
      assert.match(error.path, /\/clusters\?/);
    });
  }

  it("refuses an answer larger than its bound", async () => {
    const { code, message } = await failureOf(
      clientOf({ maxResponseBytes: 1000 }).listClusters(projectId),
    );
    assert.equal(code, "malformed-answer");
    assert.match(message, /exceeds the 1000-byte limit/);
  });

  it("trusts no certificate that is not signed by a known CA", async () => {
    const own = await startService();
    try {
      for (const extraCertificates of [undefined, own.ca]) {
        const client = clientOf({ extraCertificates });
        const { code, message, attempts } = await failureOf(client.listClusters(projectId));
        assert.equal(code, "transport");
        assert.match(message, /certificate of https:.* is not trusted.*set caFile/);
        assert.equal(attempts, 1);
      }
    } finally {
      await own.stop();
    }
  });

  it("keeps the key out of every error", async () => {
    const echo = `${key.publicKey}:${key.privateKey}`;
    service.faults.push(signed({ status: 400, body: { detail: `you sent ${echo}` } }));
    const odd = 'se"cr\\et';
    service.faults.push({ status: 400, body: { detail: `it was ${odd}` } });
    const oddKey = { kind: "apiKey", publicKey: "demo", privateKey: odd } as const;
    const other = await failureOf(clientOf({ credentials: oddKey }).listClusters(projectId));
    assert.doesNotMatch(other.message, /cr.et/);
    const error = await failureOf(clientOf().listClusters(projectId));
    assert.match(error.message, /you sent demo:/);
    assert.ok(!inspect(error, { depth: 10 }).includes(key.privateKey));
  });
});
