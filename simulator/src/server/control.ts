/** The control endpoints: give the status page and tests in another process what the library offers. */
import { isIPv6 } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { parseJson } from "../api/request";
import { SeedError, forbidden, invalidAttribute } from "../errors";
import { clusterChangeSchema, clusterSchema } from "../seed/cluster";
import { type SeedProject, privateIpModeSchema, projectSchema } from "../seed/seed";
import { parse, secondsSchema } from "../seed/validation";
import type { Clock } from "../store/clock";
import type { ProjectControl } from "../store/store";
import { sendError } from "./errorResponses";
import { type Fault, type Faults, faultSchema } from "./faults";
import type { RequestLog } from "./requestLog";

/** Functions behind `/control`: see the members of the library with the same names. */
export interface Controls {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly requestLog: RequestLog;
  /** Returns all projects in the format of the seed. */
  readonly projects: () => SeedProject[];
  readonly project: (id: string) => ProjectControl;
  readonly addProject: (project: SeedProject) => ProjectControl;
  readonly removeProject: (id: string) => void;
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

interface InProject {
  Params: { projectId: string };
}

interface OnCluster {
  Params: { projectId: string; name: string };
}

/** Adds the control endpoints. */
export function serveControl(app: FastifyInstance, controls: Controls): void {
  app.register(
    (scope, _options, done) => {
      scope.addHook("onRequest", (request, _reply, next) => {
        requireLoopback(request);
        next();
      });
      scope.setErrorHandler((error, request, reply) => {
        const isInvalid = error instanceof SeedError;
        sendError(isInvalid ? invalidAttribute(error.message) : error, request, reply);
      });
      serveProjects(scope, controls);
      serveClusters(scope, controls);
      serveTestTools(scope, controls);
      done();
    },
    { prefix: "/control" },
  );
}

function serveProjects(scope: FastifyInstance, controls: Controls): void {
  scope.get("/projects", () => ({ projects: controls.projects() }));
  scope.post("/projects", (request, reply) =>
    reply.code(201).send(describe(controls.addProject(bodyOf(request, projectSchema)))),
  );
  scope.get<InProject>("/projects/:projectId", ({ params }) =>
    describe(controls.project(params.projectId)),
  );
  scope.delete<InProject>("/projects/:projectId", ({ params }) => {
    controls.removeProject(params.projectId);
    return {};
  });
  scope.patch<InProject>("/projects/:projectId/privateIpMode", (request) => {
    const { enabled } = bodyOf(request, privateIpModeSchema);
    controls.project(request.params.projectId).setPrivateIpMode(enabled);
    return { enabled };
  });
}

function serveClusters(scope: FastifyInstance, { project }: Controls): void {
  const clusters = "/projects/:projectId/clusters";
  scope.post<InProject>(clusters, (request, reply) => {
    const added = project(request.params.projectId).addCluster(bodyOf(request, clusterSchema));
    return reply.code(201).send(added);
  });
  scope.get<OnCluster>(`${clusters}/:name`, ({ params }) =>
    project(params.projectId).cluster(params.name),
  );
  scope.put<OnCluster>(`${clusters}/:name`, (request) => {
    const { projectId, name } = request.params;
    return project(projectId).replaceCluster(name, bodyOf(request, clusterSchema));
  });
  scope.patch<OnCluster>(`${clusters}/:name`, (request) => {
    const { projectId, name } = request.params;
    return project(projectId).updateCluster(name, bodyOf(request, clusterChangeSchema));
  });
  scope.delete<OnCluster>(`${clusters}/:name`, ({ params }) => {
    project(params.projectId).removeCluster(params.name);
    return {};
  });
}

/** Adds the endpoints of faults, the clock, the request log and the reset. */
function serveTestTools(scope: FastifyInstance, controls: Controls): void {
  const { clock, faults, requestLog } = controls;
  const pending = () => ({ pending: faults.pending.length });
  const now = () => ({ now: new Date(clock.now()).toISOString() });
  scope.get("/faults", () => ({ faults: faults.pending.map(toRemoteFault) }));
  scope.post("/faults", (request) => {
    faults.push(...bodyOf(request, z.array(remoteFaultSchema)));
    return pending();
  });
  scope.delete("/faults", () => {
    faults.clear();
    return pending();
  });
  scope.get("/clock", now);
  scope.post("/clock", (request) => {
    clock.advanceSeconds(bodyOf(request, clockSchema).advanceSeconds);
    return now();
  });
  scope.get("/requests", () => ({ requests: requestLog.requests }));
  scope.post("/reset", (request) => {
    bodyOf(request, z.strictObject({}));
    controls.reset();
    return {};
  });
}

/** Parses a body. Requires the JSON content type, which an HTML form on another website cannot send. */
function bodyOf<S extends z.ZodType>(
  { headers, body }: Pick<FastifyRequest, "headers" | "body">,
  schema: S,
): z.output<S> {
  return parse(schema, parseJson(headers["content-type"], body), "The body");
}

function describe({ id, name, privateIpMode, clusters }: ProjectControl) {
  return { id, name, privateIpMode, clusters };
}

/** Converts a fault to the format in which `POST /control/faults` accepts it. */
function toRemoteFault({ path, ...fault }: Fault) {
  if (path === undefined) return fault;
  return { ...fault, ...(typeof path === "string" ? { path } : { pathPattern: path.source }) };
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
