import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:https";
import { createRequire } from "node:module";
import { type Server, type Socket, createServer as createTcpServer } from "node:net";
import { generate } from "selfsigned";
import { NoResponseError } from "../../../provider/src/service/errors";
import { loopbackCertificate } from "../../support/certificate";
import { errorOf, testClient } from "./testClient";

// oxlint-disable-next-line typescript/no-unsafe-assignment -- `createRequire` is not typed
const undiciTimers: { readonly tick: (milliseconds: number) => void } = createRequire(__filename)(
  "undici/lib/util/timers.js",
);

describe("a certificate that has expired", () => {
  it("is refused with the advice to check the clock", async () => {
    const { cert, private: key } = await generate([{ name: "commonName", value: "loopback" }], {
      keyType: "ec",
      algorithm: "sha256",
      notBeforeDate: new Date(Date.now() - 2 * 86_400_000),
      notAfterDate: new Date(Date.now() - 86_400_000),
      extensions: [
        { name: "basicConstraints", cA: true, critical: true },
        { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
      ],
    });
    const server = createServer({ cert, key });
    const url = await listen(server);
    try {
      const client = testClient({ url, ca: cert });
      const { message } = await errorOf(client.listClusters("p"));
      assert.match(
        message,
        /has expired or is not valid yet \(CERT_HAS_EXPIRED\)\. Check this machine's clock/,
      );
    } finally {
      server.close();
    }
  });
});

describe("a request whose connection is not ready", () => {
  it("is not written after its signal aborts", async () => {
    const certificate = await loopbackCertificate();
    const controller = new AbortController();
    let requests = 0;
    let end = () => {};
    const handshakeEnded = new Promise<void>((resolve) => (end = resolve));
    const server = createServer(certificate, (_request, response) => {
      requests += 1;
      response.end('{"enabled": false}');
    });
    server.on("connection", () => {
      controller.abort();
    });
    server.on("secureConnection", end);
    server.on("tlsClientError", end);
    const url = await listen(server);
    try {
      const client = testClient({ url, ca: certificate.cert });
      await assert.rejects(client.patchPrivateIpMode("p", false, 1, controller.signal));
      await handshakeEnded;
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(requests, 0);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });

  it("fails after 10 s, and was not sent", async () => {
    const sockets: Socket[] = [];
    let isConnected = () => {};
    const connected = new Promise<void>((resolve) => (isConnected = resolve));
    // Accepts connections, but never answers the handshake of TLS.
    const server = createTcpServer((socket) => {
      sockets.push(socket);
      isConnected();
    });
    const url = await listen(server);
    try {
      const { cert: ca } = await loopbackCertificate();
      const client = testClient({ url, ca }, { requestTimeoutSeconds: 60 });
      const failure = errorOf(client.patchPrivateIpMode("p", false, 1));
      await connected;
      // The first tick only activates a new timer.
      undiciTimers.tick(1000);
      undiciTimers.tick(11_000);
      const error = await failure;
      assert.match(error.message, /could not connect to https:\S+ within 10 s\. Check baseUrl/);
      assert.ok(error instanceof NoResponseError && !error.wasSent);
    } finally {
      server.close();
      for (const socket of sockets) socket.destroy();
    }
  });

  it("was not sent if the connection is refused", async () => {
    const server = createTcpServer();
    const url = await listen(server);
    server.close();
    const { cert: ca } = await loopbackCertificate();
    const error = await errorOf(testClient({ url, ca }).patchPrivateIpMode("p", false, 1));
    assert.ok(error instanceof NoResponseError && !error.wasSent);
  });
});

/** Starts a server on a free port; returns its URL. */
async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  assert.ok(typeof address === "object" && address !== null);
  return `https://127.0.0.1:${address.port}`;
}
