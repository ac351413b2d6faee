import assert from "node:assert/strict";
import { projectId } from "../../support/service";
import { useProviders } from "../useProvider";

describe("the warning before disabling", () => {
  const { service, start } = useProviders("privateIpMode");

  it("is logged by check, and again for a lookup that finds an Internet string later", async () => {
    service.project().updateCluster("billing", { peering: true, pendingStrings: ["standard"] });
    const { check, resource, output } = await start();
    const lookups = resource("clusterConnectionStrings");
    await lookups.check({ projectId, clusterName: "orders" });
    const billing = { projectId, clusterName: "billing", waitSeconds: 8 };
    const { inputs } = await lookups.check(billing);
    await check({ projectId, enabled: false });
    assert.match(
      output(),
      /warning: disabling private IP mode .* strings of billing, orders\. .* return other strings: orders \(standardSrv\)\./,
    );
    service.project().updateCluster("billing", { pendingStrings: [] });
    await lookups.create(inputs);
    assert.match(output(), /return other strings: billing \(standardSrv\)\./);
    assert.equal(output().match(/warning: disabling/g)?.length, 2);
  });
});
