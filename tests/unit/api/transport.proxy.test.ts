import assert from "node:assert/strict";
import { type Proxy, startProxy, withoutProxy } from "../../proxy";
import { projectId, quickstartSeed } from "../../service";
import { setUpServices, testClient } from "./testClient";

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

  it("is not used for hosts in NO_PROXY", async () => {
    const variables = { HTTPS_PROXY: proxy.url, NO_PROXY: "127.0.0.1" };
    assert.equal((await listThrough(variables)).clusters.length, 4);
    assert.deepEqual(proxy.tunnels, []);
  });
});
