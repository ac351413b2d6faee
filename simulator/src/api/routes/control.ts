// The control endpoint: what a test does through the library, for tests in another process. It
// exists only when it was asked for.
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import type { Clock } from "../../clock";
import { type Faults, faultSchema } from "../../faults";
import type { Journal } from "../../requests";
import { parseBody, parseJson } from "../body";
import { requireLoopback } from "../loopbackOnly";

export interface Controls {
  readonly clock: Clock;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly revokeTokens: () => void;
  readonly reset: () => void;
}

const MATCHER = z.string().transform((source, context) => {
  try {
    return new RegExp(source);
  } catch {
    context.addIssue({ code: "custom", message: "is not a regular expression" });
    return z.NEVER;
  }
});

/** As in the library, but for a path to match, which JSON gives as text. */
const remoteFaultSchema = faultSchema
  .omit({ path: true })
  .extend({ path: z.string().optional(), pathPattern: MATCHER.optional() })
  .transform(({ path, pathPattern, ...fault }) => ({
    ...fault,
    ...(path === undefined && pathPattern === undefined ? {} : { path: pathPattern ?? path }),
  }));

const clockSchema = z.strictObject({ advanceSeconds: z.number().min(0).max(1e9) });

/** `POST` and `DELETE /control/faults`, `POST /control/clock`, `POST /control/reset`, ... */
export function serveControl(app: FastifyInstance, controls: Controls): void {
  const { clock, faults, journal } = controls;
  // A body that is declared as JSON: what a form on a foreign web page cannot send.
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
      scope.get("/requests", () => ({ requests: journal.requests }));
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
