/** Operations on the clusters of a project. */
import {
  entity,
  list,
  type Operation,
  type OperationResult,
  type ProjectCall,
} from "../api/operation";
import type { SeedCluster } from "../seed/clusterFormat";
import { isoDate } from "../seed/dates";
import type { StringKind } from "../seed/clusterFormat";
import type { Cluster } from "../store/cluster";
import { missingCluster } from "../store/serviceError";
import {
  changeSchema,
  creationSchema,
  parseChange,
  parseCreation,
  parseReplacement,
  replacementSchema,
} from "./clusterBody";
import { rejectPeeredRegions } from "./peeredRegions";
import { providerMove } from "./providerMove";

const clustersPath = "/groups/:projectId/clusters";
const clusterPath = `${clustersPath}/:clusterName`;

/** Operations on clusters. */
export const clusterOperations: Operation[] = [
  {
    name: "listClusters",
    summary: "Lists the clusters of a project",
    method: "GET",
    path: clustersPath,
    status: 200,
    entityName: "Cluster",
    list: true,
    scope: "project",
    role: "readOnly",
    handle: ({ service, project }) => ({
      ...list(project.clusters, (cluster) => service.documents.clusterElement(project, cluster)),
      unchangedItems: project.clusters,
    }),
  },
  {
    name: "getCluster",
    summary: "Returns a cluster",
    method: "GET",
    path: clusterPath,
    status: 200,
    entityName: "Cluster",
    list: false,
    scope: "project",
    role: "readOnly",
    handle: (call) => document(call, clusterOf(call)),
  },
  {
    name: "createCluster",
    summary: "Creates a cluster, which is CREATING at first",
    method: "POST",
    path: clustersPath,
    status: 201,
    entityName: "Cluster",
    body: creationSchema,
    list: false,
    scope: "project",
    role: "owner",
    handle: (call) => {
      const { store, clock, settings } = call.service;
      const requested = parseCreation(call.body(), settings.fieldPrefix);
      rejectPeeredRegions(call.project, requested);
      const cluster = store.addCluster(call.project.id, {
        ...requested,
        createdAt: isoDate(clock.now()),
        state: "CREATING",
        readyInSeconds: settings.creationSeconds,
      });
      return document(call, cluster);
    },
  },
  {
    name: "updateCluster",
    summary: "Updates the fields of a cluster that the body contains",
    method: "PATCH",
    path: clusterPath,
    status: 200,
    entityName: "Cluster",
    body: changeSchema,
    list: false,
    scope: "project",
    role: "owner",
    handle: (call) => {
      const cluster = clusterOf(call);
      return update(call, cluster, parseChange(call.body(), call.service.settings.fieldPrefix));
    },
  },
  {
    name: "replaceCluster",
    summary: "Replaces the fields of a cluster; missing fields get their defaults",
    method: "PUT",
    path: clusterPath,
    status: 200,
    entityName: "Cluster",
    body: replacementSchema,
    list: false,
    scope: "project",
    role: "owner",
    handle: (call) => {
      const cluster = clusterOf(call);
      const { fieldPrefix } = call.service.settings;
      return update(call, cluster, parseReplacement(call.body(), fieldPrefix, cluster.name));
    },
  },
  {
    name: "deleteCluster",
    summary: "Starts the deletion of a cluster",
    method: "DELETE",
    path: clusterPath,
    status: 202,
    entityName: "Cluster",
    list: false,
    scope: "project",
    role: "owner",
    handle: (call) => {
      const { store, clock, settings } = call.service;
      const cluster = clusterOf(call);
      // A repeated DELETE does not delay the deletion.
      if (cluster.transitions.some(({ state }) => state === "GONE")) return document(call, cluster);
      const at = clock.now() + settings.deletionSeconds * 1000;
      const pendingStrings = [...cluster.pendingStrings];
      const deleting = store.updateCluster(call.project.id, cluster.name, {
        state: "DELETING",
        pendingStrings,
        transitions: [{ at, state: "GONE", pendingStrings }],
      });
      return document(call, deleting);
    },
  },
];

function clusterOf({ service, project, parameters: { clusterName = "" } }: ProjectCall): Cluster {
  const cluster = service.store.cluster(project.id, clusterName);
  if (!cluster) throw missingCluster(project.id, clusterName);
  return cluster;
}

function document({ service, project }: ProjectCall, cluster: Cluster): OperationResult {
  return entity(service.documents.cluster(project, cluster));
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
  const { store, settings } = call.service;
  const updating: Partial<SeedCluster> =
    settings.updateSeconds > 0 && ["IDLE", "UPDATING"].includes(cluster.state)
      ? {
          state: "UPDATING",
          readyInSeconds: settings.updateSeconds,
          pendingStrings: [...cluster.pendingStrings, ...newKinds(cluster, requested)],
        }
      : {};
  return document(
    call,
    store.updateCluster(call.project.id, cluster.name, { ...moved, ...updating }),
  );
}

/** Returns the kinds of string that an update adds. They stay pending while the cluster is UPDATING. */
function newKinds(cluster: Cluster, requested: Partial<SeedCluster>): StringKind[] {
  const kinds: StringKind[] = [];
  if (requested.peering && !cluster.peering) kinds.push("private");
  if (requested.privateEndpoints?.length && cluster.privateEndpoints.length === 0) {
    kinds.push("privateEndpoint");
  }
  return kinds;
}
