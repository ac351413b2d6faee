/** The hooks of a resource as the engine's provider process calls them. */
import { escapeMessage } from "../api/escapeText";
import { isUserError, errorWithoutStackTrace } from "../session/errors";

/** Unvalidated inputs or outputs of a resource from the engine. */
export type PropertyBag = Record<string, unknown>;

export interface CheckFailure {
  /** The invalid input; empty if there is no single one. The engine prints its value. */
  readonly property: string;
  readonly reason: string;
}

export interface CheckResult {
  readonly inputs?: PropertyBag;
  readonly failures?: CheckFailure[];
}

export interface DiffResult {
  readonly changes: boolean;
  readonly replaces: string[];
}

export interface ReadResult {
  readonly id?: string;
  readonly props?: PropertyBag;
  readonly inputs?: PropertyBag;
}

/** The hooks of a resource type. `diff` and `update` receive old outputs, `check` receives old inputs. */
export interface Lifecycle {
  check(olds: PropertyBag, news: PropertyBag): Promise<CheckResult>;
  diff(id: string, olds: PropertyBag, news: PropertyBag): Promise<DiffResult>;
  create(inputs: PropertyBag): Promise<{ id: string; outs: PropertyBag }>;
  read(id: string, props: PropertyBag): Promise<ReadResult>;
  update(id: string, olds: PropertyBag, news: PropertyBag): Promise<{ outs: PropertyBag }>;
  delete(id: string, props: PropertyBag): Promise<void>;
}

/**
 * Wraps a lifecycle for the provider process. A user error becomes a check failure in `check`, so that
 * a preview fails in one clear line, and a message without a stack trace elsewhere. Messages are escaped.
 *
 * @param lifecycle the hooks of a resource
 * @returns the hooks for the provider process
 */
export function withReportedErrors(lifecycle: Lifecycle): Lifecycle {
  return {
    check: async (olds, news) => {
      try {
        const { failures, ...result } = await lifecycle.check(olds, news);
        return failures === undefined ? result : { ...result, failures: failures.map(escaped) };
      } catch (error) {
        if (!isUserError(error)) throw errorWithoutStackTrace(error);
        const property = "property" in error ? error.property : "";
        return { inputs: news, failures: [escaped({ property, reason: error.message })] };
      }
    },
    diff: (...parameters) => withoutStackTrace(lifecycle.diff(...parameters)),
    create: (...parameters) => withoutStackTrace(lifecycle.create(...parameters)),
    read: (...parameters) => withoutStackTrace(lifecycle.read(...parameters)),
    update: (...parameters) => withoutStackTrace(lifecycle.update(...parameters)),
    delete: (...parameters) => withoutStackTrace(lifecycle.delete(...parameters)),
  };
}

function escaped({ property, reason }: CheckFailure): CheckFailure {
  return { property, reason: escapeMessage(reason) };
}

async function withoutStackTrace<T>(result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    throw errorWithoutStackTrace(error);
  }
}
