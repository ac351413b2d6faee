import assert from "node:assert/strict";
import { projectId, settingsFor } from "../../support/service";
import { useProviders } from "../useProvider";

describe("a certificate of an unknown authority", () => {
  const { service, start } = useProviders("clusterConnectionStrings");

  it("is rejected, even if NODE_TLS_REJECT_UNAUTHORIZED is 0", async () => {
    const { CLOUDDB_CA_FILE, ...rest } = settingsFor(service);
    const environment = { ...rest, NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const provider = await start({ environment });
    const result = await provider
      .check({ projectId, clusterName: "orders" })
      .then(({ failures }) => JSON.stringify(failures), String);
    assert.match(result, /certificate/);
    assert.equal(service.requests.length, 0);
  });
});
