/** Rejects methods that a resource does not support (service document 4.1). */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { ServiceError } from "../store/serviceError";

/**
 * Responds to unsupported methods of known paths with a 405 and an `Allow` header.
 *
 * @param app the server
 * @param routes all supported methods and paths
 */
export function rejectOtherMethods(
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
