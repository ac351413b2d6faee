/** The HTTPS server: Fastify with its hooks and all routes. */
import { METHODS } from "node:http";
import Fastify, { type FastifyInstance } from "fastify";
import { contentTypeOf, jsonType } from "../api/mediaTypes";
import { openApiDocument } from "../openapi/document";
import { operations } from "../operations/operations";
import { ServiceError } from "../store/serviceError";
import type { Certificate } from "./certificate";
import { type Controls, serveControl } from "./control";
import { dispatch, type DispatchParts } from "./dispatch";
import { malformedRequest, sendError, unknownMethod } from "./errorResponses";
import { pathOf } from "./exchange";
import { addHooks, type HookParts } from "./hooks";
import { rejectOtherMethods } from "./methodNotAllowed";
import { servePage } from "./page";
import { rejectPath } from "./rejectedPaths";
import { serveTokens } from "./token";

/** Dependencies of the server. */
export interface ServerParts extends DispatchParts, HookParts {
  /** Certificate of the server. */
  readonly certificate: Certificate;
  /** Functions behind `/control`. */
  readonly controls: Controls;
  /** Waits until the state file contains all changes. */
  readonly flush: () => Promise<void>;
}

/**
 * Creates the server.
 *
 * @param parts the dependencies
 * @returns a server that is not listening yet
 */
export function createServer(parts: ServerParts): FastifyInstance {
  const { service } = parts;
  const app = createApp(parts);
  addHooks(app, parts);
  addErrorHandlers(app);
  serveOperations(app, parts);
  serveTokens(app, service);
  servePage(app, parts);
  app.get("/openapi.json", (_request, reply) =>
    reply.type(jsonType).send(openApiDocument(service.documents.origin, service.settings)),
  );
  if (service.settings.control) serveControl(app, parts.controls);
  const { apiPath, tokenPath } = service.settings;
  rejectOtherMethods(app, [
    ...operations.map(({ method, path }) => ({ method, url: `${apiPath}${path}` })),
    { method: "POST", url: tokenPath },
  ]);
  return app;
}

/** Creates a server without routes that accepts every method and content type. */
function createApp(parts: ServerParts): FastifyInstance {
  const { key, cert } = parts.certificate;
  // The cast hides HTTPS from the type: routes are the same for HTTP and HTTPS.
  const app = Fastify({
    https: { key, cert, minVersion: "TLSv1.2" },
    forceCloseConnections: true,
    bodyLimit: 1024 * 1024,
    routerOptions: { maxParamLength: 500 },
    frameworkErrors: (error, request, reply) => {
      rejectPath(error, request, reply, parts);
    },
    clientErrorHandler: (error, socket) => {
      if (socket.writable) socket.end(malformedRequest(error));
    },
  }) as unknown as FastifyInstance;
  // Node.js closes the connection without a response if nothing handles CONNECT.
  app.server.on("connect", (_request, socket) => socket.end(unknownMethod("CONNECT")));
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
    const detail = `No resource exists at ${pathOf(request)}.`;
    sendError(new ServiceError(404, "RESOURCE_NOT_FOUND", detail), request, reply);
  });
}

function serveOperations(app: FastifyInstance, parts: ServerParts): void {
  const { versions } = parts.service.settings;
  for (const operation of operations) {
    app.route({
      method: operation.method,
      url: `${parts.service.settings.apiPath}${operation.path}`,
      handler: (request, reply) => {
        const type = contentTypeOf(versions, operation.entityName, request.headers.accept);
        const body = dispatch(operation, request, parts);
        const send = () => reply.code(operation.status).type(type).send(body);
        return operation.method === "GET" ? send() : parts.flush().then(send);
      },
    });
  }
}
