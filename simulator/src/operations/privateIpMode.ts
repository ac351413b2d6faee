/** Operations on private IP mode, and the condition for a disable (service document 3). */
import { parseBody } from "../api/body";
import { entity, type Operation } from "../api/operation";
import { privateIpModeSchema } from "../seed/projectSchema";
import type { Cluster } from "../store/cluster";
import type { Project } from "../store/project";
import { ServiceError } from "../store/serviceError";
import { rejectModeWithPeeredRegions } from "./peeredRegions";

/** Operations on private IP mode. */
export const privateIpModeOperations: Operation[] = [
  {
    name: "getPrivateIpMode",
    summary: "Returns private IP mode of a project",
    method: "GET",
    path: "/groups/:projectId/privateIpMode",
    status: 200,
    entityName: "PrivateIpMode",
    list: false,
    scope: "project",
    role: "readOnly",
    handle: ({ service, project }) => entity(service.documents.privateIpMode(project)),
  },
  {
    name: "updatePrivateIpMode",
    summary:
      "Enables or disables private IP mode; a disable requires version 7.0 or later in all clusters",
    method: "PATCH",
    path: "/groups/:projectId/privateIpMode",
    status: 200,
    entityName: "PrivateIpMode",
    body: () => privateIpModeSchema,
    list: false,
    scope: "project",
    role: "owner",
    handle: ({ service, project, body }) => {
      const { enabled } = parseBody(privateIpModeSchema, body());
      if (!enabled && project.privateIpMode.enabled) rejectOldClusters(project);
      if (enabled && !project.privateIpMode.enabled) rejectModeWithPeeredRegions(project);
      service.store.setPrivateIpMode(project.id, enabled);
      return entity(service.documents.privateIpMode({ ...project, privateIpMode: { enabled } }));
    },
  },
];

/**
 * Returns the clusters that prevent a disable of private IP mode: those with a version before 7.0.
 * Pre-releases of 7.0.0 are before 7.0.
 *
 * @param project the project
 * @returns the clusters, in the order of their creation
 */
export function clustersBefore7({ clusters }: Project): readonly Cluster[] {
  return clusters.filter(
    ({ version }) => Number.parseInt(version, 10) < 7 || version.startsWith("7.0.0-"),
  );
}

/** Throws if a cluster runs a version before 7.0. */
function rejectOldClusters(project: Project): void {
  const oldClusters = clustersBefore7(project);
  if (oldClusters.length === 0) return;
  const names = oldClusters.map(({ name, version }) => `${name} (${version})`);
  throw new ServiceError(
    400,
    "CANNOT_UPDATE_PRIVATE_IP_MODE",
    `Private IP mode can be disabled only if all clusters run version 7.0 or later. Older clusters: ${names.join(", ")}.`,
    names,
  );
}
