/**
 * Restricts the status page and the control endpoint, which require no credentials, to callers on this
 * machine. The check of the host name protects against DNS rebinding by web pages.
 */
import { isIPv6 } from "node:net";
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../store/serviceError";

/**
 * Checks that a request comes from this machine and names it as the host.
 *
 * @param request the request
 * @throws ServiceError 403 if not
 */
export function requireLoopback(request: FastifyRequest): void {
  if (isLoopback(request.ip) && isLoopback(request.hostname.replace(/^\[|\]$/g, ""))) return;
  throw new ServiceError(
    403,
    "FORBIDDEN",
    "This resource is available only from the same machine, as localhost or a loopback address.",
  );
}

/** Returns whether a host name or IP address is `localhost` or a loopback address. */
function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const plain = host.replace(/^::ffff:/, "");
  return isIPv6(plain) ? plain === "::1" : /^127\.\d+\.\d+\.\d+$/.test(plain);
}
