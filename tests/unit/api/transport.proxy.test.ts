import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:net";
import { createServer } from "node:tls";
import { loopbackCertificate } from "../../certificate";
import { type Proxy, startProxy, withoutProxy } from "../../proxy";
import { projectId, quickstartSeed } from "../../service";
import { errorOf, setUpServices, testClient } from "./testClient";

describe("a proxy", () => {
  const services = setUpServices(quickstartSeed());
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
    return testClient(services.simulator).listClusters(projectId);
  }

  for (const name of ["HTTPS_PROXY", "HTTP_PROXY"]) {
    it(`in ${name} tunnels requests and cannot read them`, async () => {
      assert.equal((await listThrough({ [name]: proxy.url })).clusters.length, 4);
      assert.deepEqual([...new Set(proxy.tunnels)], [new URL(services.simulator.url).host]);
      assert.doesNotMatch(proxy.sent().toString("latin1"), /GET|Digest|demo/);
    });
  }

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
      const { url, ca } = services.simulator;
      const trusted = testClient({ url, ca: `${ca}\n${certificate.cert}` });
      assert.equal((await trusted.listClusters(projectId)).clusters.length, 4);
      assert.deepEqual([...new Set(proxy.tunnels)], [new URL(url).host]);
      assert.match(
        (await errorOf(testClient({ url, ca }).listClusters(projectId))).message,
        /not trusted/,
      );
    } finally {
      tlsProxy.close();
    }
  });

  it("is not used for hosts in NO_PROXY", async () => {
    const variables = { HTTPS_PROXY: proxy.url, NO_PROXY: "127.0.0.1" };
    assert.equal((await listThrough(variables)).clusters.length, 4);
    assert.deepEqual(proxy.tunnels, []);
  });
});
