import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { mock } from "node:test";
import { Agent } from "undici";
import { isBug } from "../../../provider/src/messages/errors";
import { loopbackCertificate } from "../../support/certificate";
import { respondWith, sendJson, useForeignService } from "../../support/foreignService";
import { startMisbehavingProxy } from "../../support/proxy";
import { errorOf, testClient } from "./testClient";

// oxlint-disable-next-line typescript/no-unsafe-assignment -- `createRequire` is not typed
const undiciTimers: { readonly tick: (milliseconds: number) => void } = createRequire(__filename)(
  "undici/lib/util/timers.js",
);

describe("a certificate that has expired", () => {
  it("is refused with the advice to check the clock", async () => {
    const expired = Object.assign(new Error("expired"), { code: "CERT_HAS_EXPIRED" });
    const request = mock.method(Agent.prototype, "request", () => Promise.reject(expired));
    const { cert: ca } = await loopbackCertificate();
    const client = testClient({ url: "https://127.0.0.1", ca });
    const { message } = await errorOf(client.listClusters("p"));
    request.mock.restore();
    assert.match(
      message,
      /has expired or is not valid yet \(CERT_HAS_EXPIRED\)\. Check this machine's clock/,
    );
  });
});

describe("a programming error", () => {
  const start = useForeignService();
  afterEach(() => {
    Reflect.deleteProperty(Agent.prototype, "request");
  });

  it("is neither retried nor reported as a failure of the network", async () => {
    const service = await start(respondWith(200, {}));
    const client = testClient(service, {
      retryPolicy: { wait: () => assert.fail("it is retried") },
    });
    // As in Bun, which replaces the module undici by its own.
    Object.defineProperty(Agent.prototype, "request", {
      value: undefined,
      configurable: true,
    });
    await assert.rejects(client.listClusters("p"), {
      name: "TypeError",
      message: "agent.request is not a function",
    });
  });

  it("is found in the cause of another error", () => {
    const bug = new TypeError("x is not a function");
    assert.ok(isBug(new Error("the proxy did not open a tunnel", { cause: bug })));
    assert.ok(!isBug(new Error("", { cause: new Error("ECONNRESET") })));
    assert.ok(!isBug("TypeError"));
  });
});

describe("a request whose connection is not ready", () => {
  const start = useForeignService();

  it("is not written after its signal aborts", async () => {
    const controller = new AbortController();
    let end = () => {};
    const handshakeEnded = new Promise<void>((resolve) => (end = resolve));
    const service = await start(respondWith(200, { enabled: false }));
    service.server.on("connection", () => {
      controller.abort();
    });
    service.server.on("secureConnection", end);
    service.server.on("tlsClientError", end);
    const client = testClient(service);
    await assert.rejects(
      client.enablePrivateIpMode("p", { attempt: 1, signal: controller.signal }),
    );
    await handshakeEnded;
    await new Promise((resolve) => setTimeout(resolve, 200));
    assert.equal(service.requests.length, 0);
  });

  it("fails after 10 s, and was not sent", async () => {
    let connect = () => {};
    const connected = new Promise<void>((resolve) => (connect = resolve));
    // Accepts connections, but never answers the handshake of TLS.
    const silent = await startMisbehavingProxy(connect);
    try {
      const { cert: ca } = await loopbackCertificate();
      const url = silent.url.replace("http:", "https:");
      const client = testClient({ url, ca }, { requestTimeoutSeconds: 60 });
      const onSend = mock.fn();
      const failure = errorOf(client.enablePrivateIpMode("p", { attempt: 1, onSend }));
      await connected;
      // The first tick only activates a new timer.
      undiciTimers.tick(1000);
      undiciTimers.tick(11_000);
      const { code, message } = await failure;
      assert.match(message, /could not connect to https:\S+ within 10 s\. Check clouddb:baseUrl/);
      assert.deepEqual([code, onSend.mock.callCount()], ["timeout", 0]);
    } finally {
      silent.stop();
    }
  });
});

describe("a request whose response does not come in time", () => {
  const start = useForeignService();

  it("was written", async () => {
    const service = await start(({ method }, response) => {
      if (method === "GET") sendJson(response, 200, { enabled: true });
    });
    const client = testClient(service, { requestTimeoutSeconds: 1 });
    // Opens the connection, which can take longer than the timeout, and is then repeated.
    await client.getPrivateIpMode("p");
    const onSend = mock.fn();
    const { code } = await errorOf(client.enablePrivateIpMode("p", { attempt: 1, onSend }));
    assert.deepEqual([code, onSend.mock.callCount()], ["timeout", 1]);
  });
});

describe("a response that is read after its timeout, because the process was suspended", () => {
  const start = useForeignService();
  afterEach(() => {
    mock.timers.reset();
  });

  /** Returns a client of a service, during whose first response of a method the clock of the system goes on by a minute. */
  async function clientOf(method: string) {
    mock.timers.enable({ apis: ["Date"], now: Date.now() });
    let isFirst = true;
    const service = await start((request, response) => {
      if (request.method === method && isFirst) {
        isFirst = false;
        mock.timers.tick(60_000);
      }
      sendJson(response, 200, { enabled: false });
    });
    return { client: testClient(service), requests: service.requests };
  }

  it("does not count, and a read is repeated", async () => {
    const { client, requests } = await clientOf("GET");
    assert.equal(await client.getPrivateIpMode("p"), false);
    assert.equal(requests.length, 2);
  });

  it("confirms a change, which stays true", async () => {
    const { client } = await clientOf("PATCH");
    assert.equal(await client.enablePrivateIpMode("p", { attempt: 1 }), false);
  });
});

describe("a request timeout of 10 minutes", () => {
  const start = useForeignService();

  /** Advances the timers of undici by more than its default timeouts of 5 minutes. */
  function advanceTimers() {
    // The first tick only activates a new timer.
    undiciTimers.tick(1000);
    undiciTimers.tick(301_000);
  }

  it("accepts a response that starts after more than 5 minutes, and then pauses as long", async () => {
    let receive: (response: ServerResponse) => void = () => {};
    const received = new Promise<ServerResponse>((resolve) => (receive = resolve));
    const service = await start((_request, response) => {
      receive(response);
    });
    const client = testClient(service, { requestTimeoutSeconds: 600 });
    const list = client.listClusters("p");
    const response = await received;
    advanceTimers();
    response.writeHead(200, { "content-type": "application/json" });
    response.write(" ");
    await new Promise((resolve) => setTimeout(resolve, 100));
    advanceTimers();
    response.end(JSON.stringify({ results: [], totalCount: 0 }));
    assert.deepEqual((await list).clusters, []);
  });
});
