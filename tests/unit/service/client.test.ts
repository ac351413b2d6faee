import assert from "node:assert/strict";
import dns from "node:dns";
import { mock } from "node:test";
import type { Fault } from "../../../simulator/src";
import {
  type ChangeOptions,
  type Client,
  confirmProjectDeletion,
} from "../../../provider/src/service/client";
import { SharedListing } from "../../../provider/src/service/clusterLists";
import { loopbackCertificate } from "../../support/certificate";
import { type Handler, sendJson, useForeignService } from "../../support/foreignService";
import { freePort } from "../../support/freePort";
import { missingProjectId, projectId, useService } from "../../support/service";
import { type TestSettings, errorOf, listOf, testClient, useForeignClient } from "./testClient";
import { permitDisable } from "../../../provider/src/service/disablePermission";

describe("the client", () => {
  const service = useService();
  const startForeignService = useForeignService();

  const clientOf = (settings: TestSettings = {}): Client => testClient(service, settings);

  const sent = () => service.requests.filter(({ challenged }) => !challenged);
  const challenges = () => service.requests.filter(({ challenged }) => challenged);
  function addFault(fault: Fault) {
    service.faults.push({ withCredentials: true, ...fault });
  }

  it("lists 1,200 clusters for 1,000 concurrent lookups with three requests and one challenge", async () => {
    for (let index = 0; index < 1196; index += 1)
      service.project(projectId).addCluster({ name: `c${index}` });
    const listing = new SharedListing(clientOf());
    const lookUp = () => listing.listed(projectId, "recent");
    const all = await Promise.all(Array.from({ length: 1000 }, lookUp));
    assert.ok(all.every(({ clusters }) => clusters.length === 1200));
    assert.equal(challenges().length, 1);
    assert.deepEqual(
      sent().map(({ query }) => query["pageNum"]),
      ["1", "2", "3"],
    );
    assert.ok(sent().every(({ query }) => query["itemsPerPage"] === "500"));
  });

  it("tells when it requests the first page of the path that it reads first, and nothing about other requests", async () => {
    for (let index = 0; index < 600; index += 1)
      service.project(projectId).addCluster({ name: `c${index}` });
    addFault({ status: 503 });
    const client = clientOf({ clusterPaths: ["clusters", "clusters"] });
    const sentBefore: number[] = [];
    const onSend = () => sentBefore.push(sent().length);
    await client.verifyClusters(projectId, { onSend });
    assert.deepEqual(
      sent().map(({ query }) => query["pageNum"] ?? "none"),
      ["1", "1", "2", "3", "none", "1", "2", "3", "none"],
    );
    assert.deepEqual(sentBefore, [0, 0, 1], "a challenge, a failed attempt and a second one");
  });

  it("requires a project with one request for the first page of its clusters", async () => {
    await clientOf().requireProject(projectId);
    assert.deepEqual(
      sent().map(({ operation, query }) => [operation, query["pageNum"]]),
      [["listClusters", "1"]],
    );
    const error = await errorOf(clientOf().requireProject(missingProjectId));
    assert.equal(error.code, "not-found");
    assert.equal(await confirmProjectDeletion(clientOf(), missingProjectId, error), true);
  });

  it("accepts the root of the API only if it responds as documented", async () => {
    assert.equal(await clientOf().isApiRootValid(), true);
    for (const fault of [
      { status: 404, body: "{}" },
      { status: 200, body: "{}" },
      { status: 403 },
    ]) {
      addFault(fault);
      assert.equal(await clientOf().isApiRootValid(), false);
    }
  });

  it("returns unsupported when the service has no GET for the mode, whatever it says about versions of the API", async () => {
    const detail = "The resource does not exist in API v2.";
    for (const status of [404, 405]) {
      for (const body of [undefined, JSON.stringify({ errorCode: "RESOURCE_NOT_FOUND", detail })]) {
        addFault({ method: "GET", path: /privateIpMode$/, status, ...(body && { body }) });
        assert.equal(await clientOf().getPrivateIpMode(projectId), undefined);
      }
    }
  });

  it("repeats a request after a failure of the service that speaks of a version of the API", async () => {
    const body = JSON.stringify({ error: 504, detail: "Upstream of API v2 timed out" });
    addFault({ status: 504, body });
    assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
    assert.equal(sent().length, 2);
  });

  it("rejects a certificate that is not signed by a trusted CA, and names the caFile in use", async () => {
    const { cert: other } = await loopbackCertificate();
    const caFile = "/certificates/\u0007.pem";
    const cases: [settings: TestSettings, advice: RegExp][] = [
      [{ extraCertificates: undefined }, /If it is signed by a CA of your own, set clouddb:caFile/],
      [
        { extraCertificates: other, caFile },
        /not signed by a root CA in \/certificates\/\\u\{7\}\.pem\. Set clouddb:caFile/,
      ],
    ];
    for (const [settings, advice] of cases) {
      const client = clientOf(settings);
      const { code, message, attempts } = await errorOf(client.listClusters(projectId));
      assert.equal(code, "certificate");
      assert.match(message, /certificate of https:.* is not trusted \([A-Z_]+\)/);
      assert.match(message, advice);
      assert.equal(attempts, 1);
    }
  });

  it("rejects it even if NODE_TLS_REJECT_UNAUTHORIZED is 0", async () => {
    const warning = mock.method(process, "emitWarning", () => undefined);
    process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
    try {
      const client = clientOf({ extraCertificates: undefined });
      assert.equal((await errorOf(client.listClusters(projectId))).code, "certificate");
      assert.equal(service.requests.length, 0);
    } finally {
      delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
      warning.mock.restore();
    }
  });

  for (const [host, reason] of [
    ["127.0.0.1", /: connection refused \(connect ECONNREFUSED 127\.0\.0\.1:\d+\)/],
    ["x".repeat(64), /: the host name cannot be resolved \(getaddrinfo E/],
  ] as const) {
    it(`says why it cannot connect to ${host}`, async () => {
      const url = `https://${host}:${await freePort()}`;
      const client = testClient({ url, ca: service.ca });
      const { code, message, attempts } = await errorOf(client.listClusters(projectId));
      assert.deepEqual([code, attempts], ["connection", 4]);
      assert.ok(message.startsWith(`could not connect to ${url}: `), message);
      assert.match(message, reason);
      assert.match(message, /\. Check clouddb:baseUrl and the network, which may require a proxy/);
    });
  }

  it("says why it cannot connect to each address of a host", async () => {
    const url = `https://clouddb.example.com:${await freePort()}`;
    const addresses = ["127.0.0.1", "127.0.0.2"].map((address) => ({ address, family: 4 }));
    type Callback = (error: null, all: typeof addresses) => void;
    const lookUp = (_host: string, _options: object, callback: Callback) => {
      setImmediate(callback, null, addresses);
    };
    const mocked = mock.method(dns, "lookup", lookUp);
    try {
      const client = testClient({ url, ca: service.ca });
      const { message } = await errorOf(client.listClusters(projectId));
      assert.match(message, /\(connect ECONNREFUSED 127\S+, connect ECONNREFUSED 127.0.0.2:/);
    } finally {
      mocked.mock.restore();
    }
  });

  it("rejects a certificate for another host name", async () => {
    const { url, ca } = await startForeignService(() => undefined);
    const client = testClient({ url: url.replace("127.0.0.1", "localhost"), ca });
    const { code, message } = await errorOf(client.listClusters(projectId));
    assert.equal(code, "certificate");
    assert.match(
      message,
      /certificate of https:.* is for another host name\. Check clouddb:baseUrl/,
    );
  });
});

describe("a change that disables the mode", () => {
  const foreign = useForeignClient();

  afterEach(() => {
    mock.timers.reset();
    mock.restoreAll();
  });

  /** Returns a function that sends the change with the same permission each time. */
  async function changeWithPermission(onConnection = () => {}) {
    const off: Handler = (_request, response) => {
      sendJson(response, 200, { enabled: false });
    };
    const client = await foreign.clientOf(off);
    foreign.server.on("connection", onConnection);
    const verified = () => Promise.resolve(listOf());
    const listing = new SharedListing({ listClusters: verified, verifyClusters: verified });
    const permission = await permitDisable(listing, "p", () => undefined);
    return (options: Partial<ChangeOptions> = {}) =>
      client.disablePrivateIpMode(permission, { attempt: 1, ...options });
  }

  it("uses up its permission", async () => {
    const change = await changeWithPermission();
    assert.equal(await change(), false);
    await assert.rejects(change(), /used twice/);
  });

  it("is not sent after its signal aborted", async () => {
    const change = await changeWithPermission();
    await assert.rejects(change({ signal: AbortSignal.abort() }));
    assert.equal(foreign.requests.length, 0);
  });

  /** The clocks, and what lets only this one run. */
  const clocks: Record<string, (milliseconds: number) => void> = {
    "the system's clock": (milliseconds) => {
      mock.timers.tick(milliseconds);
    },
    "the clock that nobody can set": (milliseconds) => {
      const now = performance.now.bind(performance);
      mock.method(performance, "now", () => now() + milliseconds);
    },
  };
  for (const [clock, advance] of Object.entries(clocks)) {
    it(`is not written if its list is more than 30 s old by ${clock} when its connection is ready`, async () => {
      mock.timers.enable({ apis: ["Date"], now: Date.now() });
      const onSend = mock.fn();
      const change = await changeWithPermission(() => {
        advance(30_500);
      });
      const error = await errorOf(change({ onSend }));
      assert.match(
        error.message,
        /^not sent, because the list of clusters was read more than 30 s/,
      );
      assert.deepEqual([error.code, onSend.mock.callCount()], ["timeout", 0]);
      assert.equal(foreign.requests.length, 0);
    });
  }

  it("is sent if its list is 29 s old", async () => {
    mock.timers.enable({ apis: ["Date"], now: Date.now() });
    const change = await changeWithPermission(() => {
      mock.timers.tick(29_000);
    });
    assert.equal(await change(), false);
  });
});

describe("the media type of a change", () => {
  const foreign = useForeignClient();

  it("comes from the profile, which is named after a 415", async () => {
    const contentType = "application/vnd.example.2025-03-12+json";
    const handler: Handler = ({ headers }, response) => {
      sendJson(response, headers["content-type"] === contentType ? 200 : 415, { enabled: true });
    };
    const enable = async (settings: TestSettings) => {
      const credentials = { kind: "accessToken", accessToken: "token" } as const;
      const client = await foreign.clientOf(handler, { credentials, ...settings });
      return await client.enablePrivateIpMode("p", { attempt: 1 });
    };
    assert.equal(await enable({ contentType }), true);
    assert.match((await errorOf(enable({}))).message, /415.* Set clouddb:profile to atlas/);
  });
});
