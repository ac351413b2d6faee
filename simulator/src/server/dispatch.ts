/**
 * Runs an operation for an authenticated request: checks project, rate limit, role and query in this
 * order, so that the first failed check determines the error.
 */
import type { FastifyRequest } from "fastify";
import { parseJson } from "../api/body";
import type { Call, Operation, OperationResult, Service } from "../api/operation";
import { parseQuery, type Query, type RawQuery } from "../api/query";
import { renderResult } from "../api/render";
import { roleIn } from "../authentication/principals";
import type { Project } from "../store/project";
import { missingProject, ServiceError } from "../store/serviceError";
import { rawQueryOf } from "./exchange";
import type { PageCache } from "./pageCache";
import type { RateLimit } from "./rateLimit";

/** Dependencies of `dispatch`. */
export interface DispatchParts {
  /** The service. */
  readonly service: Service;
  /** The rate limit of projects. */
  readonly rateLimit: RateLimit;
  /** Cache of rendered pages. */
  readonly pages: PageCache;
}

/** Longest body in the request log, in characters. */
const recordedBodyLimit = 10_000;

/**
 * Runs an operation.
 *
 * @param operation the operation
 * @param request the authenticated request
 * @param parts the service and the rate limit
 * @returns the response body
 * @throws ServiceError if a check fails
 */
export function dispatch(
  operation: Operation,
  request: FastifyRequest,
  parts: DispatchParts,
): string {
  const { service } = parts;
  const { exchange } = request;
  if (!exchange?.principal) {
    throw new Error(`${operation.name} was reached without authentication`);
  }
  const call: Call = {
    service,
    principal: exchange.principal,
    parameters: request.params as Record<string, string>,
    body: () => {
      const value = parseJson(request.headers["content-type"], request.body);
      if (String(request.body).length <= recordedBodyLimit) exchange.body = value;
      return value;
    },
  };
  const raw = rawQueryOf(request);
  const { query, result } = runOperation(operation, call, raw, parts);
  const url = `${service.documents.origin}${exchange.path}`;
  return parts.pages.body(result, request.url, () =>
    renderResult(result, operation.status, query, url, raw),
  );
}

function runOperation(
  operation: Operation,
  call: Call,
  raw: RawQuery,
  parts: DispatchParts,
): { query: Query; result: OperationResult } {
  if (operation.scope === "service") {
    const query = parseQuery(raw, operation.list);
    return { query, result: operation.handle(call) };
  }
  const project = accessibleProject(call, call.parameters.projectId ?? "");
  enforceRateLimit(operation, project, parts);
  if (operation.role === "owner" && roleIn(call.principal, project) !== "owner") {
    throw new ServiceError(
      403,
      "FORBIDDEN",
      "The role of this credential in the project is read-only.",
    );
  }
  const query = parseQuery(raw, operation.list);
  return { query, result: operation.handle({ ...call, project }) };
}

/** Returns the project; throws a 404 if it does not exist, a 401 if the caller has no role in it. */
function accessibleProject({ service, principal }: Call, projectId: string): Project {
  const project = service.store.project(projectId);
  if (!project) throw missingProject(projectId);
  if (roleIn(principal, project)) return project;
  throw new ServiceError(
    401,
    "USER_UNAUTHORIZED",
    `This credential has no role in project ${projectId}.`,
    [projectId],
    { "www-authenticate": service.authentication.challenges() },
  );
}

/** Counts the request; throws a 429 if the project is over its limit. */
function enforceRateLimit(operation: Operation, project: Project, parts: DispatchParts): void {
  const { requestsPerMinute, rateLimitedOperations, retryAfter } = parts.service.settings;
  if (rateLimitedOperations && !rateLimitedOperations.includes(operation.name)) return;
  const result = parts.rateLimit.count(project.id);
  if (result.allowed) return;
  throw new ServiceError(
    429,
    "RATE_LIMITED",
    `Project ${project.id} is limited to ${requestsPerMinute} requests per minute.`,
    [operation.name, requestsPerMinute, 1],
    retryAfter ? { "retry-after": String(result.resetInSeconds) } : {},
  );
}
