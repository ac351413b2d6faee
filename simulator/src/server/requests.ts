/** Hooks of requests to the API and the token endpoint: faults, authentication and the request log. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Call, Operation, OperationResult, OperationContext } from "../api/operation";
import { type Query, type RawQuery, parseJson, parseQuery } from "../api/request";
import { renderResult } from "../api/response";
import { roleIn } from "../authentication/authentication";
import { ServiceError, forbidden, missingProject } from "../errors";
import { type Settings, revokePathOf } from "../seed/settings";
import type { Clock } from "../store/clock";
import type { Project } from "../store/projects";
import { type FaultQueue, delayFor, sendFaultResponse, truncateResponse } from "./faults";
import {
  type RequestLog,
  type RequestRecord,
  beginRecord,
  completeRecord,
  pathOf,
  rawQueryOf,
} from "./requestLog";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The name of the operation of a route. */
    operation?: string;
  }

  interface FastifyRequest {
    /** Data of the request; null if it is not for the API or the token endpoint. */
    requestRecord: RequestRecord | null;
  }
}

/** What the hooks, the operations and the page share. */
export interface Dependencies {
  readonly context: OperationContext;
  readonly faults: FaultQueue;
  readonly requestLog: RequestLog;
  readonly rateLimit: RateLimit;
  /** The rate limit of token requests of service accounts. */
  readonly tokenRateLimit: RateLimit;
}

export function addHooks(app: FastifyInstance, dependencies: Dependencies): void {
  const { context, faults, requestLog } = dependencies;
  const { apiPath, tokenPath } = context.settings;
  const revokePath = revokePathOf(context.settings);

  const authenticate = ({ method, url: target, headers }: FastifyRequest, address: string) =>
    context.authentication.authenticate({
      method,
      target,
      authorization: headers.authorization,
      address,
    });

  app.decorateRequest("requestRecord", null);
  app.addHook("onRequest", (request, reply, done) => {
    const path = pathOf(request);
    // Compares the route, not the path, because percent-encoding allows many spellings of one path.
    const route = request.routeOptions.url ?? path;
    const isToken = route === tokenPath || route === revokePath;
    const isApi = !isToken && (route === apiPath || route.startsWith(`${apiPath}/`));
    if (!isApi && !isToken) {
      done();
      return;
    }
    // A client that gives up during the delay of a fault no longer has an address.
    const address = request.ip;
    const fault = faults.take({
      method: request.method,
      path,
      hasCredentials: request.headers.authorization !== undefined,
    });
    const requestRecord = beginRecord(request, requestLog, context.clock.now(), fault);
    delayFor(fault, () => {
      if (fault && sendFaultResponse(fault, request, reply)) return;
      try {
        if (isApi) requestRecord.principal = authenticate(request, address);
      } catch (error) {
        done(error instanceof Error ? error : new Error(String(error)));
        return;
      }
      done();
    });
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    const { requestRecord } = request;
    const isReset = requestRecord?.fault?.reset === "after";
    if (requestRecord) completeRecord(requestRecord, request, isReset ? 0 : reply.statusCode);
    if (isReset) request.raw.socket.destroy();
    if (requestRecord?.fault?.truncate) truncateResponse(payload, reply);
    else done(null, payload);
  });
}

export function dispatch(
  operation: Operation,
  request: FastifyRequest,
  dependencies: Dependencies,
): string {
  const { context } = dependencies;
  const { requestRecord } = request;
  if (!requestRecord?.principal) {
    throw new Error(`${operation.name} was reached without authentication`);
  }
  const call: Call = {
    context,
    principal: requestRecord.principal,
    parameters: request.params as Record<string, string>,
    body: () => {
      const value = parseJson(request.headers["content-type"], request.body);
      requestRecord.received.body = value;
      return value;
    },
  };
  const raw = rawQueryOf(request);
  const { query, result } = runOperation(operation, call, raw, dependencies);
  const url = `${context.documents.origin}${requestRecord.received.path}`;
  return renderResult(result, operation.status ?? 200, query, url, raw, context.settings);
}

function runOperation(
  operation: Operation,
  call: Call,
  raw: RawQuery,
  dependencies: Dependencies,
): { query: Query; result: OperationResult } {
  const { context } = call;
  if (operation.role === undefined) {
    const query = parseQuery(raw, operation.list ?? false, context.settings);
    return { query, result: operation.handle(call) };
  }
  const project = accessibleProject(call, call.parameters.projectId ?? "");
  dependencies.rateLimit.count(project.id, `Project ${project.id}`, operation.name);
  if (operation.role === "owner" && roleIn(call.principal, project) !== "owner") {
    throw forbidden("The role of this credential in the project is read-only.");
  }
  const query = parseQuery(raw, operation.list ?? false, context.settings);
  return { query, result: operation.handle({ ...call, project }) };
}

/** Returns the project; throws a 404 if it does not exist, a 401 if the caller has no role in it. */
function accessibleProject({ context, principal }: Call, projectId: string): Project {
  const project = context.store.project(projectId);
  if (!project) throw missingProject(projectId);
  if (roleIn(principal, project)) return project;
  throw new ServiceError(
    401,
    "USER_UNAUTHORIZED",
    `This credential has no role in project ${projectId}.`,
    [projectId],
    { "www-authenticate": context.authentication.challenge() },
  );
}

const minuteMilliseconds = 60_000;

/** Counts requests. A minute starts with its first request, so that a test never spans two by accident. */
export class RateLimit {
  /** The current minute of each project or account. */
  private readonly windows = new Map<string, { start: number; count: number }>();

  constructor(
    private readonly perMinute: number,
    private readonly what: string,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** Counts a request; throws a 429 if its owner is over the limit. */
  count(id: string, owner: string, operation: string): void {
    const now = this.clock.now();
    let window = this.windows.get(id);
    // The clock runs backwards after a reset.
    if (!window || now - window.start >= minuteMilliseconds || now < window.start) {
      window = { start: now, count: 0 };
      this.windows.set(id, window);
    }
    window.count += 1;
    if (window.count <= this.perMinute) return;
    const seconds = Math.ceil((window.start + minuteMilliseconds - now) / 1000);
    throw new ServiceError(
      429,
      "RATE_LIMITED",
      `${owner} is limited to ${this.perMinute} ${this.what} per minute.`,
      [operation, this.perMinute, 1],
      this.settings.retryAfter ? { "retry-after": String(seconds) } : {},
    );
  }

  reset(): void {
    this.windows.clear();
  }
}
