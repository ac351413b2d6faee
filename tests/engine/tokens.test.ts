import assert from "node:assert/strict";
import { projectId, quickstartSeed, settingsFor } from "../service";
import { useStack } from "./useStack";

const account = { clientId: "svc_demo", clientSecret: "svc-secret" };
const seed = quickstartSeed();
for (const organization of seed.organizations ?? []) {
  organization.serviceAccounts = [{ ...account, roles: [{ role: "owner" }] }];
}

describe("the tokens of an update with a service account", () => {
  const { service, createStack } = useStack({ seed });

  it("are revoked by the program and by the provider processes when they end", async () => {
    const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...rest } = settingsFor(service);
    const environment = {
      ...rest,
      CLOUDDB_CLIENT_ID: account.clientId,
      CLOUDDB_CLIENT_SECRET: account.clientSecret,
    };
    const { stack } = await createStack(
      `new clouddb.ClusterConnectionStrings("orders", { projectId: "${projectId}", clusterName: "orders" });
       exports.url = clouddb.getConnectionStringsOutput({ projectId: "${projectId}", clusterName: "orders" }).recommended;`,
      { environment },
    );
    await stack.up();
    const issued = service.requests.filter(({ operation }) => operation === "issueToken");
    // One of the program, one of the provider process.
    assert.equal(issued.length, 2);
    assert.equal(service.activeTokens(), 0);
  });
});
