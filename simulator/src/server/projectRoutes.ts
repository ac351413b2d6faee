/** The routes of `/control/projects`, which change projects and clusters without the API's checks and delays. */
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { ProjectControl } from "../projectControl";
import { clusterSchema } from "../seed/clusterSchema";
import { privateIpModeSchema } from "../seed/projectSchema";
import { controlBody } from "./controlBody";

/** Functions behind the routes. */
export interface ProjectControls {
  /** Returns a project; throws a ServiceError if there is none with this ID. */
  readonly project: (id: string) => ProjectControl;
  /** Waits until the state file contains all changes. */
  readonly flush: () => Promise<void>;
}

const { shape } = clusterSchema;

/** The fields of a cluster that a change can set. They have no defaults: a missing field is not changed. */
const clusterChangeSchema = z
  .strictObject({
    type: shape.type.unwrap(),
    version: shape.version.unwrap(),
    reported: shape.reported,
    provider: shape.provider.unwrap(),
    regions: shape.regions.unwrap(),
    peering: shape.peering.unwrap(),
    privateEndpoints: shape.privateEndpoints.unwrap(),
    regionalizedPrivateEndpoints: shape.regionalizedPrivateEndpoints.unwrap(),
    state: shape.state.unwrap(),
    readyInSeconds: shape.readyInSeconds,
    pendingStrings: shape.pendingStrings,
    paused: shape.paused.unwrap(),
  })
  .partial();

interface ProjectRoute {
  Params: { projectId: string };
}
interface ClusterRoute {
  Params: { projectId: string; name: string };
}

/**
 * Adds the routes: `PATCH /projects/:projectId/privateIpMode`, `POST /projects/:projectId/clusters`,
 * `PATCH` and `DELETE /projects/:projectId/clusters/:name`.
 *
 * @param scope the server, with the prefix `/control`
 * @param controls access to the projects
 */
export function serveProjectControl(scope: FastifyInstance, controls: ProjectControls): void {
  const { project, flush } = controls;
  scope.patch<ProjectRoute>("/projects/:projectId/privateIpMode", async (request) => {
    const { enabled } = controlBody(request, privateIpModeSchema);
    project(request.params.projectId).setPrivateIpMode(enabled);
    await flush();
    return { enabled };
  });
  scope.post<ProjectRoute>("/projects/:projectId/clusters", async (request, reply) => {
    const seed = controlBody(request, clusterSchema);
    const cluster = project(request.params.projectId).addCluster(seed);
    await flush();
    return reply.code(201).send(cluster);
  });
  scope.patch<ClusterRoute>("/projects/:projectId/clusters/:name", async (request) => {
    const change = controlBody(request, clusterChangeSchema);
    const { projectId, name } = request.params;
    const cluster = project(projectId).updateCluster(name, change);
    await flush();
    return cluster;
  });
  scope.delete<ClusterRoute>("/projects/:projectId/clusters/:name", async (request) => {
    const { projectId, name } = request.params;
    project(projectId).removeCluster(name);
    await flush();
    return {};
  });
}
