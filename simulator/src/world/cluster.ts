// A cluster as the store holds it, and the rules that a cluster has to keep.
import { createHash } from "node:crypto";
import { ServiceError } from "../errors";
import {
  clusterSchema,
  type CompleteSeedCluster,
  isoDate,
  parse,
  type SeedCluster,
  type StringKind,
} from "../seed";

export interface PrivateEndpoint {
  /** `<i>` of its host names: unique within the project. */
  readonly index: number;
  readonly endpointId: string;
  readonly region: string;
}

/** A cluster with everything given. Never changed in place: a change makes a new record. */
export interface Cluster
  extends Readonly<
    Omit<CompleteSeedCluster, "readyInSeconds" | "privateEndpoints" | "pendingStrings">
  > {
  readonly id: string;
  readonly hostName: string;
  readonly shardId: string;
  readonly createdAt: string;
  readonly legacyConnectionStrings: boolean;
  readonly privateEndpoints: readonly PrivateEndpoint[];
  readonly pendingStrings: readonly StringKind[];
}

const EVERY_KIND: StringKind[] = ["standard", "private", "privateEndpoint"];
/** Service document 2.6: legacy strings were used before this day. */
const END_OF_LEGACY = "2020-03-31T00:00:00Z";

/** What a cluster's defaults depend on. */
export interface Surroundings {
  readonly projectId: string;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The clusters of the project, by what has to be unique among them. */
  readonly taken: TakenNames;
}

/** Which cluster of a project has a name, a host name part, or the index of a private endpoint. */
export interface TakenNames {
  readonly clusters: ReadonlyMap<string, Cluster>;
  readonly hostNames: ReadonlyMap<string, string>;
  readonly endpointIndexes: ReadonlyMap<number, string>;
}

/** @throws {SeedError} where the cluster is not valid, {ServiceError} where it breaks a rule */
export function createCluster(seed: SeedCluster, around: Surroundings): Cluster {
  const cluster = completeCluster(seed, around);
  if (around.taken.clusters.has(cluster.name)) {
    throw new ServiceError(
      409,
      "DUPLICATE_CLUSTER_NAME",
      `A cluster named "${cluster.name}" already exists in this project.`,
      [cluster.name],
    );
  }
  return cluster;
}

/** The cluster with some fields changed; the indexes of the endpoints it keeps stay the same. */
export function changeCluster(
  cluster: Cluster,
  change: Partial<SeedCluster>,
  around: Surroundings,
): Cluster {
  if (change.name !== undefined && change.name !== cluster.name) {
    throw new ServiceError(400, "INVALID_ATTRIBUTE", "The name of a cluster cannot be changed.", [
      "name",
    ]);
  }
  const { pendingStrings, privateEndpoints, ...rest } = cluster;
  // A new state begins with the strings of that state, and ends what was still to come.
  const carried =
    change.state === undefined
      ? { ...rest, pendingStrings: [...pendingStrings] }
      : { ...rest, transitions: [] };
  const endpoints = (change.privateEndpoints ?? privateEndpoints).map((endpoint) => ({
    index: privateEndpoints.find(
      ({ endpointId, region }) => endpointId === endpoint.endpointId && region === endpoint.region,
    )?.index,
    ...endpoint,
  }));
  return completeCluster({ ...carried, ...change, privateEndpoints: endpoints }, around);
}

function completeCluster(seed: SeedCluster, around: Surroundings): Cluster {
  const valid = parse(clusterSchema, seed, `The cluster "${seed.name}"`);
  const { readyInSeconds, ...given } = valid;
  const createdAt = valid.createdAt ?? isoDate(around.now);
  const cluster: Cluster = {
    ...given,
    id: valid.id ?? digest(around.projectId, valid.name, valid.createdAt ?? "").slice(0, 24),
    hostName: valid.hostName ?? hostNamePart(valid.name),
    shardId: valid.shardId ?? shortName(6, around.projectId, valid.name, valid.createdAt ?? ""),
    createdAt,
    legacyConnectionStrings: valid.legacyConnectionStrings ?? createdAt < END_OF_LEGACY,
    privateEndpoints: numberEndpoints(valid.privateEndpoints, around.taken),
    pendingStrings: valid.pendingStrings ?? (valid.state === "CREATING" ? EVERY_KIND : []),
    transitions: [...valid.transitions, ...readiness(valid.state, readyInSeconds, around.now)],
  };
  checkCluster(cluster, around.taken);
  return cluster;
}

/** `<major>.<minor>` of a full version. */
export function majorVersion(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}

/** A name of lower case letters and digits that depends on the parts alone. */
export function shortName(length: number, ...parts: string[]): string {
  const number = BigInt(`0x${digest(...parts)}`).toString(36);
  return number.slice(-length);
}

export function digest(...parts: string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("hex");
}

/** Lower case, at most 23 characters: the rest of a host's first label needs room. */
function hostNamePart(name: string): string {
  return name.toLowerCase().slice(0, 23).replace(/-+$/, "");
}

function numberEndpoints(
  endpoints: CompleteSeedCluster["privateEndpoints"],
  taken: TakenNames,
): PrivateEndpoint[] {
  const own = new Set(endpoints.flatMap(({ index }) => index ?? []));
  let next = 0;
  return endpoints.map((endpoint) => {
    if (endpoint.index !== undefined) return { ...endpoint, index: endpoint.index };
    while (taken.endpointIndexes.has(next) || own.has(next)) next++;
    own.add(next);
    return { ...endpoint, index: next };
  });
}

/** A cluster that is being created shows its standard strings halfway, and all of them at the end. */
function readiness(
  state: CompleteSeedCluster["state"],
  seconds: number | undefined,
  now: number,
): CompleteSeedCluster["transitions"] {
  if (seconds === undefined || state === "IDLE") return [];
  const ready = { at: now + seconds * 1000, state: "IDLE" as const, pendingStrings: [] };
  if (state !== "CREATING") return [ready];
  return [
    {
      at: now + seconds * 500,
      state,
      pendingStrings: EVERY_KIND.filter((kind) => kind !== "standard"),
    },
    ready,
  ];
}

function checkCluster(cluster: Cluster, taken: TakenNames): void {
  const refuse = (field: string, detail: string) => {
    throw new ServiceError(400, "INVALID_ATTRIBUTE", detail, [field]);
  };
  // Service document 1.8: no two clusters share a host name. These forms belong to other kinds.
  if (/-pri$|-shard-\d\d-\d\d$|(?:^|-)pl-\d+-/.test(cluster.hostName)) {
    refuse("name", `The name "${cluster.name}" would give the host names of another cluster.`);
  }
  if (cluster.provider === "C" && cluster.privateEndpoints.length > 0) {
    refuse("privateEndpoints", "Private endpoints exist in providers A and B only.");
  }
  const double = taken.hostNames.get(cluster.hostName);
  if (double !== undefined && double !== cluster.name) {
    throw new ServiceError(
      409,
      "DUPLICATE_CLUSTER_NAME",
      `The name "${cluster.name}" gives the same host names as the cluster "${double}": ` +
        "the first 23 characters have to differ, and not only in upper and lower case.",
      [cluster.name],
    );
  }
  const indexes = cluster.privateEndpoints.map(({ index }) => index);
  const ids = cluster.privateEndpoints.map(({ endpointId }) => endpointId);
  if (new Set(ids).size !== ids.length) {
    refuse("privateEndpoints", "Two private endpoints of the cluster have the same endpointId.");
  }
  const shared = indexes.some(
    (index) => (taken.endpointIndexes.get(index) ?? cluster.name) !== cluster.name,
  );
  if (shared || new Set(indexes).size !== indexes.length) {
    refuse("privateEndpoints", "Two private endpoints of the project have the same index.");
  }
}
