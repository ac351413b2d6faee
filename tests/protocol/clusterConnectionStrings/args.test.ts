import assert from "node:assert/strict";
import { projectId } from "../../service";
import { unknown } from "../providerProcess";
import { useProvider } from "../useProvider";

describe("the arguments of ClusterConnectionStrings", () => {
  const { service, provider } = useProvider("clusterConnectionStrings");

  it("makes no request while an argument is unknown in a preview", async () => {
    const news = { projectId: unknown, clusterName: "orders" };
    const { inputs, failures } = await provider.check(news);
    assert.deepEqual(failures, []);
    assert.deepEqual(inputs, news);
    assert.equal(service.requests.length, 0);
  });

  it("names every invalid argument", async () => {
    const { failures } = await provider.check({
      projectId,
      clusterName: "orders",
      form: "uri",
      network: { kind: "vpn" },
    });
    assert.deepEqual(failures.map(({ property }) => property).sort(), ["form", "network"]);
  });
});
