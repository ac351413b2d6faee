/**
 * Changes a project's private IP mode. A change is an attempt that can be repeated: observe the setting, apply the
 * guard (guard.ts), ask whether the engine still runs (../host/engine.ts), send. The next attempt therefore notices what
 * the one before it did, even if its response was lost (docs/internals/decisions.md#0009-attempts-instead-of-retries).
 */
import { inspect } from "node:util";
import {
  ApiError,
  UnusableResponseError,
  ResponseError,
  isTransient,
} from "../service/requestErrors";
import { escapeText } from "../messages/text";
import { type Deadline, retry, withDeadline } from "../service/retry";
import { ProviderError, UserError } from "../messages/errors";
import type { Session } from "../service/session";
import { onOrOff } from "./args";
import { guardDisable } from "./guard";

/** What a change uses: the session that sends it, and the engine that records it. */
export interface ModeChangeContext {
  readonly session: Pick<Session, "client" | "listing" | "retryPolicy">;
  /** Returns whether the engine that requested the change is gone. If so, nothing is sent. */
  readonly engineIsGone: () => Promise<boolean>;
  /** Aborts when the process ends without the response to a change. Default: never */
  readonly end?: AbortSignal | undefined;
}

/** The requested change. */
export interface ModeChange {
  readonly projectId: string;
  readonly enabled: boolean;
  /** The limit of the whole change, including guards, retries and waits. Default: 10 minutes. */
  readonly timeoutSeconds?: number | undefined;
}

/** Says that a change was sent, but that it is not known whether the service applied it, or will. */
export class UnconfirmedChangeError extends ProviderError {
  /** Whether the service has a GET for the setting, so that the next update can read what happened. */
  readonly isReadable: boolean;

  constructor(problem: string, isReadable: boolean, cause: unknown) {
    super(problem, { code: "change-unknown", cause });
    this.isReadable = isReadable;
  }
}

const defaultTimeoutSeconds = 600;

/**
 * Sets the mode unless it already has the requested value. Applies the guard before every attempt at disabling,
 * regardless of what `check` found earlier (service document 3). Throws an UnconfirmedChangeError if the change was
 * written and may have been applied, whatever ended the attempts; a ProviderError if the guard or the service refuses
 * it, or if the engine is gone; an ApiError if the service fails or the time is over.
 */
export async function setMode(context: ModeChangeContext, change: ModeChange): Promise<void> {
  const { listing, retryPolicy } = context.session;
  const { projectId, timeoutSeconds } = change;
  const attempts = new Attempts(context, change);
  const request = {
    method: "PATCH",
    path: `privateIpMode of project ${escapeText(projectId)}`,
  } as const;
  const advice =
    timeoutSeconds === undefined
      ? undefined
      : `Increase customTimeouts, which is ${timeoutSeconds} s, or try again later.`;
  const { cancelled } = retryPolicy;
  const cancel = () => {
    attempts.cancel();
  };
  const end = () => {
    attempts.end();
  };
  if (cancelled?.aborted) cancel();
  cancelled?.addEventListener("abort", cancel);
  context.end?.addEventListener("abort", end);
  try {
    await withDeadline(
      timeoutSeconds ?? defaultTimeoutSeconds,
      request,
      (deadline) => attempts.run(deadline),
      attempts.cancelled,
      advice,
    );
  } catch (error) {
    throw attempts.isUnknown
      ? unconfirmedError(error, change, attempts.isReadable)
      : asRefusal(error, change);
  } finally {
    cancelled?.removeEventListener("abort", cancel);
    context.end?.removeEventListener("abort", end);
    listing.forget(projectId);
  }
}

/**
 * The attempts at one change, and what is known of its outcome.
 *
 * A PATCH that was written and failed may have been applied, or may still be, unless the service answered it with an
 * error below 500, or anybody with a 401 or 429. Repeating the PATCH alone would not notice this, and would rely on a
 * list of clusters that has become old. So the whole attempt is repeated
 * (docs/internals/decisions.md#0009-attempts-instead-of-retries):
 *
 * 1. It reads the mode. If that is the requested one, an earlier attempt or somebody else set it, and nothing is sent.
 *    If it cannot be read and an earlier attempt may have been applied, the attempts end without an outcome.
 * 2. Before a disable, it gets the permission of the guard, from a new list of clusters.
 * 3. It asks whether the engine still runs, because nothing would record the change otherwise.
 * 4. It sends the PATCH, which may wait for a connection. When the PATCH is about to be written, the permission and the
 *    deadline must still be valid. Only a 200 or 201 with the requested mode confirms the change
 *    (../service/responses.ts).
 *
 * Once a PATCH is in doubt, only a read, or a confirmed PATCH after it, settles the outcome.
 */
class Attempts {
  /** Whether the last GET of the setting said what the mode is. A service without this GET says nothing. */
  isReadable = false;
  readonly #context: ModeChangeContext;
  readonly #change: ModeChange;
  /** Whether a PATCH was written whose response is pending. */
  #isPending = false;
  /** The failure of a PATCH that does not say what the service did: it may have applied the change, or will. */
  #doubt: Error | undefined;
  /** Whether an attempt was repeated after a 401, for which the client renews the credentials once. */
  #wereCredentialsRenewed = false;
  readonly #cancellation = new AbortController();
  /** Aborts when the attempts end from outside. While a PATCH is pending, only the policy of `retry` can end them. */
  readonly cancelled = this.#cancellation.signal;

  constructor(context: ModeChangeContext, change: ModeChange) {
    this.#context = context;
    this.#change = change;
  }

  /** Whether a PATCH was sent that the service may have applied, or still may. */
  get isUnknown(): boolean {
    return this.#isPending || this.#doubt !== undefined;
  }

  /** Ends the attempts, unless a PATCH is pending. */
  cancel(): void {
    if (!this.#isPending) this.end();
  }

  /** Ends the attempts. The outcome of a PATCH that is pending is unknown. */
  end(): void {
    this.#cancellation.abort();
  }

  /** Resolves when the mode is the requested one. Otherwise, throws the error of the last attempt. */
  async run(deadline: Deadline): Promise<void> {
    const { retryPolicy } = this.#context.session;
    const attempt = (number: number) => this.#attempt(number, deadline);
    try {
      await retry(retryPolicy, deadline, attempt, (error) => this.#mayRepeat(error));
    } catch (error) {
      // Even after the last attempt, a read may settle the outcome.
      if (this.isUnknown && this.isReadable && (await this.#hasRequestedMode().catch(unlessBug)))
        return;
      throw error;
    }
  }

  /** Makes the attempt with this number, the first one of which is 1. */
  async #attempt(number: number, deadline: Deadline): Promise<void> {
    const { session, engineIsGone } = this.#context;
    const { client, listing } = session;
    const { projectId, enabled } = this.#change;
    if (await this.#hasRequestedMode()) return;
    // The GET worked before the last PATCH and now does not, so its outcome cannot be read.
    if (this.#doubt !== undefined && !this.isReadable) throw this.#doubt;
    const permission = enabled ? undefined : await guardDisable(listing, projectId);
    // Nothing would record the change.
    if (await engineIsGone()) throw engineGoneError(projectId);
    const { signal } = deadline;
    const onSend = () => {
      // After the deadline or a cancellation the update has failed, so nothing may be changed.
      deadline.check();
      this.#isPending = true;
    };
    const options = { attempt: number, signal, onSend };
    await this.#sendChange(number, () =>
      permission === undefined
        ? client.enablePrivateIpMode(projectId, options)
        : client.disablePrivateIpMode(permission, options),
    );
  }

  /** Reads the setting, notes whether that is possible, and returns whether it has the requested value. */
  async #hasRequestedMode(): Promise<boolean> {
    const { projectId, enabled } = this.#change;
    const mode = await this.#context.session.client.getPrivateIpMode(projectId);
    this.isReadable = mode !== undefined;
    return mode === enabled;
  }

  /** Sends the PATCH, and notes if its failure leaves the outcome in doubt. */
  async #sendChange(number: number, patch: () => Promise<boolean>): Promise<void> {
    try {
      const confirmed = await patch();
      if (confirmed !== this.#change.enabled) throw otherSettingError(this.#change, number);
    } catch (error) {
      // A later failure does not clear it, because it says nothing about this change, which the service may still apply.
      if (this.#isPending && !saysNotApplied(error))
        this.#doubt = error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      this.#isPending = false;
    }
  }

  /**
   * Returns whether another attempt may follow. After one in doubt, it may only if it begins with a read that works.
   */
  #mayRepeat(error: unknown): boolean {
    // The client has already repeated the reads. After a 429, `retry` does not ask.
    if (!(error instanceof ApiError) || error.method !== "PATCH") return false;
    if (error === this.#doubt) return this.isReadable;
    // The client renews the challenge or the token after a 401. A second one is a refusal (service document 5 rule 5).
    const isRenewed = error.code === "authentication" && !this.#wereCredentialsRenewed;
    this.#wereCredentialsRenewed ||= isRenewed;
    return isRenewed || isTransient(error);
  }
}

/** Returns false for an ApiError of a read, because the error of the attempt is reported. Rethrows anything else. */
function unlessBug(error: unknown): false {
  if (error instanceof ApiError) return false;
  throw error;
}

/** Returns the mode that the service reports; undefined if it does not. Throws an ApiError without a project. */
export async function observeMode(
  session: Pick<Session, "client">,
  projectId: string,
): Promise<boolean | undefined> {
  const mode = await session.client.getPrivateIpMode(projectId);
  // A service without this GET and a missing project give the same response.
  if (mode === undefined) await session.client.requireProject(projectId);
  return mode;
}

/**
 * Returns whether the failure of a PATCH that was written says that the service did not apply it. That is the service's
 * own answer (`isFromService` in ../service/requestErrors.ts) with an error below 500, and a 401 or 429 from anybody,
 * because what sends these has not passed the change on.
 */
function saysNotApplied(error: unknown): boolean {
  if (!(error instanceof ResponseError)) return false;
  const { status } = error;
  if (status === 401 || status === 429) return true;
  return status >= 400 && status < 500 && error.isFromService;
}

function engineGoneError(projectId: string): ProviderError {
  return new ProviderError(
    `private IP mode of project ${escapeText(projectId)} was not changed, because the Pulumi engine that requested this change has ended. Try again.`,
    { code: "engine-gone" },
  );
}

/** The error of a PATCH that the service answered with the other mode. It does not say what the service did. */
function otherSettingError(
  { projectId, enabled }: ModeChange,
  attempt: number,
): UnusableResponseError {
  const path = `privateIpMode of project ${projectId}`;
  return new UnusableResponseError(
    "malformed-response",
    { method: "PATCH", path, attempt },
    `asked to ${verbOf(enabled)} the mode, but the service answered that it is ${onOrOff(!enabled)}. Check the setting in the service.`,
  );
}

/** The error of a change that may have been applied. Of a bug, it has the stack trace, because a report needs it. */
function unconfirmedError(
  cause: unknown,
  { projectId, enabled }: ModeChange,
  isReadable: boolean,
): UnconfirmedChangeError {
  const next = isReadable ? "It reads the mode first." : "It sends what the program then declares.";
  const reason = cause instanceof UserError ? cause.message : inspect(cause);
  return new UnconfirmedChangeError(
    `private IP mode of project ${escapeText(projectId)} may or may not have been ${verbOf(enabled)}d. Run pulumi up again. ${next} The cause: ${reason}`,
    isReadable,
    cause,
  );
}

function verbOf(enabled: boolean): "enable" | "disable" {
  return enabled ? "enable" : "disable";
}

/** Returns the error for a change that the service refused for a reason of its own; any other error as it is. */
function asRefusal(error: unknown, { projectId, enabled }: ModeChange): unknown {
  if (!(error instanceof ResponseError) || error.code !== "service-refused") return error;
  const { errorCode = error.code, detail = "no reason given" } = error;
  return new ProviderError(
    `the service refused to ${verbOf(enabled)} private IP mode of project ${escapeText(projectId)} (${errorCode}). Resolve the reason, then run the update again. Reason: ${detail}`,
    { code: error.code, cause: error },
  );
}
