import assert from "node:assert/strict";
import { useForeignService } from "../useProvider";
import { projectId, respondWith } from "./clusterService";

describe("an optimized string in the field of the plain string", () => {
  const start = useForeignService();
  const optimizedSrv = "db+srv://orders-pl-0-lb.ab1cd.db.example";
  const record = {
    name: "orders",
    connectionStrings: {
      privateEndpoint: [
        { srvConnectionString: optimizedSrv, endpoints: [{ endpointId: "vpce-1" }] },
      ],
    },
  };
  const wanted = { projectId, clusterName: "orders", network: { kind: "privateEndpoint" } };

  it("is returned only with optimized: true", async () => {
    const { check } = await start("clusterConnectionStrings", respondWith({ clusters: [record] }));
    const { inputs } = await check({ ...wanted, optimized: true });
    assert.equal(inputs["recommended"], optimizedSrv);
    assert.equal(inputs["recommendedKind"], "privateEndpointOptimizedSrv");
    const { failures } = await check({ ...wanted, optimized: false });
    assert.equal(failures.length, 1);
  });

  it("causes a warning if it changes the kind of a recorded lookup", async () => {
    const { check, output } = await start(
      "clusterConnectionStrings",
      respondWith({ clusters: [record] }),
    );
    await check(wanted, { ...wanted, recommendedKind: "privateEndpointSrv" });
    assert.match(
      output(),
      /warning: .* of cluster orders changes from privateEndpointSrv to privateEndpointOptimizedSrv: .*rules 4 and 8.* set optimized: false/,
    );
  });
});
