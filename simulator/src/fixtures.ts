/**
 * The module `clouddb-simulator/fixtures`: small seeds for tests, by name. Each has one project, {@link projectId}, and
 * the credentials in {@link credentials}, which own it.
 *
 * @module
 */
import type { SeedCluster } from "./seed/cluster";
import type { Seed } from "./seed/seed";

/** The project of every fixture. */
export const projectId = "64a0c0ffee0000000000a001";

/** The credentials of every fixture: an API key, and a service account. */
export const credentials = {
  /** The public part of the API key. */
  publicKey: "demo",
  /** The private part of the API key. */
  privateKey: "demo-secret",
  /** The ID of the service account. */
  clientId: "svc_demo",
  /** The secret of the service account. */
  clientSecret: "svc-secret",
} as const;

/** What the seeds are for. */
export interface Fixtures {
  /** Clusters of several kinds: peered, sharded, legacy and standard. The mode is on, and can be disabled. */
  readonly demo: Seed;
  /** Replica sets of version 7 and 8; private IP mode is off. */
  readonly plain: Seed;
  /** Private IP mode is on, and all clusters are peered: two in provider A, one in B. Disabling is allowed. */
  readonly peered: Seed;
  /** A sharded cluster with private endpoints in two regions, one string for each of them. */
  readonly privateEndpoints: Seed;
  /** Private IP mode is on, and two of four clusters run a version below 7.0: disabling is refused. */
  readonly mixedVersions: Seed;
  /** A cluster from before 31 March 2020, which has legacy strings; private IP mode is on. */
  readonly legacy: Seed;
  /** 1,200 clusters, `cluster-0` to `cluster-1199`, which a client lists in three pages. */
  readonly manyClusters: Seed;
}

/**
 * The seeds by name. A test may change a copy, or the running service.
 *
 * @example
 * const service = await startSimulator({ seed: fixtures.mixedVersions });
 * // baseUrl: service.url, publicKey: credentials.publicKey, privateKey: credentials.privateKey
 */
export const fixtures: Fixtures = {
  demo: seedOf(
    [
      cluster("orders", { peering: true }),
      analytics(),
      cluster("billing", { createdAt: "2019-06-03T09:30:00Z" }),
      cluster("sessions", { version: "8.0.4" }),
    ],
    true,
  ),
  plain: seedOf([cluster("orders"), cluster("sessions", { version: "8.0.4" })]),
  peered: seedOf(
    [
      cluster("orders", { peering: true }),
      cluster("billing", { peering: true }),
      cluster("reports", { peering: true, provider: "B", regions: ["eastus"] }),
    ],
    true,
  ),
  privateEndpoints: seedOf([analytics()]),
  mixedVersions: seedOf(
    [
      cluster("orders"),
      cluster("billing", { version: "5.0.1" }),
      cluster("sessions", { version: "6.0.5" }),
      cluster("search", { version: "8.0.4" }),
    ],
    true,
  ),
  legacy: seedOf([cluster("billing", { createdAt: "2019-06-03T09:30:00Z", peering: true })], true),
  manyClusters: seedOf(Array.from({ length: 1200 }, (_, at) => cluster(`cluster-${at}`))),
};

/** A sharded cluster with private endpoints in two regions. */
function analytics(): SeedCluster {
  return cluster("analytics", {
    type: "SHARDED",
    version: "8.0.4",
    regions: ["us-east-1", "eu-west-1"],
    privateEndpoints: [
      { endpointId: "vpce-0a1b2c3d", region: "us-east-1" },
      { endpointId: "vpce-0e5f6a7b", region: "eu-west-1" },
    ],
    regionalizedPrivateEndpoints: true,
  });
}

function cluster(name: string, more: Partial<SeedCluster> = {}): SeedCluster {
  return {
    name,
    type: "REPLICASET",
    version: "7.0.12",
    provider: "A",
    regions: ["us-east-1"],
    createdAt: "2024-05-01T00:00:00Z",
    ...more,
  };
}

function seedOf(clusters: SeedCluster[], privateIpMode = false): Seed {
  const { publicKey, privateKey, clientId, clientSecret } = credentials;
  const roles = [{ projectId, role: "owner" as const }];
  return {
    organizations: [
      {
        name: "acme",
        apiKeys: [{ publicKey, privateKey, roles }],
        serviceAccounts: [{ clientId, clientSecret, roles }],
      },
    ],
    projects: [
      {
        id: projectId,
        name: "orders",
        organization: "acme",
        createdAt: "2019-06-03T08:00:00Z",
        privateIpMode: { enabled: privateIpMode },
        clusters,
      },
    ],
  };
}
