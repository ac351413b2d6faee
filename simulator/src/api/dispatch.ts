// From a caller who is known to the text of an answer: project, rate limit, role, query, work. The
// order decides which refusal a request with several mistakes gets.
import type { FastifyRequest } from "fastify";
import { roleIn } from "../authentication/principals";
import { ServiceError } from "../errors";
import type { RateLimit } from "../rateLimit";
import { missingProject, type Project } from "../world/store";
import { parseJson } from "./body";
import { exchangeOf, rawQueryOf } from "./exchange";
import type { Answer, Call, Operation, Service } from "./operation";
import { parseQuery, type Query } from "./query";
import { renderAnswer } from "./render";

export interface DispatchParts {
  readonly service: Service;
  readonly rateLimit: RateLimit;
  /** Ends when the state file holds what was changed. */
  readonly flush: () => Promise<void>;
  /** The address that links begin with. */
  readonly origin: () => string;
}

/** Longer bodies are not kept in the journal: characters. */
const RECORDED_BODY = 10_000;

/** @throws {ServiceError} what the service refuses */
export async function dispatch(
  operation: Operation,
  request: FastifyRequest,
  parts: DispatchParts,
): Promise<string> {
  const { service } = parts;
  const exchange = exchangeOf(request);
  const principal = exchange?.principal;
  if (!principal) throw new Error(`${operation.name} was reached without authentication`);
  const parameters = request.params as Record<string, string>;
  const call: Call = {
    service,
    principal,
    parameters,
    body: () => {
      const value = parseJson(request.headers["content-type"], request.body);
      if (String(request.body).length <= RECORDED_BODY) exchange.body = value;
      return value;
    },
  };
  const raw = rawQueryOf(request);
  let query: Query;
  let answer: Answer;
  if (operation.scope === "project") {
    const project = reachableProject(call, parameters.projectId ?? "");
    countRequest(operation, project, parts);
    if (operation.role === "owner" && roleIn(principal, project) !== "owner") {
      throw new ServiceError(403, "FORBIDDEN", "The role in this project allows reading only.");
    }
    query = parseQuery(raw, operation.list);
    answer = operation.handle({ ...call, project });
  } else {
    query = parseQuery(raw, operation.list);
    answer = operation.handle(call);
  }
  if (operation.method !== "GET") await parts.flush();
  const url = `${parts.origin()}${exchange.path}`;
  return renderAnswer(answer, operation.status, query, url, raw);
}

/** @throws {ServiceError} 404 for no such project, 401 where the caller has no role in it */
function reachableProject({ service, principal }: Call, projectId: string): Project {
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

function countRequest(operation: Operation, project: Project, parts: DispatchParts): void {
  const { requestsPerMinute, rateLimitedOperations, retryAfter } = parts.service.settings;
  if (rateLimitedOperations && !rateLimitedOperations.includes(operation.name)) return;
  const result = parts.rateLimit.count(project.id);
  if (result.allowed) return;
  throw new ServiceError(
    429,
    "RATE_LIMITED",
    `Project ${project.id} is limited to ${requestsPerMinute} requests in a minute.`,
    [operation.name, requestsPerMinute, 1],
    retryAfter ? { "retry-after": String(result.resetInSeconds) } : {},
  );
}
