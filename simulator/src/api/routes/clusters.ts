// The clusters of a project.
import { ServiceError } from "../../errors";
import type { SeedCluster, StringKind } from "../../seed";
import type { Cluster } from "../../world/cluster";
import { missingCluster } from "../../world/store";
import {
  changeSchema,
  creationSchema,
  parseChange,
  parseCreation,
  parseReplacement,
  replacementSchema,
} from "../clusterBody";
import { type Answer, entity, list, type Operation, type ProjectCall } from "../operation";

const CLUSTERS = "/groups/:projectId/clusters";
const CLUSTER = `${CLUSTERS}/:clusterName`;

export const clusterOperations: Operation[] = [
  {
    name: "listClusters",
    summary: "The clusters of a project",
    method: "GET",
    path: CLUSTERS,
    status: 200,
    answers: "Cluster",
    list: true,
    scope: "project",
    role: "readOnly",
    handle: ({ service, project }) =>
      list(project.clusters, (cluster) => service.documents.clusterElement(project, cluster)),
  },
  {
    name: "getCluster",
    summary: "A cluster",
    method: "GET",
    path: CLUSTER,
    status: 200,
    answers: "Cluster",
    list: false,
    scope: "project",
    role: "readOnly",
    handle: (call) => document(call, clusterOf(call)),
  },
  {
    name: "createCluster",
    summary: "Creates a cluster, which is CREATING for a while",
    method: "POST",
    path: CLUSTERS,
    status: 201,
    answers: "Cluster",
    body: creationSchema,
    list: false,
    scope: "project",
    role: "owner",
    handle: (call) => {
      const { store, clock, settings } = call.service;
      const cluster = store.addCluster(call.project.id, {
        ...parseCreation(call.body(), settings.fieldPrefix),
        createdAt: new Date(clock.now()).toISOString(),
        state: "CREATING",
        readyInSeconds: settings.creationSeconds,
      });
      return document(call, cluster);
    },
  },
  {
    name: "updateCluster",
    summary: "Changes the given fields of a cluster",
    method: "PATCH",
    path: CLUSTER,
    status: 200,
    answers: "Cluster",
    body: changeSchema,
    list: false,
    scope: "project",
    role: "owner",
    handle: (call) => {
      const cluster = clusterOf(call);
      return change(call, cluster, parseChange(call.body(), call.service.settings.fieldPrefix));
    },
  },
  {
    name: "replaceCluster",
    summary: "Replaces a cluster's fields; those not given get their defaults",
    method: "PUT",
    path: CLUSTER,
    status: 200,
    answers: "Cluster",
    body: replacementSchema,
    list: false,
    scope: "project",
    role: "owner",
    handle: (call) => {
      const cluster = clusterOf(call);
      const { fieldPrefix } = call.service.settings;
      return change(call, cluster, parseReplacement(call.body(), fieldPrefix, cluster.name));
    },
  },
  {
    name: "deleteCluster",
    summary: "Begins to delete a cluster",
    method: "DELETE",
    path: CLUSTER,
    status: 202,
    answers: "Cluster",
    list: false,
    scope: "project",
    role: "owner",
    handle: (call) => {
      const { store, clock, settings } = call.service;
      const at = clock.now() + settings.deletionSeconds * 1000;
      const { name, pendingStrings } = clusterOf(call);
      const cluster = store.updateCluster(call.project.id, name, {
        state: "DELETING",
        pendingStrings: [...pendingStrings],
        transitions: [{ at, state: "GONE", pendingStrings: [...pendingStrings] }],
      });
      return document(call, cluster);
    },
  },
];

function clusterOf({ service, project, parameters: { clusterName = "" } }: ProjectCall): Cluster {
  const cluster = service.store.cluster(project.id, clusterName);
  if (!cluster) throw missingCluster(project.id, clusterName);
  return cluster;
}

function document({ service, project }: ProjectCall, cluster: Cluster): Answer {
  return entity(service.documents.cluster(project, cluster));
}

function change(call: ProjectCall, cluster: Cluster, asked: Partial<SeedCluster>): Answer {
  refuseRegionsUnderPeeringOnlyMode(call, cluster, asked);
  const { store, settings } = call.service;
  const updating: Partial<SeedCluster> =
    settings.updateSeconds > 0 && cluster.state === "IDLE"
      ? {
          state: "UPDATING",
          readyInSeconds: settings.updateSeconds,
          pendingStrings: newKinds(cluster, asked),
        }
      : {};
  return document(
    call,
    store.updateCluster(call.project.id, cluster.name, { ...asked, ...updating }),
  );
}

/** The kinds of string that a change brings, and that are missing while the cluster is UPDATING. */
function newKinds(cluster: Cluster, asked: Partial<SeedCluster>): StringKind[] {
  const kinds: StringKind[] = [];
  if (asked.peering && !cluster.peering) kinds.push("private");
  if (asked.privateEndpoints?.length && cluster.privateEndpoints.length === 0) {
    kinds.push("privateEndpoint");
  }
  return kinds;
}

/** Service document 2.6 rule 11. */
function refuseRegionsUnderPeeringOnlyMode(
  { project }: ProjectCall,
  cluster: Cluster,
  asked: Partial<SeedCluster>,
): void {
  const { provider = cluster.provider, peering = cluster.peering } = asked;
  const { regions = cluster.regions } = asked;
  const growing = regions.length > 1 && cluster.regions.length === 1;
  if (!growing || provider !== "B" || !peering || !project.privateIpMode.enabled) return;
  throw new ServiceError(
    400,
    "PRIVATE_IP_MODE_ENABLED",
    "A peered cluster in provider B can span several regions only after private IP mode of its project is disabled.",
    ["providerSettings.regionNames"],
  );
}
