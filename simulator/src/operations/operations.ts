/** All operations of the API. */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { type Operation, entity, list } from "../api/operation";
import { parseBody } from "../api/request";
import { roleIn, roleInOrganization } from "../authentication/authentication";
import { ServiceError, conflict, forbidden } from "../errors";
import { privateIpModeSchema } from "../seed/seed";
import { idSchema } from "../seed/validation";
import type { Cluster } from "../store/cluster";
import type { Project } from "../store/projects";
import { clusterOperations, rejectModeWithPeeredRegions } from "./clusters";

const rootOperations: Operation[] = [
  {
    name: "getRoot",
    method: "GET",
    path: "",
    handle: ({ context }) => entity(context.documents.root()),
  },
];

const name = z
  .string()
  .regex(/^[\w.() ,:&@+'-]{1,64}$/, "must be 1 to 64 letters, digits, spaces and _.(),:&@+'-");

const projectCreationSchema = z.strictObject({ name, orgId: idSchema.optional() });
const projectChangeSchema = z.strictObject({ name: name.optional() });

const readOnlyFields = ["id", "created", "clusterCount", "links"];
const groupsPath = "/groups";
const groupPath = `${groupsPath}/:projectId`;

const projectOperations: Operation[] = [
  {
    name: "listProjects",
    method: "GET",
    path: groupsPath,
    list: true,
    handle: ({ context, principal }) =>
      list(
        context.store.projects().filter((project) => roleIn(principal, project)),
        (project) => context.documents.listedProject(project),
      ),
  },
  {
    name: "createProject",
    method: "POST",
    path: groupsPath,
    status: 201,
    handle: ({ context, principal, body }) => {
      if (roleInOrganization(principal) !== "owner") {
        throw forbidden("Only an owner of the organization can create projects.");
      }
      const { orgId, name } = parseBody(projectCreationSchema, body(), readOnlyFields);
      if (orgId !== undefined && orgId !== principal.organization.id) {
        throw forbidden(`This credential has no role in organization ${orgId}.`, orgId);
      }
      const project = context.store.addProject({
        id: randomBytes(12).toString("hex"),
        name,
        organization: principal.organization.name,
      });
      return entity(context.documents.project(project));
    },
  },
  {
    name: "getProject",
    method: "GET",
    path: groupPath,
    role: "readOnly",
    handle: ({ context, project }) => entity(context.documents.project(project)),
  },
  {
    name: "updateProject",
    method: "PATCH",
    path: groupPath,
    role: "owner",
    handle: ({ context, project, body }) => {
      const { name = project.name } = parseBody(projectChangeSchema, body(), [
        ...readOnlyFields,
        "orgId",
      ]);
      return entity(context.documents.project(context.store.renameProject(project.id, name)));
    },
  },
  {
    name: "deleteProject",
    method: "DELETE",
    path: groupPath,
    role: "owner",
    handle: ({ context, project }) => {
      if (project.clusters.length > 0) {
        const detail = `Project ${project.id} still has clusters; delete them first.`;
        throw conflict("PROJECT_HAS_CLUSTERS", detail, project.id);
      }
      context.store.removeProject(project.id);
      return entity(context.documents.project(project));
    },
  },
];

/** The version that every cluster must run before private IP mode can be disabled (service document 3). */
export const minimumVersion = "7.0";

const privateIpModeOperations: Operation[] = [
  {
    name: "getPrivateIpMode",
    method: "GET",
    path: "/groups/:projectId/privateIpMode",
    role: "readOnly",
    handle: ({ context, project }) => entity(context.documents.privateIpMode(project)),
  },
  {
    name: "updatePrivateIpMode",
    method: "PATCH",
    path: "/groups/:projectId/privateIpMode",
    role: "owner",
    handle: ({ context, project, body }) => {
      const { enabled } = parseBody(privateIpModeSchema, body());
      if (!enabled && project.privateIpMode.enabled) rejectOldClusters(project);
      if (enabled && !project.privateIpMode.enabled) rejectModeWithPeeredRegions(project);
      context.store.setPrivateIpMode(project.id, enabled);
      return entity(context.documents.privateIpMode({ ...project, privateIpMode: { enabled } }));
    },
  },
];

/** Returns the clusters that prevent disabling private IP mode. Pre-releases of the minimum version are below it. */
export function clustersBelowMinimum({ clusters }: Project): readonly Cluster[] {
  return clusters.filter(
    ({ version }) =>
      version.localeCompare(minimumVersion, "en", { numeric: true }) < 0 ||
      version.startsWith(`${minimumVersion}.0-`),
  );
}

/** Throws if a cluster runs a version below the minimum. */
function rejectOldClusters(project: Project): void {
  const oldClusters = clustersBelowMinimum(project);
  if (oldClusters.length === 0) return;
  const names = oldClusters.map(({ name, version }) => `${name} (${version})`);
  throw new ServiceError(
    400,
    "CANNOT_UPDATE_PRIVATE_IP_MODE",
    `Private IP mode can be disabled only if all clusters run version ${minimumVersion} or later. Older clusters: ${names.join(", ")}.`,
    names,
  );
}

export const operations: readonly Operation[] = [
  ...rootOperations,
  ...projectOperations,
  ...clusterOperations,
  ...privateIpModeOperations,
];
