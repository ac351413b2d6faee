// The HTTP side: Fastify, the hooks that every request passes (faults, authentication, journal),
// and the routes made from the operations.
import { METHODS } from "node:http";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { roleIn } from "../authentication/principals";
import type { Certificate } from "../certificate";
import { ServiceError } from "../errors";
import type { FaultQueue } from "../faults";
import type { RateLimit } from "../rateLimit";
import type { Journal } from "../requests";
import { missingProject, type Project } from "../world/store";
import { parseJson } from "./body";
import { beginExchange, exchangeOf, pathOf, rawQueryOf, toReceived } from "./exchange";
import { answerWithFault, breakOff, waitFor } from "./faultyAnswers";
import type { Answer, Call, Operation, Service } from "./operation";
import { OPERATIONS } from "./operations";
import { parseQuery } from "./query";
import { renderAnswer, renderError } from "./render";
import { serveTokens } from "./routes/token";

export interface ServerParts {
  readonly service: Service;
  readonly certificate: Certificate;
  readonly journal: Journal;
  readonly faults: FaultQueue;
  readonly rateLimit: RateLimit;
  /** Ends when the state file holds what was changed. */
  readonly flush: () => Promise<void>;
  /** The address that links begin with. */
  readonly origin: () => string;
}

export const JSON_TYPE = "application/json; charset=utf-8";

/** A server that is ready to listen. */
export function createServer(parts: ServerParts): FastifyInstance {
  const { certificate, journal, service } = parts;
  const { apiPath, tokenPath } = service.settings;
  const app = Fastify({
    https: { key: certificate.key, cert: certificate.cert, minVersion: "TLSv1.2" },
    forceCloseConnections: true,
    bodyLimit: 1024 * 1024,
    routerOptions: { maxParamLength: 500 },
    // A path that cannot be decoded or is too long: no hook has seen the request yet.
    frameworkErrors: (error, _request, reply) => {
      const body = renderError(asRefusal(error), false);
      reply.hijack();
      reply.raw.writeHead(400, { "content-type": JSON_TYPE, connection: "close" }).end(body);
    },
    clientErrorHandler: (error, socket) => {
      if (socket.writable) socket.end(malformedRequest(error.message));
    },
  }) as unknown as FastifyInstance;

  const operationNames = new Map(
    OPERATIONS.map(({ method, path, name }) => [`${method} ${apiPath}${path}`, name]),
  );
  operationNames.set(`POST ${tokenPath}`, "issueToken");
  const operationNameOf = ({ method, routeOptions: { url = "" } }: FastifyRequest) =>
    operationNames.get(`${method === "HEAD" ? "GET" : method} ${url}`);

  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== "CONNECT") app.addHttpMethod(method);
  }
  // Bodies stay text until the operation reads them, so that its refusals come in the right order.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, text, done) => {
    done(null, text);
  });

  const isApi = (path: string) => path === apiPath || path.startsWith(`${apiPath}/`);

  app.addHook("onRequest", (request, reply, done) => {
    const path = pathOf(request);
    if (!isApi(path) && path !== tokenPath) {
      done();
      return;
    }
    const fault = parts.faults.take({
      method: request.method,
      path,
      hasCredentials: request.headers.authorization !== undefined,
    });
    const exchange = beginExchange(request, service.clock.now(), operationNameOf(request), fault);
    waitFor(fault, () => {
      if (fault && answerWithFault(fault, request, reply)) {
        if (fault.reset === true) journal.add(toReceived(exchange, request, 0));
        return;
      }
      if (isApi(path)) {
        try {
          exchange.principal = service.authentication.authenticate({
            method: request.method,
            target: request.url,
            authorization: request.headers.authorization,
            address: request.ip,
          });
        } catch (error) {
          done(error instanceof Error ? error : new Error(String(error)));
          return;
        }
      }
      done();
    });
  });

  app.addHook("onSend", (request, reply, payload, done) => {
    const exchange = exchangeOf(request);
    if (!exchange) {
      done(null, payload);
      return;
    }
    const { fault } = exchange;
    const reset = fault?.reset === "after";
    journal.add(toReceived(exchange, request, reset ? 0 : reply.statusCode));
    if (reset) request.raw.socket.destroy();
    done(null, fault?.truncate ? breakOff(payload, reply) : payload);
  });

  app.setErrorHandler((error, request, reply) => {
    sendError(error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const missing = new ServiceError(404, "RESOURCE_NOT_FOUND", `Nothing is at the path ${path}.`, [
      path,
    ]);
    sendError(missing, request, reply);
  });

  for (const operation of OPERATIONS) {
    app.route({
      method: operation.method,
      url: `${apiPath}${operation.path}`,
      handler: async (request, reply) => {
        const body = await run(operation, request, reply, parts);
        return reply.type(JSON_TYPE).send(body);
      },
    });
  }
  serveTokens(app, service);
  refuseOtherMethods(app, [
    ...OPERATIONS.map(({ method, path }) => ({ method, url: `${apiPath}${path}` })),
    { method: "POST", url: tokenPath },
  ]);
  return app;
}

/** From a caller who is known to the text of the answer: project, rate limit, role, query, work. */
async function run(
  operation: Operation,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: ServerParts,
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
      exchange.body = value;
      return value;
    },
  };
  let answer: Answer;
  const raw = rawQueryOf(request);
  if (operation.scope === "project") {
    const project = reachableProject(call, parameters.projectId ?? "");
    countRequest(operation, project, parts);
    if (operation.role === "owner" && roleIn(principal, project) !== "owner") {
      throw forbidden("The role in this project allows reading only.");
    }
    parseQuery(raw, operation.list);
    answer = operation.handle({ ...call, project });
  } else {
    parseQuery(raw, operation.list);
    answer = operation.handle(call);
  }
  if (operation.method !== "GET") await parts.flush();
  if (answer.kind === "entity") reply.code(answer.status);
  const url = `${parts.origin()}${exchange.path}`;
  return renderAnswer(answer, parseQuery(raw, operation.list), url, raw);
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

function countRequest(operation: Operation, project: Project, parts: ServerParts): void {
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

export function forbidden(detail: string): ServiceError {
  return new ServiceError(403, "FORBIDDEN", detail);
}

/** 405 with Allow on every other method of a known path (service document 4.1). */
function refuseOtherMethods(
  app: FastifyInstance,
  routes: readonly { method: string; url: string }[],
): void {
  for (const url of new Set(routes.map((route) => route.url))) {
    const methods = routes.filter((route) => route.url === url).map(({ method }) => method);
    const allowed = methods.includes("GET") ? ["HEAD", ...methods] : methods;
    const allow = allowed.join(", ");
    app.route({
      method: app.supportedMethods.filter((method) => !allowed.includes(method)),
      url,
      handler: (request) => {
        const { method } = request;
        throw new ServiceError(
          405,
          "METHOD_NOT_ALLOWED",
          `The method ${method} is not supported here; these are: ${allow}.`,
          [method],
          { allow },
        );
      },
    });
  }
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const refusal = asRefusal(error);
  const pretty = rawQueryOf(request).pretty === "true";
  void reply
    .code(refusal.status)
    .headers(refusal.headers)
    .type(JSON_TYPE)
    .send(renderError(refusal, pretty));
}

/** The answer to bytes that are no HTTP request. */
function malformedRequest(problem: string): string {
  const refusal = new ServiceError(400, "INVALID_REQUEST", `Not an HTTP request: ${problem}`);
  const body = renderError(refusal, false);
  return (
    "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n" +
    `Content-Type: ${JSON_TYPE}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}

/** What Fastify itself refuses is the caller's mistake; anything else is a defect of the simulator. */
function asRefusal(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (error instanceof Error) {
    const status = "statusCode" in error ? error.statusCode : undefined;
    if (typeof status === "number" && status >= 400 && status < 500) {
      return new ServiceError(400, "INVALID_REQUEST", error.message);
    }
    return new ServiceError(500, "UNEXPECTED_ERROR", `Unexpected failure: ${error.message}`);
  }
  return new ServiceError(500, "UNEXPECTED_ERROR", "Unexpected failure.");
}
