/** The token endpoint of service accounts: OAuth 2 client credentials grant with HTTP Basic. */
import type { FastifyInstance } from "fastify";
import type { TokenEntity } from "../api/entities";
import type { Service } from "../api/operation";
import { ServiceError } from "../store/serviceError";

/**
 * Adds the token endpoint.
 *
 * @param app the server
 * @param service settings and authentication
 */
export function serveTokens(app: FastifyInstance, { settings, authentication }: Service): void {
  app.post(settings.tokenPath, (request, reply) => {
    const account = authentication.authenticateAccount(request.headers.authorization, request.ip);
    checkForm(request.headers["content-type"], request.body);
    const { token, expiresInSeconds } = authentication.issueToken(account);
    const body: TokenEntity = {
      access_token: token,
      expires_in: expiresInSeconds,
      token_type: "Bearer",
    };
    return reply.header("cache-control", "no-store").send(body);
  });
}

/** Throws unless the body is a form that requests the client credentials grant. */
function checkForm(contentType: string | undefined, body: unknown): void {
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType ?? "")) {
    throw new ServiceError(
      400,
      "INVALID_CONTENT_TYPE",
      "A form with the header Content-Type: application/x-www-form-urlencoded is required.",
      ["Content-Type"],
    );
  }
  const text = typeof body === "string" ? body : "";
  if (new URLSearchParams(text).get("grant_type") !== "client_credentials") {
    throw new ServiceError(
      400,
      "UNSUPPORTED_GRANT_TYPE",
      "The form field grant_type must be client_credentials.",
      ["grant_type"],
    );
  }
}
