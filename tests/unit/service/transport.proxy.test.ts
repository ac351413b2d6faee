import assert from "node:assert/strict";
import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { mock } from "node:test";
import { createServer } from "node:tls";
import { proxyFor } from "../../../provider/src/service/proxy";
import { loopbackCertificate } from "../../support/certificate";
import {
  type MisbehavingProxy,
  type Proxy,
  startMisbehavingProxy,
  startProxy,
  withoutProxy,
} from "../../support/proxy";
import { freePort } from "../../support/freePort";
import { projectId, useService } from "../../support/service";
import { waitUntil } from "../../support/waitUntil";
import { errorOf, testClient } from "./testClient";

describe("a proxy", () => {
  const service = useService();
  let proxy: Proxy;
  const environment = process.env;

  beforeEach(async () => {
    proxy = await startProxy();
    process.env = withoutProxy(environment);
  });
  afterEach(() => {
    proxy.stop();
    process.env = environment;
  });

  function listThrough(variables: Record<string, string>) {
    Object.assign(process.env, variables);
    return testClient(service).listClusters(projectId);
  }

  it("tunnels requests and cannot read them", async () => {
    assert.equal((await listThrough({ HTTPS_PROXY: proxy.url })).clusters.length, 4);
    assert.deepEqual(proxy.tunnels, [new URL(service.url).host]);
    assert.doesNotMatch(proxy.sent().toString("latin1"), /GET|Digest|demo/);
  });

  it("is not used for a server that NO_PROXY excludes", async () => {
    await listThrough({ HTTPS_PROXY: proxy.url, NO_PROXY: "127.0.0.1" });
    assert.equal(proxy.tunnels.length, 0);
  });

  it("gets the decoded credentials of its URL, and no others", async () => {
    await listThrough({ HTTPS_PROXY: proxy.url.replace("//", "//user:p%40ss@") });
    const basic = Buffer.from("user:p@ss").toString("base64");
    assert.deepEqual(proxy.authorizations, [`Basic ${basic}`]);
    await listThrough({ HTTPS_PROXY: proxy.url });
    assert.equal(proxy.authorizations[1], undefined);
  });

  it("keeps its tunnel open after the timeout of the request that opened it", async () => {
    process.env["HTTPS_PROXY"] = proxy.url;
    const timeouts: AbortController[] = [];
    const mocked = mock.method(AbortSignal, "timeout", () => {
      const timeout = new AbortController();
      timeouts.push(timeout);
      return timeout.signal;
    });
    try {
      const client = testClient(service);
      await client.listClusters(projectId);
      for (const timeout of timeouts) timeout.abort();
      await client.listClusters(projectId);
      assert.equal(proxy.tunnels.length, 1);
    } finally {
      mocked.mock.restore();
    }
  });

  it("with an https:// URL needs a certificate that extraCertificates contains", async () => {
    const certificate = await loopbackCertificate();
    const tlsProxy = createServer(certificate, (client) => {
      client.pipe(connect(Number(new URL(proxy.url).port), "127.0.0.1")).pipe(client);
    });
    tlsProxy.listen(0, "127.0.0.1");
    await once(tlsProxy, "listening");
    try {
      const address = tlsProxy.address();
      assert.ok(typeof address === "object" && address !== null);
      process.env["HTTPS_PROXY"] = `https://127.0.0.1:${address.port}`;
      const { url, ca } = service;
      const trusted = testClient({ url, ca: `${ca}${certificate.cert}` });
      assert.equal((await trusted.listClusters(projectId)).clusters.length, 4);
      assert.deepEqual([...new Set(proxy.tunnels)], [new URL(url).host]);
      const { message } = await errorOf(testClient({ url, ca }).listClusters(projectId));
      assert.match(message, /certificate of the proxy https:.* is not trusted/);
    } finally {
      tlsProxy.close();
    }
  });
});

describe("the variables of a proxy", () => {
  const url = "http://proxy.example.com";

  for (const name of ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"]) {
    it(`include ${name}, and an empty one does not replace it`, () => {
      const empty = { https_proxy: "", HTTPS_PROXY: "", http_proxy: "", no_proxy: "" };
      const environment = { ...empty, NO_PROXY: "x", [name]: url };
      assert.equal(proxyFor(new URL("https://api.example.com"), environment)?.variable, name);
    });
  }

  for (const [server, noProxy, isExcluded] of [
    ["https://api.example.com", "example.com", true],
    ["https://api.example.com", "*", true],
    ["https://api.example.com", "other.com, api.example.com:1", false],
    ["https://api.example.com", ".example.com", true],
    ["https://api.example.com", "pi.example.com", false],
    ["https://[::1]", "::1", true],
    ["https://[::1]:8443", "[::1]:8443", true],
    ["https://[::1]:8443", "[::1]:443", false],
    ["https://[fe80::11]", "::1", false],
    ["https://api.example.com", "api.example.com:443", true],
  ] as const) {
    it(`${isExcluded ? "exclude" : "do not exclude"} ${server} with NO_PROXY=${noProxy}`, () => {
      const environment = { http_proxy: url, no_proxy: "", NO_PROXY: noProxy };
      assert.equal(proxyFor(new URL(server), environment) === undefined, isExcluded);
    });
  }
});

describe("a proxy that opens no tunnel", () => {
  const service = useService();
  // The first request of a process loads undici, which would count against the short timeouts.
  before(() => testClient(service).listClusters(projectId));
  let proxy: MisbehavingProxy | undefined;
  const environment = process.env;

  beforeEach(() => {
    process.env = withoutProxy(environment);
  });
  afterEach(() => {
    proxy?.stop();
    process.env = environment;
  });

  /** Lists clusters through a proxy with credentials, and returns the error. */
  async function errorThrough(respond: (client: Socket) => void, requestTimeoutSeconds: number) {
    proxy = await startMisbehavingProxy(respond);
    process.env["HTTPS_PROXY"] = proxy.url.replace("//", "//proxy-user:proxy-password@");
    const client = testClient(service, { requestTimeoutSeconds });
    const error = await errorOf(client.listClusters(projectId));
    assert.ok(error.message.includes(`the proxy ${proxy.url}`), error.message);
    assert.doesNotMatch(error.message, /proxy-/);
    return { error, connections: proxy.connections };
  }

  const write = (text: string) => (client: Socket) => client.write(text);
  const end = (text: string) => (client: Socket) => client.end(text);
  const status = (line: string) => write(`HTTP/1.1 ${line}\r\n\r\n`);
  const tunnel = "HTTP/1.1 200 OK\r\n\r\n";
  const trickle = (client: Socket) => {
    client.write("HTTP/1.1 200 OK\r\n");
    const timer = setInterval(() => client.write("X-Wait: 1\r\n"), 50);
    client.on("close", () => {
      clearInterval(timer);
    });
  };
  const late = /within 0\.5 s/;
  const refuses407 = /could not connect to .*: the proxy refused the tunnel .*CONNECT with 407\)/;
  const fails502 =
    /could not connect to .*: the proxy cannot reach the service .*CONNECT with 502\)/;
  const hangsUp = /^no response from the proxy .*hang up\). Check HTTPS_PROXY/;
  const early =
    /^no response from https:.* through the proxy .*disconnected before secure TLS conn/;
  const cases: [what: string, respond: (client: Socket) => void, code: string, text: RegExp][] = [
    ["trickles headers", trickle, "timeout", late],
    ["says nothing in the tunnel", write(tunnel), "timeout", late],
    ["answers 407", status("407 Proxy"), "connection", refuses407],
    ["answers 502", status("502 Bad"), "connection", fails502],
    ["closes at once", (client) => client.end(), "connection", hangsUp],
    ["answers something else", end("SSH-2.0-OpenSSH\r\n"), "connection", /Parse Error/],
    ["closes the tunnel before the TLS handshake", end(tunnel), "connection", early],
  ];
  for (const [what, respond, code, text] of cases) {
    it(`and ${what} fails after one connection per attempt`, async () => {
      const { error, connections } = await errorThrough(respond, code === "timeout" ? 0.5 : 5);
      assert.equal(error.code, code);
      assert.match(error.message, text);
      assert.equal(error.attempts, 4);
      const isClosed = () => connections.filter(({ destroyed }) => destroyed).length === 4;
      await waitUntil("each connection is closed", isClosed);
      assert.equal(connections.length, 4);
    });
  }

  it("because it is unreachable is the only one named", async () => {
    process.env["https_proxy"] = `http://user:proxy-password@127.0.0.1:${await freePort()}`;
    const { code, message } = await errorOf(testClient(service).listClusters(projectId));
    assert.equal(code, "connection");
    assert.match(message, /^could not connect to the proxy http:\/\/127\S+: connection refused \(/);
    assert.match(message, /\. Check https_proxy and the network\. /);
  });

  it("but reaches a server with an untrusted certificate is closed", async () => {
    const other = await startProxy();
    process.env["HTTPS_PROXY"] = other.url;
    try {
      const { url } = service;
      const { cert } = await loopbackCertificate();
      const { message } = await errorOf(testClient({ url, ca: cert }).listClusters(projectId));
      assert.match(message, /certificate of https:.* through the proxy .* is not trusted/);
      await waitUntil("the tunnels are closed", () => other.openTunnels() === 0);
    } finally {
      other.stop();
    }
  });
});
