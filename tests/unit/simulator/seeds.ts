/** Seeds for the tests. */
import type { Seed, SeedCluster, SeedProject } from "../../../simulator/src";
import { projectId } from "./client";

export const otherProjectId = "64a0c0ffee0000000000b002";
export const foreignProjectId = "64a0c0ffee0000000000c003";

export const key = (publicKey: string) => ({ publicKey, privateKey: `${publicKey}-secret` });

const roles = [{ role: "owner" as const }];

/** Returns a seed with one project, its clusters, and the API key demo/demo-secret with the organization role `owner`. */
export function seedOf(clusters: SeedCluster[], project: Partial<SeedProject> = {}): Seed {
  return {
    organizations: [{ name: "acme", apiKeys: [{ ...key("demo"), roles }] }],
    projects: [{ id: projectId, name: "orders", organization: "acme", ...project, clusters }],
  };
}

/** A seed with the clusters c0 to c4. */
export const fiveClusters: Seed = seedOf(
  Array.from({ length: 5 }, (_, at) => ({
    name: `c${at}`,
    createdAt: "2024-05-01T12:00:00+02:00",
  })),
);

/** A sharded cluster with a private endpoint, which has an optimized string. */
export const shardedCluster: SeedCluster = {
  name: "analytics",
  type: "SHARDED",
  version: "7.0.12",
  provider: "A",
  regions: ["us-east-1"],
  createdAt: "2024-05-01",
  privateEndpoints: [{ endpointId: "vpce-1", region: "us-east-1" }],
};

/** A seed with two organizations, three projects, and credentials of every kind and role. */
export const credentialsSeed: Seed = {
  organizations: [
    {
      name: "acme",
      apiKeys: [
        { ...key("demo"), roles: [{ projectId, role: "owner" }] },
        { ...key("reader"), roles: [{ projectId, role: "readOnly" }] },
        key("nobody"),
        { ...key("chief"), roles },
        { ...key("local"), roles, accessList: ["127.0.0.1"] },
        { ...key("range"), roles, accessList: ["10.0.0.0/8", "127.0.0.2/31"] },
        { ...key("closed"), roles, accessList: [] },
      ],
      serviceAccounts: [
        {
          clientId: "svc_demo",
          clientSecret: "svc secret:100%/+",
          roles: [{ projectId, role: "owner" }],
        },
        {
          clientId: "svc_far",
          clientSecret: "svc-far-secret",
          accessList: ["192.0.2.0/24"],
          roles,
        },
      ],
    },
    {
      name: "strict",
      requireAccessList: true,
      apiKeys: [
        { ...key("unlisted"), roles },
        { ...key("listed"), roles, accessList: ["127.0.0.1/32"] },
      ],
    },
  ],
  projects: [
    {
      id: projectId,
      name: "orders",
      organization: "acme",
      label: "ab1cd",
      clusters: [{ name: "orders", version: "7.0.12", createdAt: "2024-05-01" }],
    },
    { id: otherProjectId, name: "billing", organization: "acme" },
    { id: foreignProjectId, name: "orders", organization: "strict" },
  ],
};
