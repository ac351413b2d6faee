// The page and the control endpoint ask for no credentials. So they answer only callers on this
// machine who name it as such: a web page elsewhere that rebinds its name is refused.
import { isIPv6 } from "node:net";
import type { FastifyRequest } from "fastify";
import { ServiceError } from "../errors";

/** @throws {ServiceError} 403 */
export function requireLoopback(request: FastifyRequest): void {
  if (isLoopback(request.ip) && isLoopback(request.hostname.replace(/^\[|\]$/g, ""))) return;
  throw new ServiceError(403, "FORBIDDEN", "This is served to callers on the same machine only.");
}

export function isLoopback(host: string): boolean {
  if (host === "localhost") return true;
  const plain = host.replace(/^::ffff:/, "");
  return isIPv6(plain) ? plain === "::1" : /^127\.\d+\.\d+\.\d+$/.test(plain);
}
