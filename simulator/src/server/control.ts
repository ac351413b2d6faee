/**
 * The control endpoint: gives the status page and tests in another process access to projects, faults,
 * the clock, the request log and resets.
 */
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import type { ProjectControl } from "../projectControl";
import type { Clock } from "../store/clock";
import { controlBody } from "./controlBody";
import type { Faults } from "./fault";
import { faultSchema } from "./faults";
import { requireLoopback } from "./loopbackOnly";
import { serveProjectControl } from "./projectRoutes";
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
  /** Returns a project; throws a ServiceError if there is none with this ID. */
  readonly project: (id: string) => ProjectControl;
  /** Waits until the state file contains all changes. */
  readonly flush: () => Promise<void>;
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
 * `POST /control/reset`, `DELETE /control/tokens`, and those of `/control/projects`.
 *
 * @param app the server
 * @param controls the functions behind the routes
 */
export function serveControl(app: FastifyInstance, controls: Controls): void {
  const { clock, faults, requestLog } = controls;
  app.register(
    (scope, _options, done) => {
      scope.addHook("onRequest", (request, _reply, next) => {
        requireLoopback(request);
        next();
      });
      scope.post("/faults", (request) => {
        faults.push(...controlBody(request, z.array(remoteFaultSchema)));
        return { pending: faults.pending.length };
      });
      scope.delete("/faults", () => {
        faults.clear();
        return { pending: 0 };
      });
      scope.post("/clock", (request) => {
        clock.advanceSeconds(controlBody(request, clockSchema).advanceSeconds);
        return { now: new Date(clock.now()).toISOString() };
      });
      scope.get("/requests", () => ({ requests: requestLog.requests }));
      scope.post("/reset", async (request) => {
        controlBody(request, z.strictObject({}));
        controls.reset();
        await controls.flush();
        return {};
      });
      scope.delete("/tokens", () => {
        controls.revokeTokens();
        return {};
      });
      serveProjectControl(scope, controls);
      done();
    },
    { prefix: "/control" },
  );
}
