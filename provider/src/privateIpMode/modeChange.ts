/**
 * Changes a project's private IP mode: reads the setting, applies the guard, sends the change, reads
 * the setting again and retries if necessary. The client only sends requests; this module decides
 * whether a change may be sent, and whether it may be sent again.
 */
import { ApiError, NotSentError, ResponseError, isTransient } from "../service/errors";
import { escapeText, onOrOff } from "../messages/text";
import type { ClusterList } from "../service/client";
import { type Deadline, retry, withDeadline } from "../service/retry";
import { ProviderError, UserError } from "../messages/errors";
import type { Session } from "../service/session";
import { disableRefusal } from "./guard";

export interface ModeChangeContext {
  readonly session: Pick<Session, "client" | "listing" | "retryPolicy" | "log">;
  /** Returns whether the engine that requested the change is gone. If so, nothing is sent. */
  readonly engineIsGone: () => Promise<boolean>;
}

export interface ModeChange {
  readonly projectId: string;
  readonly enabled: boolean;
  /** The last recorded mode; undefined if none was recorded. */
  readonly recorded: boolean | undefined;
  /**
   * What the message of a refusal suggests instead of resolving its cause. Default of the guard: "keep the
   * mode with enabled: true".
   */
  readonly remedy?: string | undefined;
  /** How long the program allows the change to take. Default: 10 minutes. */
  readonly timeoutSeconds?: number | undefined;
}

/** The change was sent, but it is not known whether the service applied it, or will. */
export class UnconfirmedChangeError extends ProviderError {
  /** The mode before the change; undefined if the service does not expose it. */
  readonly before: boolean | undefined;

  constructor(message: string, before: boolean | undefined, cause: unknown) {
    super(message, { code: "change-unknown", cause });
    this.before = before;
  }
}

/**
 * Sets the mode unless it already has the requested value. Before every attempt at disabling, reads the
 * clusters again and applies the guard, regardless of what `check` found earlier (service document 3). Returns
 * the previous mode; undefined if the service does not expose it. Throws an UnconfirmedChangeError if the change
 * was sent and may have been applied; a ProviderError if the guard or the service refuses it, or if the engine is
 * gone; an ApiError if the service fails, or if the change takes longer than 10 minutes.
 */
export async function setMode(
  context: ModeChangeContext,
  change: ModeChange,
): Promise<boolean | undefined> {
  const { session } = context;
  const { projectId, enabled, timeoutSeconds = changeTimeout } = change;
  const startedAt = Date.now();
  const limit = Math.min(changeTimeout, timeoutSeconds);
  const path = `privateIpMode of project ${escapeText(projectId)}`;
  const advice = `Increase customTimeouts, which is ${timeoutSeconds} s, or try again later.`;
  const options = timeoutSeconds < changeTimeout ? { advice } : {};
  const observe = () => observeMode(session, projectId, change.recorded);
  const before = await withDeadline(limit, { method: "GET", path }, observe, options);
  if (before === enabled) return before;
  const attempts = new Attempts(context, { ...change, before });
  const send = (deadline: Deadline) =>
    retry(
      session.retryPolicy,
      deadline,
      (number) => attempts.send(number, deadline.signal),
      () => attempts.mayRetry(),
    );
  try {
    const spentSeconds = (Date.now() - startedAt) / 1000;
    const rest = { ...options, cancelled: attempts.cancelled, spentSeconds };
    await withDeadline(limit, { method: "PATCH", path }, send, rest);
  } catch (error) {
    await attempts.throwUnlessApplied(error);
  } finally {
    session.listing.forget(projectId);
  }
  return before;
}

/**
 * Returns the mode that the service reports, or else the recorded one; undefined if there is neither. Throws
 * an ApiError if the service fails, or if the project does not exist.
 */
export async function observeMode(
  session: Pick<Session, "client" | "listing">,
  projectId: string,
  recorded: boolean | undefined,
): Promise<boolean | undefined> {
  const mode = await session.client.getPrivateIpMode(projectId);
  if (mode.kind === "observed") return mode.enabled;
  // A service without this GET and a missing project give the same response. Listing the clusters
  // fails only if the project is missing.
  await session.listing.clusters(projectId);
  return recorded;
}

/** The limit of one change, including guards, retries and waits, in seconds. */
const changeTimeout = 600;

/**
 * The maximum age of the list that the guard checked when a disable is sent, in seconds, in addition to the time that
 * the rate limit may make its requests take.
 */
const maxListAge = 10;

/** How often the list is read for one attempt before it counts as too slow. */
const maxListReads = 3;

/** A change, and the mode before it; undefined if the service does not expose it. */
type SentChange = ModeChange & { readonly before: boolean | undefined };

/** Whether a change was applied. `unsupported`: the service has no GET for the setting. */
type Outcome = "applied" | "notApplied" | "unsupported" | "unknown";

/** The attempts at one change, and what is known about the last of them. */
class Attempts {
  readonly #context: ModeChangeContext;
  readonly #change: SentChange;
  /**
   * How far the last attempt got. `preparing`: the guard is not done. `ready`: the PATCH was not written yet.
   * `pending`: it was written. `answered`: it failed.
   */
  #phase: "preparing" | "ready" | "pending" | "answered" = "preparing";
  /** The list that the guard checked; undefined if none is needed. */
  #list: ClusterList | undefined;
  /** Whether the service may still apply a PATCH, because it did not say what it did with it. */
  #mayStillApply = false;
  /** What the setting showed after the last attempt; undefined if it was not read yet. */
  #outcome: Outcome | undefined;
  readonly #cancellation = new AbortController();
  /** Aborts when the update is cancelled while no PATCH is pending. */
  readonly cancelled = this.#cancellation.signal;

  constructor(context: ModeChangeContext, change: SentChange) {
    this.#context = context;
    this.#change = change;
    const cancel = () => {
      if (this.#phase !== "pending") this.#cancellation.abort();
    };
    const { cancelled } = context.session.retryPolicy;
    if (cancelled?.aborted) cancel();
    else cancelled?.addEventListener("abort", cancel, { once: true });
  }

  /**
   * Guards and sends the change. Authentication and connecting come after the guard and may take long: if the list
   * is too old when the PATCH could be written, applies the guard again instead.
   */
  async send(number: number, signal: AbortSignal): Promise<void> {
    const { client } = this.#context.session;
    const { projectId, enabled } = this.#change;
    const maySend = () => this.#maySend(signal);
    const mayRetry = () => this.#mayRetryAfter401(signal);
    for (let reads = 1; reads <= maxListReads; reads += 1) {
      await this.#prepare(signal);
      if (!this.#isListCurrent()) continue;
      try {
        const options = { signal, maySend, mayRetry };
        const confirmed = await client.patchPrivateIpMode(projectId, enabled, number, options);
        if (confirmed === enabled) return;
        // The service may apply an accepted change later (service document 7.1).
        this.#mayStillApply = true;
        throw this.#otherSetting(confirmed);
      } catch (error) {
        if (!(error instanceof NotSentError)) throw this.#afterFailure(error);
        if (signal.aborted || this.cancelled.aborted) throw error;
      }
    }
    throw this.#listTooSlow();
  }

  /** Returns whether the change may be sent again: it was not sent, or the setting shows that it was not applied. */
  async mayRetry(): Promise<boolean> {
    if (this.#phase === "ready") return true;
    return this.#phase === "answered" && (await this.#readOutcome()) === "notApplied";
  }

  /**
   * Throws the error of the last attempt, unless the setting shows that the change was applied although it failed.
   * Reads the setting once if a PATCH was sent.
   */
  async throwUnlessApplied(error: unknown): Promise<void> {
    const wasSent = this.#phase === "pending" || this.#phase === "answered";
    if (this.#phase === "pending") this.#mayStillApply = true;
    if (!(error instanceof UserError) || !(wasSent || this.#mayStillApply)) {
      throw asRefusal(error, this.#change);
    }
    const outcome = await this.#readOutcome();
    if (outcome === "applied") {
      const { projectId, enabled } = this.#change;
      const text = `private IP mode of project ${escapeText(projectId)} was turned ${onOrOff(enabled)}, although the change failed: ${error.message}`;
      await this.#context.session.log("warning", text, "change-applied");
      return;
    }
    const isAnswered = error instanceof ResponseError && !this.#mayStillApply;
    if (outcome === "notApplied" ? !this.#mayStillApply : outcome === "unsupported" && isAnswered) {
      throw asRefusal(error, this.#change, outcome);
    }
    throw unconfirmedError(error, outcome, this.#change);
  }

  /** Waits for the rate limit, applies the guard, and checks that the update and its engine still run. */
  async #prepare(signal: AbortSignal): Promise<void> {
    const { client } = this.#context.session;
    const { projectId, enabled } = this.#change;
    this.#phase = "preparing";
    this.#outcome = undefined;
    // Wait for the rate limiter before the guard, because waiting afterwards would make the list stale.
    await client.waitForRateLimit(projectId, signal);
    if (!enabled) this.#list = await guardDisable(this.#context, this.#change);
    // Nothing would record the change.
    if (await this.#context.engineIsGone()) {
      throw new ProviderError(
        `private IP mode of project ${escapeText(projectId)} was not changed, because the Pulumi engine that requested this change has ended. Try again.`,
        { code: "engine-gone" },
      );
    }
    // After the deadline the update has failed, so nothing may be changed.
    signal.throwIfAborted();
    this.#phase = "ready";
  }

  #isListCurrent(): boolean {
    if (this.#list === undefined) return true;
    const age = (Date.now() - this.#list.readAt) / 1000;
    return age >= 0 && age <= maxListAge + this.#list.rateLimitSeconds;
  }

  /** Returns whether the PATCH may be written now. */
  #maySend(signal: AbortSignal): boolean {
    if (!this.#isListCurrent() || signal.aborted || this.cancelled.aborted) return false;
    this.#phase = "pending";
    return true;
  }

  /**
   * Returns whether the change may be signed and sent again after a 401: the setting shows that it was
   * not applied, or the service has no GET for it, and the guard still allows it.
   */
  async #mayRetryAfter401(signal: AbortSignal): Promise<boolean> {
    this.#phase = "answered";
    const outcome = await this.#readOutcome();
    if (outcome === "applied" || outcome === "unknown") return false;
    await this.#prepare(signal);
    return true;
  }

  #afterFailure(error: unknown): unknown {
    if (this.#phase !== "pending") return error;
    this.#phase = "answered";
    if (isTransient(error)) this.#mayStillApply = true;
    return error;
  }

  #otherSetting(confirmed: boolean): ProviderError {
    const { apiRoot } = this.#context.session.client;
    const { projectId, enabled } = this.#change;
    return new ProviderError(
      `the service at ${apiRoot} responded to the change of private IP mode of project ${escapeText(projectId)} with enabled: ${String(confirmed)}, not ${String(enabled)}. Check the setting in the service, then run the update again.`,
      { code: "other-value" },
    );
  }

  #listTooSlow(): ProviderError {
    const project = escapeText(this.#change.projectId);
    return new ProviderError(
      `private IP mode of project ${project} was not disabled, because the versions of its clusters may have changed since they were read: each of ${maxListReads} times, the list was more than ${maxListAge} s old before the change could be sent. Check the network and the load of the service, then run the update again.`,
      { code: "stale-list" },
    );
  }

  async #readOutcome(): Promise<Outcome> {
    return (this.#outcome ??= await readOutcome(this.#context, this.#change));
  }
}

async function guardDisable(
  { session }: ModeChangeContext,
  { projectId, remedy }: ModeChange,
): Promise<ClusterList> {
  const list = await session.listing.freshClusters(projectId);
  const refusal = disableRefusal(projectId, list, remedy);
  if (refusal !== undefined) throw new ProviderError(refusal, { code: "refused" });
  return list;
}

/** Reads the setting to find out whether a change that failed was applied. */
async function readOutcome(
  { session }: ModeChangeContext,
  { projectId, enabled }: ModeChange,
): Promise<Outcome> {
  try {
    const mode = await session.client.getPrivateIpMode(projectId);
    if (mode.kind === "unsupported") return "unsupported";
    return mode.enabled === enabled ? "applied" : "notApplied";
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return "unknown";
  }
}

function unconfirmedError(error: Error, outcome: Outcome, { before }: SentChange) {
  const doubt =
    outcome === "notApplied"
      ? " The setting did not show it afterwards, but the service may still apply it."
      : "";
  const next =
    outcome === "unsupported"
      ? "The next update sends it again."
      : "The next update reads the mode first.";
  return new UnconfirmedChangeError(
    `the change was sent, but it is not known whether it was applied.${doubt} ${next} The cause: ${error.message}`,
    before,
    error,
  );
}

/** Turns a refusal by the service into a ProviderError; returns any other error unchanged. */
function asRefusal(error: unknown, change: ModeChange, outcome?: Outcome): unknown {
  if (!(error instanceof ResponseError) || error.code !== "service-refused") return error;
  const { projectId, enabled, remedy } = change;
  const verb = enabled ? "enable" : "disable";
  const code = escapeText(error.errorCode ?? "no error code", 100);
  const reason = escapeText(error.detail ?? "no reason given");
  const alternative = remedy === undefined ? "" : `, or ${remedy}`;
  const unread =
    outcome === "unsupported"
      ? " The service does not expose the setting, so check there that it is unchanged."
      : "";
  return new ProviderError(
    `the service refused to ${verb} private IP mode of project ${escapeText(projectId)} (${code}). Resolve the reason, then run the update again${alternative}.${unread} Reason: ${reason}`,
    { code: error.code, cause: error },
  );
}
