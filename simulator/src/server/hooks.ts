/** Hooks of requests to the API and the token endpoint: faults, authentication and the request log. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { Service } from "../api/operation";
import type { Principal } from "../authentication/principals";
import { operations } from "../operations/operations";
import { beginExchange, completeExchange, pathOf } from "./exchange";
import { delayFor, sendFaultResponse, truncateResponse } from "./faultResponses";
import type { FaultQueue } from "./faults";
import type { RequestLog } from "./requestLog";

/** Dependencies of the hooks. */
export interface HookParts {
  /** The service. */
  readonly service: Service;
  /** Faults to apply. */
  readonly faults: FaultQueue;
  /** Log to which requests are added. */
  readonly requestLog: RequestLog;
}

/**
 * Adds the hooks.
 *
 * @param app the server
 * @param parts the service, the faults and the request log
 */
export function addHooks(app: FastifyInstance, parts: HookParts): void {
  const { service, faults, requestLog } = parts;
  const { apiPath, tokenPath } = service.settings;
  const names = operationNames(service);

  app.decorateRequest("exchange", null);
  app.addHook("onRequest", (request, reply, done) => {
    const path = pathOf(request);
    // Compares the route, not the path: percent-encoding allows many spellings of one path.
    const route = request.routeOptions.url ?? path;
    const isToken = route === tokenPath;
    const isApi = !isToken && (route === apiPath || route.startsWith(`${apiPath}/`));
    if (!isApi && !isToken) {
      done();
      return;
    }
    const fault = faults.take({
      method: request.method,
      path,
      hasCredentials: request.headers.authorization !== undefined,
    });
    const method = request.method === "HEAD" ? "GET" : request.method;
    const operation = names.get(`${method} ${route}`);
    const exchange = beginExchange(request, requestLog, service.clock.now(), operation, fault);
    delayFor(fault, () => {
      if (fault && sendFaultResponse(fault, request, reply)) return;
      const result = isApi ? authenticate(request, service) : undefined;
      if (result instanceof Error) done(result);
      else {
        exchange.principal = result;
        done();
      }
    });
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    const { exchange } = request;
    const isReset = exchange?.fault?.reset === "after";
    if (exchange) completeExchange(exchange, request, isReset ? 0 : reply.statusCode);
    if (isReset) request.raw.socket.destroy();
    if (exchange?.fault?.truncate) truncateResponse(payload, reply);
    else done(null, payload);
  });
}

/** Returns the names of the operations by method and route. */
function operationNames({ settings }: Service): ReadonlyMap<string, string> {
  return new Map([
    ...operations.map(({ method, path, name }): [string, string] => [
      `${method} ${settings.apiPath}${path}`,
      name,
    ]),
    [`POST ${settings.tokenPath}`, "issueToken"],
  ]);
}

/**
 * Authenticates a request.
 *
 * @param request the request
 * @param service the service
 * @returns the caller, or the error if the credentials are not accepted
 */
export function authenticate(
  request: FastifyRequest,
  { authentication }: Service,
): Principal | Error {
  try {
    return authentication.authenticate({
      method: request.method,
      target: request.url,
      authorization: request.headers.authorization,
      address: request.ip,
    });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
