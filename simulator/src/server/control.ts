/**
 * The control endpoints: give the status page and tests in another process what the library offers. One
 * table declares them.
 */
import { isIPv6 } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { parseBody, parseJson } from "../api/request";
import type { Resolution, Vantage } from "../dns/zone";
import { SeedError, forbidden, invalidAttribute } from "../errors";
import { clusterChangeSchema, clusterSchema } from "../seed/cluster";
import { type SeedProject, privateIpModeSchema, projectSchema } from "../seed/seed";
import { secondsSchema } from "../seed/validation";
import type { Clock } from "../store/clock";
import { type Snapshot, snapshotSchema } from "../store/stateFile";
import type { ProjectControl } from "../store/store";
import { type Fault, type Faults, faultSchema } from "./faults";
import type { RequestLog } from "./requestLog";

/** Functions behind `/control`: see the members of the library with the same names. */
export interface Controls {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  readonly project: (id: string) => ProjectControl;
  readonly addProject: (project: SeedProject) => ProjectControl;
  readonly resolve: (target: string, from?: Vantage) => Resolution | undefined;
  readonly activeTokens: () => number;
  readonly revokeTokens: (clientId?: string) => void;
  readonly snapshot: () => Snapshot;
  readonly restore: (snapshot: Snapshot) => void;
  readonly reset: () => void;
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
  .extend({
    path: z.string().optional(),
    pathPattern: regularExpression.optional(),
    times: z.int().min(1).default(1),
  })
  .transform(({ path, pathPattern, ...fault }) => ({
    ...fault,
    ...(path === undefined && pathPattern === undefined ? {} : { path: pathPattern ?? path }),
  }));

const clockSchema = z.strictObject({ advanceSeconds: secondsSchema });

/** Parameters in the paths and queries of control requests. */
interface Named {
  Params: { projectId: string; name: string; clientId: string };
  Querystring: { target?: string; from?: string };
}

/** A control endpoint. */
interface ControlRoute {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Path below `/control`, with `:name` for parameters. */
  readonly path: string;
  readonly summary: string;
  readonly handle: (request: FastifyRequest<Named>) => unknown;
}

/** Creates an endpoint without a body. */
function route(
  method: ControlRoute["method"],
  path: string,
  summary: string,
  handle: ControlRoute["handle"],
): ControlRoute {
  return { method, path, summary, handle };
}

/** Creates an endpoint with a body. */
function routeWithBody<S extends z.ZodType>(
  method: ControlRoute["method"],
  path: string,
  summary: string,
  body: S,
  handle: (body: z.output<S>, parameters: Named["Params"]) => unknown,
): ControlRoute {
  return {
    method,
    path,
    summary,
    handle: (request) => handle(controlBody(request, body), request.params),
  };
}

function controlRoutes(controls: Controls): ControlRoute[] {
  const { clock, faults, requestLog, project, snapshot } = controls;
  const pending = () => ({ pending: faults.pending.length });
  const now = () => ({ now: new Date(clock.now()).toISOString() });
  const oneProject = "/projects/:projectId";
  const oneCluster = `${oneProject}/clusters/:name`;
  return [
    route("GET", "/projects", "Returns all projects in the format of the seed", () => ({
      projects: snapshot().projects,
    })),
    routeWithBody("POST", "/projects", "Adds a project", projectSchema, (body) =>
      describe(controls.addProject(body)),
    ),
    route("GET", oneProject, "Returns a project", ({ params }) =>
      describe(project(params.projectId)),
    ),
    routeWithBody(
      "PATCH",
      `${oneProject}/privateIpMode`,
      "Sets private IP mode, even if a version is too low",
      privateIpModeSchema,
      ({ enabled }, { projectId }) => {
        project(projectId).setPrivateIpMode(enabled);
        return { enabled };
      },
    ),
    routeWithBody(
      "POST",
      `${oneProject}/clusters`,
      "Adds a cluster",
      clusterSchema,
      (body, { projectId }) => project(projectId).addCluster(body),
    ),
    route("GET", oneCluster, "Returns a cluster", ({ params }) =>
      project(params.projectId).cluster(params.name),
    ),
    routeWithBody(
      "PATCH",
      oneCluster,
      "Changes the fields of a cluster that the body contains",
      clusterChangeSchema,
      (body, { projectId, name }) => project(projectId).updateCluster(name, body),
    ),
    route("DELETE", oneCluster, "Removes a cluster immediately", ({ params }) => {
      project(params.projectId).removeCluster(params.name);
    }),
    route("GET", "/faults", "Returns the faults that still apply", () => ({
      faults: faults.pending.map(toRemoteFault),
    })),
    routeWithBody("POST", "/faults", "Injects faults", z.array(remoteFaultSchema), (body) => {
      faults.push(...body);
      return pending();
    }),
    route("DELETE", "/faults", "Removes all faults", () => {
      faults.clear();
      return pending();
    }),
    route("GET", "/clock", "Returns the simulated time", now),
    routeWithBody("POST", "/clock", "Advances the clock", clockSchema, ({ advanceSeconds }) => {
      clock.advanceSeconds(advanceSeconds);
      return now();
    }),
    route("GET", "/requests", "Returns the received requests", () => ({
      requests: requestLog.requests,
    })),
    route("GET", "/tokens", "Returns the number of access tokens that can be used", () => ({
      active: controls.activeTokens(),
    })),
    route("DELETE", "/tokens", "Revokes all access tokens", () => {
      controls.revokeTokens();
    }),
    route("DELETE", "/tokens/:clientId", "Revokes those of one service account", ({ params }) => {
      controls.revokeTokens(params.clientId);
    }),
    route(
      "GET",
      "/resolve",
      "Resolves a connection string as the DNS would; null if no cluster has its host name",
      ({ query: { target = "", from = "internet" } }) => {
        const vantage = parseBody(vantageSchema, from);
        return { resolution: controls.resolve(target, vantage) ?? null };
      },
    ),
    route("GET", "/snapshot", "Returns the projects and the time", snapshot),
    routeWithBody("PUT", "/snapshot", "Restores a snapshot", snapshotSchema, (body) => {
      controls.restore(body);
    }),
    routeWithBody("POST", "/reset", "Restores the seed", z.strictObject({}), () => {
      controls.reset();
    }),
  ];
}

const vantageSchema = z.enum(["internet", "peeredNetwork"]);

function describe({ id, name, privateIpMode, clusters }: ProjectControl) {
  return { id, name, privateIpMode, clusters };
}

/** Converts a fault to the format in which `POST /control/faults` accepts it. */
function toRemoteFault({ path, ...fault }: Fault) {
  if (path === undefined) return fault;
  return { ...fault, ...(typeof path === "string" ? { path } : { pathPattern: path.source }) };
}

/** The longest snapshot, in bytes. */
const maxBody = 64 * 1024 * 1024;

/** Adds the control endpoints, and an index at `/control`. */
export function serveControl(app: FastifyInstance, controls: Controls): void {
  const routes = controlRoutes(controls);
  app.register(
    (scope, _options, done) => {
      scope.addHook("onRequest", (request, _reply, next) => {
        requireLoopback(request);
        next();
      });
      for (const { method, path, handle } of routes) {
        scope.route<Named>({
          method,
          url: path,
          bodyLimit: maxBody,
          handler: async (request, reply) => {
            const result = answer(() => handle(request)) ?? {};
            const isCreated = method === "POST" && /(?:projects|clusters)$/.test(path);
            return reply.code(isCreated ? 201 : 200).send(result);
          },
        });
      }
      scope.get("/", () => ({
        endpoints: routes.map(({ method, path, summary }) => ({
          method,
          path: `/control${path}`,
          summary,
        })),
      }));
      done();
    },
    { prefix: "/control" },
  );
}

/** Handles a request; data that conflicts with other data, or a time that is too late, gets a 400. */
function answer(handle: () => unknown): unknown {
  try {
    return handle();
  } catch (error) {
    if (!(error instanceof SeedError || error instanceof RangeError)) throw error;
    throw invalidAttribute(error.message);
  }
}

/**
 * Parses the body of a control request. Requires the JSON content type, which an HTML form on another
 * website cannot send.
 */
function controlBody<S extends z.ZodType>(request: FastifyRequest<Named>, schema: S): z.output<S> {
  return parseBody(schema, parseJson(request.headers["content-type"], request.body));
}

/** Checks that a request comes from this machine and names it as the host. */
export function requireLoopback(request: FastifyRequest): void {
  if (isLoopback(request.ip) && isLoopback(request.hostname.replace(/^\[|\]$/g, ""))) return;
  throw forbidden(
    "This resource is available only from the same machine, as localhost or a loopback address.",
  );
}

/** Returns whether a host name or IP address is `localhost` or a loopback address. */
function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const plain = host.replace(/^::ffff:/, "");
  return isIPv6(plain) ? plain === "::1" : /^127\.\d+\.\d+\.\d+$/.test(plain);
}
