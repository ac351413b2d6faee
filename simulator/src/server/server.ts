/** The HTTPS server: Fastify with its hooks and all routes. */
import { METHODS } from "node:http";
import { type ServerOptions, createServer as createHttpsServer } from "node:https";
import type { Duplex } from "node:stream";
import Fastify, { type FastifyInstance, type FastifyRequest } from "fastify";
import { contentTypeOf } from "../api/response";
import { ServiceError } from "../errors";
import { operations } from "../operations/operations";
import { revokePathOf } from "../seed/settings";
import type { Certificate } from "./certificate";
import { type Controls, serveControl } from "./control";
import { rejectUnreadable, sendError } from "./errorResponses";
import { servePage } from "./page";
import { pathOf } from "./requestLog";
import { type Dependencies, addHooks, dispatch } from "./requests";

export interface ServerDependencies extends Dependencies {
  readonly certificate: Certificate;
  readonly controls: Controls;
}

export function createServer(dependencies: ServerDependencies): FastifyInstance {
  const { context } = dependencies;
  const app = createApp(dependencies);
  addHooks(app, dependencies);
  addErrorHandlers(app);
  serveOperations(app, dependencies);
  serveTokens(app, dependencies);
  servePage(app, dependencies);
  if (context.settings.control) {
    serveControl(app, dependencies.controls);
  }
  const { apiPath, tokenPath } = context.settings;
  rejectOtherMethods(app, [
    ...operations.map(({ method, path }) => ({ method, url: `${apiPath}${path}` })),
    { method: "POST", url: tokenPath },
    { method: "POST", url: revokePathOf(context.settings) },
  ]);
  return app;
}

/** Creates a server without routes that accepts every method and content type. */
function createApp(dependencies: ServerDependencies): FastifyInstance {
  const { key, cert } = dependencies.certificate;
  const options: ServerOptions = {
    key,
    cert,
    minVersion: "TLSv1.2",
    keepAliveTimeout: 72_000,
    // Node.js would respond without a body.
    requireHostHeader: false,
  };
  const connections = new Set<Duplex>();
  // The cast hides HTTPS from the type, because routes are the same for HTTP and HTTPS.
  const app = Fastify({
    https: {},
    // For localhost, Fastify creates a server for each address.
    serverFactory: (handler) =>
      createHttpsServer(options, handler)
        .on("connection", (socket: Duplex) => {
          connections.add(socket);
          socket.once("close", () => connections.delete(socket));
        })
        // Node.js would respond without a body, or not at all.
        .on("checkExpectation", handler)
        .on("connect", (_request, socket: Duplex) => {
          const error = new Error("The method CONNECT is for proxies");
          rejectUnreadable(Object.assign(error, { code: "HPE_INVALID_METHOD" }), socket);
        }),
    clientErrorHandler: rejectUnreadable,
    forceCloseConnections: true,
    return503OnClosing: false,
    bodyLimit: 1024 * 1024,
    routerOptions: { maxParamLength: 500 },
    frameworkErrors: (error, request, reply) => {
      // The query of a path that cannot be decoded is not parsed.
      request.query = {};
      sendError(error, request, reply);
    },
  }) as unknown as FastifyInstance;
  app.addHook("preClose", (done) => {
    // Fastify closes only those that have completed the TLS handshake.
    for (const connection of connections) connection.destroy();
    done();
  });
  for (const method of METHODS) {
    if (!app.supportedMethods.includes(method) && method !== "CONNECT") app.addHttpMethod(method);
  }
  // Operations parse the body, so that errors of earlier checks take precedence.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "string" }, (_request, text, done) => {
    done(null, text);
  });
  return app;
}

function addErrorHandlers(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    sendError(error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    sendError(missingResource(request), request, reply);
  });
  // The router takes the empty text after a final slash for the value of a parameter.
  app.addHook<{ Params: Record<string, string> }>("onRequest", (request, _reply, done) => {
    const isEmpty = Object.values(request.params).includes("");
    done(isEmpty ? missingResource(request) : undefined);
  });
}

function missingResource(request: FastifyRequest): ServiceError {
  const detail = `No resource exists at ${pathOf(request)}.`;
  return new ServiceError(404, "RESOURCE_NOT_FOUND", detail);
}

function serveOperations(app: FastifyInstance, dependencies: ServerDependencies): void {
  const { settings } = dependencies.context;
  for (const operation of operations) {
    app.route({
      method: operation.method,
      url: `${settings.apiPath}${operation.path}`,
      config: { operation: operation.name },
      handler: (request, reply) => {
        const type = contentTypeOf(settings, request.headers.accept);
        const body = dispatch(operation, request, dependencies);
        return reply
          .code(operation.status ?? 200)
          .type(type)
          .send(body);
      },
    });
  }
}

/** Responds to unsupported methods of known paths with a 405 and an `Allow` header. */
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

/** Adds the endpoints that issue and revoke tokens. */
function serveTokens(app: FastifyInstance, dependencies: Dependencies): void {
  const { context, tokenRateLimit } = dependencies;
  const { settings, authentication } = context;
  app.post(settings.tokenPath, { config: { operation: "issueToken" } }, (request, reply) => {
    const account = authentication.authenticateAccount(request.headers.authorization);
    tokenRateLimit.count(account.id, `Service account ${account.id}`, "issueToken");
    const form = formOf(request.headers["content-type"], request.body);
    if (form.get("grant_type") !== "client_credentials") {
      throw new ServiceError(
        400,
        "UNSUPPORTED_GRANT_TYPE",
        "The form field grant_type must be client_credentials.",
        ["grant_type"],
      );
    }
    const body = {
      access_token: authentication.tokens.issue(account.id),
      expires_in: settings.tokenSeconds,
      token_type: "Bearer",
    };
    return reply.header("cache-control", "no-store").send(body);
  });
  app.post(revokePathOf(settings), { config: { operation: "revokeToken" } }, (request, reply) => {
    const account = authentication.authenticateAccount(request.headers.authorization);
    const token = formOf(request.headers["content-type"], request.body).get("token");
    if (token === null) {
      throw new ServiceError(400, "INVALID_REQUEST", "The form field token is required.", [
        "token",
      ]);
    }
    authentication.tokens.delete(token, account.id);
    // Also for a token that is not valid (RFC 7009 2.2).
    return reply.code(200).send();
  });
}

/** Returns the form of a body; throws a 400 if it is not one. */
function formOf(contentType: string | undefined, body: unknown): URLSearchParams {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? "")) {
    throw new ServiceError(
      400,
      "INVALID_CONTENT_TYPE",
      "A form with the header Content-Type: application/x-www-form-urlencoded is required.",
      ["Content-Type"],
    );
  }
  return new URLSearchParams(typeof body === "string" ? body : "");
}
