/** Seeds for the tests. */
import type { Seed, SeedCluster, SeedProject } from "../../../simulator/src";
import { projectId } from "./client";

export const otherProjectId = "64a0c0ffee0000000000b002";
export const foreignProjectId = "64a0c0ffee0000000000c003";

/** Returns a seed with one project, its clusters, and the API key demo/demo-secret with the organization role `owner`. */
export function seedOf(clusters: SeedCluster[], project: Partial<SeedProject> = {}): Seed {
  return {
    organizations: [
      {
        name: "acme",
        apiKeys: [{ publicKey: "demo", privateKey: "demo-secret", roles: [{ role: "owner" }] }],
      },
    ],
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
        { publicKey: "demo", privateKey: "demo-secret", roles: [{ projectId, role: "owner" }] },
        {
          publicKey: "reader",
          privateKey: "reader-secret",
          roles: [{ projectId, role: "readOnly" }],
        },
        { publicKey: "nobody", privateKey: "nobody-secret" },
        { publicKey: "chief", privateKey: "chief-secret", roles: [{ role: "owner" }] },
        {
          publicKey: "local",
          privateKey: "local-secret",
          accessList: ["127.0.0.1"],
          roles: [{ role: "owner" }],
        },
        {
          publicKey: "range",
          privateKey: "range-secret",
          accessList: ["10.0.0.0/8", "127.0.0.2/31"],
          roles: [{ role: "owner" }],
        },
        {
          publicKey: "closed",
          privateKey: "closed-secret",
          accessList: [],
          roles: [{ role: "owner" }],
        },
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
          roles: [{ role: "owner" }],
        },
      ],
    },
    {
      name: "strict",
      requireAccessList: true,
      apiKeys: [
        { publicKey: "unlisted", privateKey: "unlisted-secret", roles: [{ role: "owner" }] },
        {
          publicKey: "listed",
          privateKey: "listed-secret",
          accessList: ["127.0.0.1/32"],
          roles: [{ role: "owner" }],
        },
      ],
    },
  ],
  projects: [
    { id: projectId, name: "orders", organization: "acme", clusters: [{ name: "orders" }] },
    { id: otherProjectId, name: "billing", organization: "acme" },
    { id: foreignProjectId, name: "orders", organization: "strict" },
  ],
};

export const key = (publicKey: string) => ({ publicKey, privateKey: `${publicKey}-secret` });
