/**
 * The control endpoint: gives the status page and tests in another process access to projects, faults,
 * the clock, the request log and resets.
 */
import { isIPv6 } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { parseBody, parseJson } from "../api/request";
import { ServiceError } from "../errors";
import { clusterSchema } from "../seed/cluster";
import { privateIpModeSchema } from "../seed/seed";
import type { Clock } from "../store/clock";
import type { ProjectControl } from "../store/store";
import { type Faults, faultSchema } from "./faults";
import type { RequestLog } from "./requestLog";

/** Functions behind `/control`. */
export interface Controls {
  /** Simulated time. */
  readonly clock: Clock;
  /** Faults to inject. */
  readonly faults: Faults;
  /** Received requests. */
  readonly requestLog: RequestLog;
  /** Revokes all access tokens. */
  readonly revokeTokens: () => void;
  /** Restores the seed. */
  readonly reset: () => void;
  /** Returns a project; throws a ServiceError if there is none with this ID. */
  readonly project: (id: string) => ProjectControl;
  /** Waits until the state file contains all changes. */
  readonly flush: () => Promise<void>;
}

const regularExpression = z.string().transform((source, context) => {
  try {
    return new RegExp(source);
  } catch {
    context.addIssue({ code: "custom", message: "is not a regular expression" });
    return z.NEVER;
  }
});

/** A fault as in the library, except that `pathPattern` contains the regular expression. */
const remoteFaultSchema = faultSchema
  .omit({ path: true })
  .extend({ path: z.string().optional(), pathPattern: regularExpression.optional() })
  .transform(({ path, pathPattern, ...fault }) => ({
    ...fault,
    ...(path === undefined && pathPattern === undefined ? {} : { path: pathPattern ?? path }),
  }));

const clockSchema = z.strictObject({ advanceSeconds: z.number().min(0).max(1e9) });

/**
 * Adds the routes: `POST` and `DELETE /control/faults`, `POST /control/clock`, `GET /control/requests`,
 * `POST /control/reset`, `DELETE /control/tokens`, and those of `/control/projects`.
 */
export function serveControl(app: FastifyInstance, controls: Controls): void {
  const { clock, faults, requestLog } = controls;
  app.register(
    (scope, _options, done) => {
      scope.addHook("onRequest", (request, _reply, next) => {
        requireLoopback(request);
        next();
      });
      scope.post("/faults", (request) => {
        faults.push(...controlBody(request, z.array(remoteFaultSchema)));
        return { pending: faults.pending.length };
      });
      scope.delete("/faults", () => {
        faults.clear();
        return { pending: 0 };
      });
      scope.post("/clock", (request) => {
        clock.advanceSeconds(controlBody(request, clockSchema).advanceSeconds);
        return { now: new Date(clock.now()).toISOString() };
      });
      scope.get("/requests", () => ({ requests: requestLog.requests }));
      scope.post("/reset", async (request) => {
        controlBody(request, z.strictObject({}));
        controls.reset();
        await controls.flush();
        return {};
      });
      scope.delete("/tokens", () => {
        controls.revokeTokens();
        return {};
      });
      serveProjectControl(scope, controls);
      done();
    },
    { prefix: "/control" },
  );
}

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
 */
function serveProjectControl(scope: FastifyInstance, controls: ProjectControls): void {
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

/**
 * Parses the body of a control request. Requires the JSON content type, which an HTML form on another
 * website cannot send.
 */
function controlBody<S extends z.ZodType>(request: FastifyRequest, schema: S): z.output<S> {
  return parseBody(schema, parseJson(request.headers["content-type"], request.body));
}

/** Checks that a request comes from this machine and names it as the host. */
export function requireLoopback(request: FastifyRequest): void {
  if (isLoopback(request.ip) && isLoopback(request.hostname.replace(/^\[|\]$/g, ""))) return;
  throw new ServiceError(
    403,
    "FORBIDDEN",
    "This resource is available only from the same machine, as localhost or a loopback address.",
  );
}

/** Returns whether a host name or IP address is `localhost` or a loopback address. */
function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const plain = host.replace(/^::ffff:/, "");
  return isIPv6(plain) ? plain === "::1" : /^127\.\d+\.\d+\.\d+$/.test(plain);
}
