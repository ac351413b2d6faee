/** The data of the service in this folder: two projects, an API key and a service account. */
import type { Seed } from "../../simulator/src/seed/seed";
import { key, projectId } from "../support/service";

export const secrets = { privateKey: key.privateKey, clientSecret: "service-account-secret" };
export const clientId = "svc_demo";
const otherProjectId = "64a0c0ffee0000000000a002";

const clusters = [{ name: "orders", version: "7.0.12" }];

export const twoProjects: Seed = {
  organizations: [
    {
      name: "acme",
      apiKeys: [{ ...key, roles: [{ role: "owner" }] }],
      serviceAccounts: [
        { clientId, clientSecret: secrets.clientSecret, roles: [{ role: "owner" }] },
      ],
    },
  ],
  projects: [
    {
      id: projectId,
      name: "first",
      organization: "acme",
      privateIpMode: { enabled: true },
      clusters,
    },
    {
      id: otherProjectId,
      name: "second",
      organization: "acme",
      privateIpMode: { enabled: true },
      clusters,
    },
  ],
};
