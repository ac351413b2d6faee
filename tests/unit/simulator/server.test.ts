import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { connect as connectTls } from "node:tls";
import { SeedError, startSimulator } from "../../../simulator/src";
import { waitUntil } from "../../support/waitUntil";
import { useService } from "../../support/service";
import {
  type ErrorBody,
  apiPath,
  call,
  challengeIn,
  clustersPath,
  json,
  modePath,
  ownerKey,
  patch,
  projectId,
  send,
  sign,
} from "./client";
import { fiveClusters, seedOf } from "./seeds";

describe("the server", () => {
  const service = useService(fiveClusters, { requestsPerMinute: Infinity });

  it("uses a certificate that clients with the CA can verify by address and by name [1 rule 6]", async () => {
    const { port } = new URL(service.url);
    for (const host of ["127.0.0.1", "localhost"]) {
      const named = { url: `https://${host}:${port}`, ca: service.ca };
      assert.equal((await send(named, apiPath)).status, 401);
    }
    const stranger = await startSimulator({ seed: seedOf([]) });
    await assert.rejects(
      send({ url: service.url, ca: stranger.ca }, apiPath),
      /certificate|signature/i,
    );
    await stranger.stop();
  });

  it("closes the connection if it gets plain HTTP [1 rule 6]", async () => {
    await assert.rejects(fetch(service.url.replace("https:", "http:")), /fetch failed/);
  });

  it("returns the headers of GET without a body for HEAD [4.1]", async () => {
    for (const path of [clustersPath, `${clustersPath}/c0`]) {
      const head = await call(service, path, { method: "HEAD" });
      const get = await call(service, path);
      assert.equal(head.status, 200);
      assert.equal(head.text, "");
      assert.equal(head.headers["content-length"], get.headers["content-length"]);
      assert.equal(head.headers["content-type"], get.headers["content-type"]);
    }
  });

  it("responds with five fields to a request that Node.js rejects [4.1, 7.2]", async () => {
    const { url, ca } = service;
    const exchange = async (head: string) => {
      const socket = connectTls({ port: Number(new URL(url).port), host: "127.0.0.1", ca });
      socket.write(`${head}connection: close\r\n\r\n`);
      const [status, body = ""] = (await text(socket))
        .split(/^HTTP\/1.1 (\d+) [^]*?\r\n\r\n/)
        .slice(1);
      const { detail, ...error } = JSON.parse(body) as ErrorBody;
      assert.equal(typeof detail, "string");
      assert.equal(error.error, Number(status));
      return `${status} ${error.errorCode} ${error.reason} ${error.parameters.length}`;
    };
    const connect = `CONNECT ${apiPath} HTTP/1.1\r\nhost: a\r\n`;
    assert.equal(await exchange(connect), "405 METHOD_NOT_ALLOWED Method Not Allowed 0");
    const long = `GET / HTTP/1.1\r\nhost: a\r\nlong: ${"x".repeat(20_000)}\r\n`;
    assert.equal(await exchange(long), "400 INVALID_REQUEST Bad Request 0");
  });

  it("stops while a client has not completed the TLS handshake", async () => {
    const stopping = await startSimulator({ seed: seedOf([]) });
    const socket = connect({ port: Number(new URL(stopping.url).port), host: "127.0.0.1" });
    await once(socket, "connect");
    // A response shows that the server has accepted the earlier connection.
    await send(stopping, apiPath);
    await stopping.stop();
    await once(socket, "close");
  });
});

describe("faults", () => {
  const service = useService(seedOf([{ name: "orders" }], { privateIpMode: { enabled: true } }));
  const status = async (path: string) => (await call(service, path)).status;

  it("matches requests by method, path and credentials", async () => {
    service.faults.push(
      { method: "patch", status: 500 },
      { path: /privateIpMode$/g, withCredentials: true, status: 404, times: 2 },
      { path: `${apiPath}/groups`, withCredentials: false, status: 502 },
    );
    assert.equal(await status(modePath), 404);
    assert.equal(await status(clustersPath), 200);
    assert.equal(await status(modePath), 404);
    assert.equal(await status(modePath), 200);
    assert.equal((await send(service, `${apiPath}/groups?pretty=true`)).status, 502);
    assert.equal(service.faults.pending.length, 1);
    service.faults.clear();
    assert.deepEqual(service.faults.pending, []);
  });

  it("sends the body of the fault unchanged, as HTML or JSON", async () => {
    service.faults.push(
      { status: 503, body: "<html>down</html>" },
      { status: 400, body: { odd: null } },
    );
    const html = await send(service, apiPath);
    assert.equal(html.text, "<html>down</html>");
    assert.match(String(html.headers["content-type"]), /^text\/html/);
    assert.deepEqual(json(await send(service, apiPath)), { odd: null });
  });

  it("resets the connection before or after the service processes the request", async () => {
    const disable = () => patch(service, modePath, { enabled: false });
    service.faults.push({ reset: true, withCredentials: true });
    await assert.rejects(disable(), /ECONNRESET|hang up/);
    assert.equal(service.project(projectId).privateIpMode.enabled, true);
    service.faults.push({ reset: "after", withCredentials: true });
    await assert.rejects(disable(), /ECONNRESET|hang up/);
    assert.equal(service.project(projectId).privateIpMode.enabled, false);
    const reset = service.requests.filter(({ status }) => status === 0);
    assert.equal(reset.length, 2);
    assert.ok(reset.every(({ faulty }) => faulty));
  });

  it("throws an error with the path of each problem if a fault is invalid", () => {
    for (const [fault, path] of [
      [{ status: 99 }, "at status"],
      [{ status: 503, headers: { "retry-after": "1\n" } }, "at headers"],
    ] as const) {
      assert.throws(
        () => {
          service.faults.push(fault);
        },
        (error) => error instanceof SeedError && error.message.includes(path),
      );
    }
  });

  it("delays a request, which the service processes even if the client gives up", async () => {
    const { faults, requests, url, ca } = service;
    const challenge = challengeIn(await send(service, apiPath));
    const authorization = sign(challenge, ownerKey, "GET", apiPath);
    faults.push({ delayMs: 300 });
    const { port } = new URL(url);
    const socket = connectTls({ port: Number(port), host: "127.0.0.1", ca });
    socket.write(`GET ${apiPath} HTTP/1.1\r\nhost: a\r\nauthorization: ${authorization}\r\n\r\n`);
    await waitUntil("the request arrives", () => requests.length === 2);
    socket.destroy();
    await waitUntil("the request is processed", () => requests[1]?.status !== 0);
    assert.equal(requests[1]?.status, 200);
  });
});

describe("the rate limit", () => {
  const service = useService(seedOf([]));

  it("allows each project 100 requests per minute by default [8 requests]", async () => {
    for (let at = 0; at < 100; at += 1) {
      assert.equal((await call(service, clustersPath)).status, 200);
    }
    assert.equal((await call(service, clustersPath)).status, 429);
  });
});
