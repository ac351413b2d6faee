/** The data of the service in this folder: two projects, an API key and a service account. */
import type { Seed } from "../../simulator/src/seed/seed";
import { account, key, projectId } from "../support/service";

export const otherProjectId = "64a0c0ffee0000000000a002";

const roles = [{ role: "owner" as const }];

export const twoProjects: Seed = {
  organizations: [
    { name: "acme", apiKeys: [{ ...key, roles }], serviceAccounts: [{ ...account, roles }] },
  ],
  projects: [projectId, otherProjectId].map((id) => ({
    id,
    name: id,
    organization: "acme",
    privateIpMode: { enabled: true },
    clusters: ["orders", "billing"].map((name) => ({ name, version: "7.0.12" })),
  })),
};
