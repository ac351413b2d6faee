/** The HTTPS server: Fastify with hooks for faults, authentication and the request log, and all routes. */
import { METHODS } from "node:http";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import type { Certificate } from "../certificate";
import { ServiceError } from "../errors";
import type { FaultQueue } from "../faults";
import type { RequestLog } from "../requestLog";
import { dispatch, type DispatchParts } from "./dispatch";
import { beginExchange, exchangeOf, pathOf, toReceived } from "./exchange";
import { sendFaultResponse, truncateResponse, delayFor } from "./faultResponses";
import { openApiDocument } from "./openapi";
import { operations } from "./operations";
import { toServiceError, jsonType, malformedRequest, sendError } from "./errorResponses";
import { renderError } from "./render";
import { type Controls, serveControl } from "./routes/control";
import { servePage } from "./routes/page";
import { serveTokens } from "./routes/token";

/** Dependencies of the server. */
export interface ServerParts extends DispatchParts {
  /** Certificate of the server. */
  readonly certificate: Certificate;
  /** Log to which requests are added. */
  readonly requestLog: RequestLog;
  /** Faults to apply. */
  readonly faults: FaultQueue;
  /** Functions behind `/control`. */
  readonly controls: Controls;
}

/**
 * Creates the server.
 *
 * @param parts the dependencies
 * @returns a server that is not listening yet
 */
export function createServer(parts: ServerParts): FastifyInstance {
  const { certificate, requestLog, service } = parts;
  const { apiPath, tokenPath } = service.settings;
  // The cast hides HTTPS from the type: routes are the same for HTTP and HTTPS.
  const app = Fastify({
    https: { key: certificate.key, cert: certificate.cert, minVersion: "TLSv1.2" },
    forceCloseConnections: true,
    bodyLimit: 1024 * 1024,
    routerOptions: { maxParamLength: 500 },
    // Called before any hook, for a path that is too long or cannot be decoded.
    frameworkErrors: (error, _request, reply) => {
      const body = renderError(toServiceError(error), false);
      reply.hijack();
      reply.raw.writeHead(400, { "content-type": jsonType, connection: "close" }).end(body);
    },
    clientErrorHandler: (error, socket) => {
      if (socket.writable) socket.end(malformedRequest(error.message));
    },
  }) as unknown as FastifyInstance;

  const operationNames = new Map(
    operations.map(({ method, path, name }) => [`${method} ${apiPath}${path}`, name]),
  );
  operationNames.set(`POST ${tokenPath}`, "issueToken");
  const operationNameOf = ({ method, routeOptions: { url = "" } }: FastifyRequest) =>
    operationNames.get(`${method === "HEAD" ? "GET" : method} ${url}`);

  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== "CONNECT") app.addHttpMethod(method);
  }
  // Operations parse the body, so that errors of earlier checks take precedence.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, text, done) => {
    done(null, text);
  });

  const isApi = (path: string) => path === apiPath || path.startsWith(`${apiPath}/`);

  app.addHook("onRequest", (request, reply, done) => {
    const path = pathOf(request);
    // The route is reliable: percent-encoding allows many spellings of one path.
    const route = request.routeOptions.url ?? path;
    if (!isApi(route) && route !== tokenPath) {
      done();
      return;
    }
    const fault = parts.faults.take({
      method: request.method,
      path,
      hasCredentials: request.headers.authorization !== undefined,
    });
    const exchange = beginExchange(request, service.clock.now(), operationNameOf(request), fault);
    delayFor(fault, () => {
      if (fault && sendFaultResponse(fault, request, reply)) {
        if (fault.reset === true) requestLog.add(toReceived(exchange, request, 0));
        return;
      }
      if (isApi(route)) {
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
    requestLog.add(toReceived(exchange, request, reset ? 0 : reply.statusCode));
    if (reset) request.raw.socket.destroy();
    if (fault?.truncate) truncateResponse(payload, reply);
    else done(null, payload);
  });

  app.setErrorHandler((error, request, reply) => {
    sendError(error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request);
    const missing = new ServiceError(404, "RESOURCE_NOT_FOUND", `No resource exists at ${path}.`, [
      path,
    ]);
    sendError(missing, request, reply);
  });

  for (const operation of operations) {
    app.route({
      method: operation.method,
      url: `${apiPath}${operation.path}`,
      handler: async (request, reply) => {
        const body = await dispatch(operation, request, parts);
        return reply.code(operation.status).type(jsonType).send(body);
      },
    });
  }
  serveTokens(app, service);
  servePage(app, service, requestLog);
  app.get("/openapi.json", (_request, reply) =>
    reply.type(jsonType).send(openApiDocument(parts.origin(), service.settings)),
  );
  if (service.settings.control) serveControl(app, parts.controls);
  rejectOtherMethods(app, [
    ...operations.map(({ method, path }) => ({ method, url: `${apiPath}${path}` })),
    { method: "POST", url: tokenPath },
  ]);
  return app;
}

/** Responds to unsupported methods of a known path with a 405 and an Allow header (service document 4.1). */
function rejectOtherMethods(
  app: FastifyInstance,
  routes: readonly { method: string; url: string }[],
): void {
  for (const url of new Set(routes.map((route) => route.url))) {
    const methods = routes.filter((route) => route.url === url).map(({ method }) => method);
    const allowed = methods.includes("GET") ? ["HEAD", ...methods] : methods;
    const allow = allowed.join(", ");
    const methodNotAllowed = ({ method }: FastifyRequest) =>
      new ServiceError(
        405,
        "METHOD_NOT_ALLOWED",
        `This resource does not support ${method}. Supported methods: ${allow}.`,
        [method],
        { allow },
      );
    app.route({
      method: app.supportedMethods.filter((method) => !allowed.includes(method)),
      url,
      // Responds before the body is read.
      onRequest: (request, _reply, done) => {
        done(methodNotAllowed(request));
      },
      handler: (request) => {
        throw methodNotAllowed(request);
      },
    });
  }
}
