// The clusters of a project.
import { missingCluster } from "../../world/store";
import { entity, list, type Operation } from "../operation";

export const clusterOperations: Operation[] = [
  {
    name: "listClusters",
    method: "GET",
    path: "/groups/:projectId/clusters",
    list: true,
    scope: "project",
    role: "readOnly",
    handle: ({ service, project }) =>
      list(project.clusters, (cluster) => service.documents.clusterElement(project, cluster)),
  },
  {
    name: "getCluster",
    method: "GET",
    path: "/groups/:projectId/clusters/:clusterName",
    list: false,
    scope: "project",
    role: "readOnly",
    handle: ({ service, project, parameters: { clusterName = "" } }) => {
      const cluster = service.store.cluster(project.id, clusterName);
      if (!cluster) throw missingCluster(project.id, clusterName);
      return entity(service.documents.cluster(project, cluster));
    },
  },
];
