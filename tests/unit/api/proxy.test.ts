import assert from "node:assert/strict";
import type { Simulator } from "clouddb-simulator";
import { type Proxy, startProxy, withoutProxy } from "../../proxy";
import { key, projectId, startService } from "../../service";
import { testClient } from "./testClient";

describe("a proxy", () => {
  let service: Simulator;
  let proxy: Proxy;
  const environment = process.env;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

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
    const client = testClient(service, { credentials: { kind: "apiKey", ...key } });
    return client.listClusters(projectId);
  }

  for (const name of ["HTTPS_PROXY", "HTTP_PROXY"]) {
    it(`of ${name} is tunnelled through, and sees no request`, async () => {
      assert.equal((await listThrough({ [name]: proxy.url })).clusters.length, 4);
      assert.deepEqual([...new Set(proxy.tunnels)], [new URL(service.url).host]);
      assert.doesNotMatch(proxy.sent().toString("latin1"), /GET|Digest|demo/);
    });
  }

  it("is not used for the hosts in NO_PROXY", async () => {
    const variables = { HTTPS_PROXY: proxy.url, NO_PROXY: "127.0.0.1" };
    assert.equal((await listThrough(variables)).clusters.length, 4);
    assert.deepEqual(proxy.tunnels, []);
  });
});
