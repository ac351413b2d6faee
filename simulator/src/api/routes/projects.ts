// Projects, "groups" in paths (service document 2.1).
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { roleIn, roleInOrganization } from "../../authentication/principals";
import { ServiceError } from "../../errors";
import { idSchema } from "../../seed";
import { parseBody } from "../body";
import { entity, list, type Operation } from "../operation";

const name = z
  .string()
  .regex(/^[\w.() ,:&@+'-]{1,64}$/, "must be 1 to 64 letters, digits, spaces and _.(),:&@+'-");

export const projectCreationSchema = z.strictObject({ name, orgId: idSchema.optional() });
export const projectChangeSchema = z.strictObject({ name: name.optional() });
export const projectReplacementSchema = z.strictObject({ name });

const READ_ONLY = ["id", "created", "clusterCount", "links"];
const GROUPS = "/groups";
const GROUP = `${GROUPS}/:projectId`;

export const projectOperations: Operation[] = [
  {
    name: "listProjects",
    summary: "The projects that the caller has a role in",
    method: "GET",
    path: GROUPS,
    status: 200,
    answers: "Project",
    list: true,
    scope: "service",
    handle: ({ service, principal }) =>
      list(
        service.store.projects().filter((project) => roleIn(principal, project)),
        (project) => service.documents.projectElement(project),
      ),
  },
  {
    name: "createProject",
    summary: "Creates a project in the caller's organization",
    method: "POST",
    path: GROUPS,
    status: 201,
    answers: "Project",
    body: () => projectCreationSchema,
    list: false,
    scope: "service",
    handle: ({ service, principal, body }) => {
      if (roleInOrganization(principal) !== "owner") {
        throw new ServiceError(
          403,
          "FORBIDDEN",
          "Only an owner of the organization can create projects in it.",
        );
      }
      const { orgId, name } = parseBody(projectCreationSchema, body(), READ_ONLY);
      if (orgId !== undefined && orgId !== principal.organization.id) {
        throw new ServiceError(403, "FORBIDDEN", `No role in the organization ${orgId}.`, [orgId]);
      }
      const project = service.store.addProject({
        id: randomBytes(12).toString("hex"),
        name,
        organization: principal.organization.name,
      });
      return entity(service.documents.project(project));
    },
  },
  {
    name: "getProject",
    summary: "A project",
    method: "GET",
    path: GROUP,
    status: 200,
    answers: "Project",
    list: false,
    scope: "project",
    role: "readOnly",
    handle: ({ service, project }) => entity(service.documents.project(project)),
  },
  {
    name: "updateProject",
    summary: "Changes the given fields of a project",
    method: "PATCH",
    path: GROUP,
    status: 200,
    answers: "Project",
    body: () => projectChangeSchema,
    list: false,
    scope: "project",
    role: "owner",
    handle: ({ service, project, body }) => {
      const { name = project.name } = parseBody(projectChangeSchema, body(), [
        ...READ_ONLY,
        "orgId",
      ]);
      return entity(service.documents.project(service.store.renameProject(project.id, name)));
    },
  },
  {
    name: "replaceProject",
    summary: "Replaces a project's fields",
    method: "PUT",
    path: GROUP,
    status: 200,
    answers: "Project",
    body: () => projectReplacementSchema,
    list: false,
    scope: "project",
    role: "owner",
    handle: ({ service, project, body }) => {
      const { name } = parseBody(projectReplacementSchema, body(), [...READ_ONLY, "orgId"]);
      return entity(service.documents.project(service.store.renameProject(project.id, name)));
    },
  },
  {
    name: "deleteProject",
    summary: "Deletes a project that has no clusters",
    method: "DELETE",
    path: GROUP,
    status: 200,
    answers: "Project",
    list: false,
    scope: "project",
    role: "owner",
    handle: ({ service, project }) => {
      service.store.removeProject(project.id);
      return entity(service.documents.project(project));
    },
  },
];
