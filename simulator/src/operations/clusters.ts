/** Operations on the clusters of a project. */
import { z } from "zod";
import {
  type Operation,
  type OperationResult,
  type ProjectCall,
  entity,
  list,
} from "../api/operation";
import { parseBody } from "../api/request";
import { ServiceError, invalidAttribute, missingCluster } from "../errors";
import {
  type ListingPath,
  type SeedCluster,
  cloudProviders,
  clusterChangeSchema,
  clusterSchema,
  nameSchema,
  privateEndpointSchema,
  providerNames,
  regionNameSchemas,
  versionSchema,
} from "../seed/cluster";
import type { Settings } from "../seed/settings";
import { isoDate } from "../seed/validation";
import { type Cluster, majorVersion, regionsOf } from "../store/cluster";
import type { Project } from "../store/projects";

const { shape } = clusterSchema;

const clustersPath = "/groups/:projectId/clusters";
const flexClustersPath = "/groups/:projectId/flexClusters";
const clusterPath = `${clustersPath}/:clusterName`;

/** Seconds until a new cluster is IDLE. */
const creationSeconds = 5;

/** Fields of responses that only the service sets. */
const readOnlyFields = [
  "id",
  "groupId",
  "name",
  "createDate",
  "stateName",
  "replicaSetNames",
  "connectionStrings",
  "links",
];

const majorVersionSchema = z
  .string()
  .regex(
    /^(?:0|[1-9]\d{0,3})\.(?:0|[1-9]\d{0,3})$/,
    "must be of the form <major>.<minor>, e.g. 7.0",
  );

export const clusterOperations: Operation[] = [
  {
    name: "listClusters",
    method: "GET",
    path: clustersPath,
    list: true,
    role: "readOnly",
    handle: (call) => listClusters(call, "clusters"),
  },
  {
    name: "listFlexClusters",
    method: "GET",
    path: flexClustersPath,
    list: true,
    role: "readOnly",
    handle: (call) => listClusters(call, "flexClusters"),
  },
  {
    name: "getFlexCluster",
    method: "GET",
    path: `${flexClustersPath}/:clusterName`,
    role: "readOnly",
    handle: (call) => document(call, clusterOf(call, "flexClusters"), "flexClusters"),
  },
  {
    name: "getCluster",
    method: "GET",
    path: clusterPath,
    role: "readOnly",
    handle: (call) => document(call, clusterOf(call)),
  },
  {
    name: "createCluster",
    method: "POST",
    path: clustersPath,
    status: 201,
    role: "owner",
    handle: (call) => {
      const { store, clock, settings } = call.context;
      const requested = parseCreation(call.body(), settings);
      rejectPeeredRegions(call.project, requested);
      const cluster = store.addCluster(call.project.id, {
        ...requested,
        createdAt: isoDate(clock.now()),
        state: "CREATING",
        readyInSeconds: creationSeconds,
      });
      return document(call, cluster);
    },
  },
  {
    name: "updateCluster",
    method: "PATCH",
    path: clusterPath,
    role: "owner",
    handle: (call) => {
      const cluster = clusterOf(call);
      return update(call, cluster, parseChange(call.body(), call.context.settings));
    },
  },
  {
    name: "replaceCluster",
    method: "PUT",
    path: clusterPath,
    role: "owner",
    handle: (call) => {
      const cluster = clusterOf(call);
      const { settings } = call.context;
      return update(call, cluster, parseReplacement(call.body(), settings, cluster.name));
    },
  },
  {
    name: "deleteCluster",
    method: "DELETE",
    path: clusterPath,
    status: 202,
    role: "owner",
    handle: (call) => {
      const cluster = clusterOf(call);
      call.context.store.removeCluster(call.project.id, cluster.name);
      return document(call, { ...cluster, state: "DELETING" });
    },
  },
];

/** Returns the clusters at a path. */
function listClusters({ context, project }: ProjectCall, path: ListingPath): OperationResult {
  const listed = project.clusters.filter((cluster) => isListedAt(path, cluster));
  return list(listed, (cluster) => context.documents.listedCluster(project, cluster, path));
}

function clusterOf(
  { context, project, parameters: { clusterName = "" } }: ProjectCall,
  path: ListingPath = "clusters",
): Cluster {
  const cluster = context.store.cluster(project.id, clusterName);
  if (!cluster || !isListedAt(path, cluster)) throw missingCluster(project.id, clusterName);
  return cluster;
}

function isListedAt(path: ListingPath, { listedAt }: Cluster): boolean {
  return listedAt === path || listedAt === "both";
}

function document(
  { context, project }: ProjectCall,
  cluster: Cluster,
  path: ListingPath = "clusters",
): OperationResult {
  return entity(context.documents.cluster(project, cluster, path));
}

function update(
  call: ProjectCall,
  cluster: Cluster,
  requested: Partial<SeedCluster>,
): OperationResult {
  const fields: (keyof SeedCluster)[] = ["provider", "peering", "regions", "additionalRegions"];
  const moved = { ...requested, ...providerMove(cluster, requested) };
  if (fields.some((field) => requested[field] !== undefined)) {
    rejectPeeredRegions(call.project, { ...cluster, ...moved });
  }
  return document(call, call.context.store.updateCluster(call.project.id, cluster.name, moved));
}

/** The fields that a body can set, except for the versions, whose names depend on the settings. */
const bodySchema = z
  .object({
    clusterType: shape.type.unwrap(),
    tier: shape.tier.unwrap(),
    providerSettings: z
      .object({ providerName: z.string(), regionNames: z.array(z.string()) })
      .partial(),
    additionalRegions: shape.additionalRegions.unwrap(),
    networkPeering: shape.peering.unwrap(),
    privateEndpoints: z.array(privateEndpointSchema).max(100),
    regionalizedPrivateEndpoints: shape.regionalizedPrivateEndpoints.unwrap(),
    numShards: shape.shards.unwrap(),
    diskSizeGB: shape.diskSizeGB.unwrap(),
    paused: shape.paused.unwrap(),
  })
  .partial();

/** A valid body. */
type Body = Readonly<Record<string, unknown>>;

/** The schema of a body that updates a cluster. */
function changeSchema({ fieldPrefix, profile }: Settings) {
  const providerSettings = z.strictObject({
    providerName: z.enum(Object.values(providerNames[profile])),
    regionNames: z.array(regionNameSchemas[profile]).min(1).max(20),
  });
  return z.strictObject({
    ...bodySchema.shape,
    providerSettings: providerSettings.partial().optional(),
    [`${fieldPrefix}Version`]: versionSchema.optional(),
    [`${fieldPrefix}MajorVersion`]: majorVersionSchema.optional(),
  });
}

function parseCreation(value: unknown, settings: Settings): SeedCluster {
  const schema = changeSchema(settings).extend({ name: nameSchema });
  const body = parseBody(schema, value, readOnlyFields);
  return { ...toSeed(body, settings), name: nameSchema.parse(body.name) };
}

/** Returns only the fields in the body. */
function parseChange(value: unknown, settings: Settings): Partial<SeedCluster> {
  return toSeed(parseBody(changeSchema(settings), value, readOnlyFields), settings);
}

/** Returns all fields that a body can set; those missing in the body have their defaults. */
function parseReplacement(value: unknown, settings: Settings, name: string): Partial<SeedCluster> {
  const schema = changeSchema(settings).extend({ name: nameSchema.optional() });
  const body = parseBody(schema, value, readOnlyFields);
  if (body.name !== undefined && body.name !== name) {
    throw invalidAttribute("Invalid body. name: cannot be changed", "name");
  }
  const complete: Readonly<Record<string, unknown>> = clusterSchema.parse({
    ...toSeed(body, settings),
    name,
  });
  const keys = Object.keys(fieldsOf(body, settings));
  return clusterChangeSchema.parse(Object.fromEntries(keys.map((key) => [key, complete[key]])));
}

/** Converts a body to the format of the seed, with only the fields in the body. */
function toSeed(body: Body, settings: Settings): Partial<SeedCluster> {
  const fields = Object.entries(fieldsOf(body, settings));
  const present = fields.filter(([, value]) => value !== undefined);
  return clusterChangeSchema.parse(Object.fromEntries(present));
}

/** Returns all fields of the seed that a body can set; undefined for those missing in the body. */
function fieldsOf(body: Body, { fieldPrefix, profile }: Settings) {
  const fields = bodySchema.parse(body);
  const { providerName, regionNames } = fields.providerSettings ?? {};
  return {
    version: versionOf(body, fieldPrefix),
    type: fields.clusterType,
    tier: fields.tier,
    provider: cloudProviders.find((provider) => providerNames[profile][provider] === providerName),
    regions: regionNames?.map((name) => name.toLowerCase().replaceAll("_", "-")),
    additionalRegions: fields.additionalRegions,
    peering: fields.networkPeering,
    privateEndpoints: fields.privateEndpoints,
    regionalizedPrivateEndpoints: fields.regionalizedPrivateEndpoints,
    shards: fields.numShards,
    diskSizeGB: fields.diskSizeGB,
    paused: fields.paused,
  } satisfies Partial<SeedCluster>;
}

/** Returns the full version of a body, with patch 0 if the body has only the major version. */
function versionOf(body: Body, prefix: string): string | undefined {
  const version = versionSchema.optional().parse(body[`${prefix}Version`]);
  const major = majorVersionSchema.optional().parse(body[`${prefix}MajorVersion`]);
  if (version === undefined) return major === undefined ? undefined : `${major}.0`;
  if (major === undefined || majorVersion(version) === major) return version;
  const names = [`${prefix}MajorVersion`, `${prefix}Version`];
  throw invalidAttribute(`Invalid body. ${names.join(" and ")} contradict each other`, ...names);
}

/** The fields of a cluster that the rule depends on. */
type RegionFields = Pick<SeedCluster, "provider" | "peering" | "regions" | "additionalRegions">;

/** Checks the cluster that results from a creation, an update or a replacement. */
function rejectPeeredRegions(project: Project, cluster: RegionFields): void {
  if (!project.privateIpMode.enabled || !isPeeredAcrossRegions(cluster)) return;
  throw new ServiceError(
    400,
    "PRIVATE_IP_MODE_ENABLED",
    "A peered cluster in provider B can span several regions only if private IP mode of its project is disabled.",
    ["providerSettings.regionNames"],
  );
}

/** Checks the clusters of a project before private IP mode is enabled. */
export function rejectModeWithPeeredRegions(project: Project): void {
  const names = project.clusters.filter(isPeeredAcrossRegions).map(({ name }) => name);
  if (names.length === 0) return;
  throw new ServiceError(
    400,
    "CANNOT_UPDATE_PRIVATE_IP_MODE",
    `Private IP mode cannot be enabled while peered clusters in provider B span several regions: ${names.join(", ")}.`,
    names,
  );
}

function isPeeredAcrossRegions({
  provider = "A",
  peering = false,
  regions = [],
  additionalRegions = [],
}: RegionFields): boolean {
  const inB = regionsOf({ provider, regions, additionalRegions }).filter(
    (region) => region.provider === "B",
  );
  return peering && inB.length > 1;
}

/** Dedicated clusters created before then in providers B and C move in two steps. */
const twoStepsBefore = Date.parse("2020-11-03T00:00:00Z");

/** The second of two steps to another provider replaces the nodes, and so the host list; no other move does. */
function providerMove(
  cluster: Cluster,
  { provider, additionalRegions = cluster.additionalRegions }: Partial<SeedCluster>,
): Partial<SeedCluster> {
  const needsTwoSteps =
    cluster.tier === "DEDICATED" &&
    cluster.provider !== "A" &&
    Date.parse(cluster.createdAt) < twoStepsBefore;
  if (provider === undefined || provider === cluster.provider || !needsTwoSteps) return {};
  if (
    !cluster.additionalRegions.some((region) => region.readOnly && region.provider === provider)
  ) {
    throw new ServiceError(
      400,
      "PROVIDER_CHANGE_NEEDS_READ_ONLY_NODES",
      `A cluster in provider ${cluster.provider} that was created before 3 November 2020 moves in two steps: ` +
        `first add a read-only node in provider ${provider} to additionalRegions, then change the provider.`,
      ["providerSettings.providerName"],
    );
  }
  return {
    additionalRegions: additionalRegions.filter(
      (region) => !(region.readOnly && region.provider === provider),
    ),
    firstNode: cluster.firstNode + cluster.nodes + cluster.additionalRegions.length,
  };
}
