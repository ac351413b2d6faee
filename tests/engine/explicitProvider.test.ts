import assert from "node:assert/strict";
import type { Seed } from "clouddb-simulator";
import { key, projectId, quickstartSeed, settingsFor } from "../support/service";
import { stateFile } from "./stack";
import { useStack } from "./useStack";

const reportsProject = "64a0c0ffee0000000000b001";
const partner = { clientId: "svc_partner", clientSecret: "partner-secret" };

const { organizations = [], projects = [] } = quickstartSeed();
const seed: Seed = {
  organizations: [
    ...organizations,
    {
      name: "partner",
      serviceAccounts: [{ ...partner, roles: [{ projectId: reportsProject, role: "owner" }] }],
    },
  ],
  projects: [
    ...projects,
    {
      id: reportsProject,
      name: "reports",
      organization: "partner",
      privateIpMode: { enabled: true },
      clusters: [{ name: "reports", version: "8.0.4" }],
    },
  ],
};

const program = `
const config = new pulumi.Config("partner");
const provider = new clouddb.Provider("partner", {
  clientId: config.require("clientId"),
  clientSecret: config.requireSecret("clientSecret"),
});
for (const [name, projectId, options] of [
  ["orders", "${projectId}", {}],
  ["reports", "${reportsProject}", { provider }],
]) {
  new clouddb.PrivateIpMode(name, { projectId, enabled: false }, options);
  const lookup = new clouddb.ClusterConnectionStrings(name, { projectId, clusterName: name }, options);
  exports[name] = lookup.recommended;
}
exports.reportsReady = clouddb.getPrivateIpModeReadinessOutput(
  { projectId: "${reportsProject}" },
  { provider },
).ready;
`;

describe("a provider for a second organization", () => {
  const { service, createStack } = useStack({ seed });

  it("deploys a program in both organizations, with its secrets encrypted in the state", async () => {
    const { CLOUDDB_BASE_URL, CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...environment } =
      settingsFor(service);
    const { stack } = await createStack(program, { environment });
    await stack.setAllConfig({
      "clouddb:baseUrl": { value: service.url },
      "clouddb:publicKey": { value: key.publicKey },
      "clouddb:privateKey": { value: key.privateKey, secret: true },
      "partner:clientId": { value: partner.clientId },
      "partner:clientSecret": { value: partner.clientSecret, secret: true },
    });
    const { outputs, stdout, stderr } = await stack.up();
    assert.match(String(outputs["orders"]?.value), /^db\+srv:\/\/orders\./);
    assert.match(String(outputs["reports"]?.value), /^db\+srv:\/\/reports\./);
    assert.deepEqual(outputs["reportsReady"], { value: true, secret: false });
    for (const id of [projectId, reportsProject]) {
      assert.equal(service.project(id).privateIpMode.enabled, false);
    }
    for (const text of [stdout, stderr, stateFile(stack)]) {
      for (const secret of [partner.clientSecret, key.privateKey]) {
        assert.ok(!text.includes(secret));
      }
    }
  });
});
