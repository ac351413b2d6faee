import assert from "node:assert/strict";
import { type Server, createServer } from "node:https";
import { once } from "node:events";
import tls from "node:tls";
import { generate } from "selfsigned";
import { NotSentError } from "../../../provider/src/service/errors";
import { loopbackCertificate } from "../../support/certificate";
import { errorOf, testClient } from "./testClient";

describe("TLS 1.1", () => {
  const { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS } = tls;

  afterEach(() => {
    Object.assign(tls, { DEFAULT_MIN_VERSION, DEFAULT_CIPHERS });
  });

  it("is refused, even if --tls-min-v1.0 and weak ciphers are the defaults of Node.js", async () => {
    Object.assign(tls, { DEFAULT_MIN_VERSION: "TLSv1", DEFAULT_CIPHERS: "DEFAULT@SECLEVEL=0" });
    const certificate = await loopbackCertificate();
    const options = {
      ...certificate,
      maxVersion: "TLSv1.1",
      ciphers: "DEFAULT@SECLEVEL=0",
    } as const;
    let requests = 0;
    const server = createServer(options, (_request, response) => {
      requests += 1;
      response.end("{}");
    });
    const url = await listen(server);
    try {
      const client = testClient({ url, ca: certificate.cert }, { retryPolicy: { retries: 0 } });
      const error = await errorOf(client.listClusters("p"));
      assert.equal(error.code, "connection");
      assert.match(error.message, /version/);
      assert.equal(requests, 0);
    } finally {
      server.close();
    }
  });
});

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

describe("a request that may not be sent any longer", () => {
  it("is not written, which is decided when its connection is ready", async () => {
    const certificate = await loopbackCertificate();
    let requests = 0;
    let connections = 0;
    const server = createServer(certificate, (_request, response) => {
      requests += 1;
      response.end('{"enabled": false}');
    });
    server.on("connection", () => (connections += 1));
    const url = await listen(server);
    try {
      const client = testClient({ url, ca: certificate.cert });
      const patch = (isAllowed: boolean) => {
        const maySend = () => {
          assert.ok(connections > 0);
          return isAllowed;
        };
        return client.patchPrivateIpMode("p", false, 1, { maySend });
      };
      await assert.rejects(patch(false), NotSentError);
      assert.equal(requests, 0);
      assert.equal(await patch(true), false);
      assert.equal(requests, 1);
    } finally {
      server.close();
      server.closeAllConnections();
    }
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
