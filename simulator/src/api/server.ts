// The HTTP side: Fastify, the hooks that every request passes (faults, authentication, journal),
// and the routes made from the operations.
import { METHODS } from "node:http";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import type { Certificate } from "../certificate";
import { ServiceError } from "../errors";
import type { FaultQueue } from "../faults";
import type { Journal } from "../requests";
import { dispatch, type DispatchParts } from "./dispatch";
import { beginExchange, exchangeOf, pathOf, toReceived } from "./exchange";
import { answerWithFault, breakOff, waitFor } from "./faultyAnswers";
import { openApiDocument } from "./openapi";
import { OPERATIONS } from "./operations";
import { asRefusal, JSON_TYPE, malformedRequest, sendError } from "./refusals";
import { renderError } from "./render";
import { type Controls, serveControl } from "./routes/control";
import { servePage } from "./routes/page";
import { serveTokens } from "./routes/token";

export interface ServerParts extends DispatchParts {
  readonly certificate: Certificate;
  readonly journal: Journal;
  readonly faults: FaultQueue;
  readonly controls: Controls;
}

/** A server that is ready to listen. */
export function createServer(parts: ServerParts): FastifyInstance {
  const { certificate, journal, service } = parts;
  const { apiPath, tokenPath } = service.settings;
  // The routes do not care whether the server below them is an HTTP or an HTTPS one; the type does.
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
    // By the route where there is one: a path can be written in many ways with percent signs.
    const place = request.routeOptions.url ?? path;
    if (!isApi(place) && place !== tokenPath) {
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
      if (isApi(place)) {
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
    if (fault?.truncate) breakOff(payload, reply);
    else done(null, payload);
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
        const body = await dispatch(operation, request, parts);
        return reply.code(operation.status).type(JSON_TYPE).send(body);
      },
    });
  }
  serveTokens(app, service);
  servePage(app, service, journal);
  app.get("/openapi.json", (_request, reply) =>
    reply.type(JSON_TYPE).send(openApiDocument(parts.origin(), service.settings)),
  );
  if (service.settings.control) serveControl(app, parts.controls);
  refuseOtherMethods(app, [
    ...OPERATIONS.map(({ method, path }) => ({ method, url: `${apiPath}${path}` })),
    { method: "POST", url: tokenPath },
  ]);
  return app;
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
    const refusal = ({ method }: FastifyRequest) =>
      new ServiceError(
        405,
        "METHOD_NOT_ALLOWED",
        `The method ${method} is not supported here; these are: ${allow}.`,
        [method],
        { allow },
      );
    app.route({
      method: app.supportedMethods.filter((method) => !allowed.includes(method)),
      url,
      // Before the body is looked at: whatever it is, the method is what is wrong.
      onRequest: (request, _reply, done) => {
        done(refusal(request));
      },
      handler: (request) => {
        throw refusal(request);
      },
    });
  }
}
