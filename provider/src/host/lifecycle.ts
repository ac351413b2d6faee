/** The operations of a resource as the engine's provider process calls them. */
import {
  type Code,
  withCode,
  ProviderError,
  UserError,
  errorWithoutStackTrace,
} from "../messages/errors";
import { escapeMessage } from "../messages/text";
import { outputInText } from "../validation/arguments";

/** Unvalidated inputs or outputs of a resource from the engine. */
export type PropertyBag = Record<string, unknown>;

/** What is wrong with one of the inputs, or with all of them together. */
export interface CheckFailure {
  /** The name of the input; empty if no single one is invalid. The engine prints its value. */
  readonly property: string;
  readonly reason: string;
  /** The code at the end of the reported reason. */
  readonly code?: Code | undefined;
}

export interface CheckResult {
  /** The inputs for the later operations. A preview shows them as the outputs. */
  readonly inputs?: PropertyBag;
  /** If there are any, the preview or update fails with them. */
  readonly failures?: CheckFailure[];
}

export interface DiffResult {
  readonly changes: boolean;
  /** The names of the properties that changed. Only the plugin reports them to the engine. */
  readonly changed: readonly string[];
  readonly replaces: string[];
}

/** The result of `read`. Without an ID, the resource is removed from the state. */
export interface ReadResult {
  readonly id?: string;
  readonly props?: PropertyBag;
  readonly inputs?: PropertyBag;
}

/**
 * The operations of a resource type. `diff` and `update` receive the recorded outputs, `check` receives the recorded
 * inputs. `timeoutSeconds` is the option `customTimeouts`, which only the plugin receives. Each throws or rejects with
 * a user error or a bug.
 */
export interface Lifecycle {
  /** Validates the inputs, and queries the service for the outputs that a preview shows. */
  check(olds: PropertyBag, news: PropertyBag): Promise<CheckResult>;
  /** Compares the recorded outputs with the checked inputs. Sends no request. */
  diff(id: string, olds: PropertyBag, news: PropertyBag): Promise<DiffResult>;
  create(inputs: PropertyBag, timeoutSeconds?: number): Promise<{ id: string; outs: PropertyBag }>;
  read(id: string, props: PropertyBag): Promise<ReadResult>;
  update(
    id: string,
    olds: PropertyBag,
    news: PropertyBag,
    timeoutSeconds?: number,
  ): Promise<{ outs: PropertyBag }>;
  delete(id: string, props: PropertyBag, timeoutSeconds?: number): Promise<void>;
}

/**
 * Wraps a lifecycle so that `check` returns a user error as a failure, and other operations throw it without a stack
 * trace.
 */
export function withReportedErrors(lifecycle: Lifecycle): Lifecycle {
  return {
    check: async (olds, news) => {
      try {
        const { failures, ...result } = await lifecycle.check(olds, news);
        return failures === undefined
          ? result
          : { ...result, failures: failures.map(reportedFailure) };
      } catch (error) {
        if (!(error instanceof UserError)) throw errorWithoutStackTrace(error);
        const property = error instanceof ProviderError ? error.property : "";
        const { message: reason, code } = error;
        return { inputs: news, failures: [reportedFailure({ property, reason, code })] };
      }
    },
    diff: (...parameters) => withoutStackTrace(() => lifecycle.diff(...parameters)),
    create: (...parameters) => withoutStackTrace(() => lifecycle.create(...parameters)),
    read: (id, props) =>
      withoutStackTrace(
        () => lifecycle.read(readId(id), props),
        Object.keys(props).length > 0 ? refreshAdvice : "",
      ),
    update: (...parameters) => withoutStackTrace(() => lifecycle.update(...parameters)),
    delete: (...parameters) => withoutStackTrace(() => lifecycle.delete(...parameters)),
  };
}

/** What to do about credentials that the service refuses in a refresh. */
export const refreshAdvice =
  " Without --run-program, a refresh uses the settings of the last update. If the credentials were replaced since then, pass it.";

/**
 * Returns an ID. Throws for one into which a program converted an output, for example for `.get`, without quoting it.
 */
function readId(id: string): string {
  const problem = outputInText(id, ["the ID"]);
  if (problem !== undefined) throw new ProviderError(problem, { code: "argument" });
  return id;
}

/** Escapes the reason of a failure for the engine, and ends it with its code. */
export function reportedFailure({ property, reason, code }: CheckFailure): CheckFailure {
  return { property, reason: withCode(escapeMessage(reason), code) };
}

/**
 * Runs an operation, whose user errors have no stack trace. The advice follows if the service refuses the credentials.
 */
async function withoutStackTrace<T>(operation: () => Promise<T>, advice = ""): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    const isRefused = error instanceof UserError && error.code === "authentication";
    throw errorWithoutStackTrace(
      isRefused ? new ProviderError(error.message + advice, { code: error.code }) : error,
    );
  }
}
