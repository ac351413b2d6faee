// The private IP mode of a project, and the condition for turning it off (service document 3).
import { z } from "zod";
import { ServiceError } from "../../errors";
import type { Project } from "../../world/store";
import { parseBody } from "../body";
import { entity, type Operation } from "../operation";

export const privateIpModeSchema = z.strictObject({ enabled: z.boolean() });

export const privateIpModeOperations: Operation[] = [
  {
    name: "getPrivateIpMode",
    summary: "The private IP mode of a project",
    method: "GET",
    path: "/groups/:projectId/privateIpMode",
    status: 200,
    answers: "PrivateIpMode",
    list: false,
    scope: "project",
    role: "readOnly",
    handle: ({ service, project }) => entity(service.documents.privateIpMode(project)),
  },
  {
    name: "updatePrivateIpMode",
    summary: "Enables or disables private IP mode; disabling needs every cluster at 7.0 or later",
    method: "PATCH",
    path: "/groups/:projectId/privateIpMode",
    status: 200,
    answers: "PrivateIpMode",
    body: () => privateIpModeSchema,
    list: false,
    scope: "project",
    role: "owner",
    handle: ({ service, project, body }) => {
      const { enabled } = parseBody(privateIpModeSchema, body());
      if (!enabled && project.privateIpMode.enabled) refuseOldClusters(project);
      service.store.setPrivateIpMode(project.id, enabled);
      return entity(service.documents.privateIpMode({ ...project, privateIpMode: { enabled } }));
    },
  },
];

/** All clusters have to run 7.0 or later; a pre-release of 7.0.0 comes before it. */
function refuseOldClusters(project: Project): void {
  const old = project.clusters.filter(
    ({ version }) => Number.parseInt(version, 10) < 7 || version.startsWith("7.0.0-"),
  );
  if (old.length === 0) return;
  const names = old.map(({ name, version }) => `${name} (${version})`);
  throw new ServiceError(
    400,
    "CANNOT_UPDATE_PRIVATE_IP_MODE",
    `Private IP mode can be disabled only when all clusters run version 7.0 or later. Below it: ${names.join(", ")}.`,
    names,
  );
}
