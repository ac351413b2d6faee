/** The control endpoint: gives tests in another process access to faults, the clock, the request log and resets. */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { parseBody, parseJson } from "../api/body";
import type { Clock } from "../store/clock";
import { type Faults, faultSchema } from "./faults";
import { requireLoopback } from "./loopbackOnly";
import type { RequestLog } from "./requestLog";

/** Functions behind `/control`. */
export interface Controls {
  /** Simulated time. */
  readonly clock: Clock;
  /** Faults to inject. */
  readonly faults: Faults;
  /** Received requests. */
  readonly requestLog: RequestLog;
  /** Revokes all access tokens. */
  readonly revokeTokens: () => void;
  /** Restores the seed. */
  readonly reset: () => void;
}

const regularExpression = z.string().transform((source, context) => {
  try {
    return new RegExp(source);
  } catch {
    context.addIssue({ code: "custom", message: "is not a regular expression" });
    return z.NEVER;
  }
});

/** A fault as in the library, except that `pathPattern` contains the regular expression. */
const remoteFaultSchema = faultSchema
  .omit({ path: true })
  .extend({ path: z.string().optional(), pathPattern: regularExpression.optional() })
  .transform(({ path, pathPattern, ...fault }) => ({
    ...fault,
    ...(path === undefined && pathPattern === undefined ? {} : { path: pathPattern ?? path }),
  }));

const clockSchema = z.strictObject({ advanceSeconds: z.number().min(0).max(1e9) });

/**
 * Adds the routes: `POST` and `DELETE /control/faults`, `POST /control/clock`, `GET /control/requests`,
 * `POST /control/reset` and `DELETE /control/tokens`.
 *
 * @param app the server
 * @param controls the functions behind the routes
 */
export function serveControl(app: FastifyInstance, controls: Controls): void {
  const { clock, faults, requestLog } = controls;
  // Requires the JSON content type, which an HTML form on another web site cannot send.
  const body = <S extends z.ZodType>(request: FastifyRequest, schema: S) =>
    parseBody(schema, parseJson(request.headers["content-type"], request.body));

  app.register(
    (scope, _options, done) => {
      scope.addHook("onRequest", (request, _reply, next) => {
        requireLoopback(request);
        next();
      });
      scope.post("/faults", (request) => {
        faults.push(...body(request, z.array(remoteFaultSchema)));
        return { pending: faults.pending.length };
      });
      scope.delete("/faults", () => {
        faults.clear();
        return { pending: 0 };
      });
      scope.post("/clock", (request) => {
        clock.advanceSeconds(body(request, clockSchema).advanceSeconds);
        return { now: new Date(clock.now()).toISOString() };
      });
      scope.get("/requests", () => ({ requests: requestLog.requests }));
      scope.post("/reset", (request) => {
        body(request, z.strictObject({}));
        controls.reset();
        return {};
      });
      scope.delete("/tokens", () => {
        controls.revokeTokens();
        return {};
      });
      done();
    },
    { prefix: "/control" },
  );
}
