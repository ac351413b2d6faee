import assert from "node:assert/strict";
import { projectId } from "../../support/service";
import { useProviders } from "../useProvider";

describe("the warning before disabling", () => {
  const { service, start } = useProviders("privateIpMode");

  it("is logged by check", async () => {
    service.project().updateCluster("billing", { peering: true });
    const { check, output } = await start();
    await check({ projectId, enabled: false });
    assert.match(output(), /warning: disabling private IP mode .* strings of billing, orders\./);
    assert.equal(output().match(/warning: disabling/g)?.length, 1);
  });
});
