/** Operations on projects, which are called groups in paths (service document 2.1). */
import { randomBytes } from "node:crypto";
import { z } from "zod";
import { parseBody } from "../api/body";
import { entity, list, type Operation } from "../api/operation";
import { roleIn, roleInOrganization } from "../authentication/principals";
import { idSchema } from "../seed/fields";
import { ServiceError } from "../store/serviceError";

const name = z
  .string()
  .regex(/^[\w.() ,:&@+'-]{1,64}$/, "must be 1 to 64 letters, digits, spaces and _.(),:&@+'-");

/** Body that creates a project. */
const projectCreationSchema = z.strictObject({ name, orgId: idSchema.optional() });
/** Body that updates a project. */
const projectChangeSchema = z.strictObject({ name: name.optional() });
/** Body that replaces a project. */
const projectReplacementSchema = z.strictObject({ name });

const readOnlyFields = ["id", "created", "clusterCount", "links"];
const groupsPath = "/groups";
const groupPath = `${groupsPath}/:projectId`;

/** Operations on projects. */
export const projectOperations: Operation[] = [
  {
    name: "listProjects",
    summary: "Lists the projects in which the caller has a role",
    method: "GET",
    path: groupsPath,
    status: 200,
    entityName: "Project",
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
    path: groupsPath,
    status: 201,
    entityName: "Project",
    body: () => projectCreationSchema,
    list: false,
    scope: "service",
    handle: ({ service, principal, body }) => {
      if (roleInOrganization(principal) !== "owner") {
        throw new ServiceError(
          403,
          "FORBIDDEN",
          "Only an owner of the organization can create projects.",
        );
      }
      const { orgId, name } = parseBody(projectCreationSchema, body(), readOnlyFields);
      if (orgId !== undefined && orgId !== principal.organization.id) {
        throw new ServiceError(
          403,
          "FORBIDDEN",
          `This credential has no role in organization ${orgId}.`,
          [orgId],
        );
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
    summary: "Returns a project",
    method: "GET",
    path: groupPath,
    status: 200,
    entityName: "Project",
    list: false,
    scope: "project",
    role: "readOnly",
    handle: ({ service, project }) => entity(service.documents.project(project)),
  },
  {
    name: "updateProject",
    summary: "Updates the fields of a project that the body contains",
    method: "PATCH",
    path: groupPath,
    status: 200,
    entityName: "Project",
    body: () => projectChangeSchema,
    list: false,
    scope: "project",
    role: "owner",
    handle: ({ service, project, body }) => {
      const { name = project.name } = parseBody(projectChangeSchema, body(), [
        ...readOnlyFields,
        "orgId",
      ]);
      return entity(service.documents.project(service.store.renameProject(project.id, name)));
    },
  },
  {
    name: "replaceProject",
    summary: "Replaces the fields of a project",
    method: "PUT",
    path: groupPath,
    status: 200,
    entityName: "Project",
    body: () => projectReplacementSchema,
    list: false,
    scope: "project",
    role: "owner",
    handle: ({ service, project, body }) => {
      const { name } = parseBody(projectReplacementSchema, body(), [...readOnlyFields, "orgId"]);
      return entity(service.documents.project(service.store.renameProject(project.id, name)));
    },
  },
  {
    name: "deleteProject",
    summary: "Deletes a project that has no clusters",
    method: "DELETE",
    path: groupPath,
    status: 200,
    entityName: "Project",
    list: false,
    scope: "project",
    role: "owner",
    handle: ({ service, project }) => {
      service.store.removeProject(project.id);
      return entity(service.documents.project(project));
    },
  },
];
