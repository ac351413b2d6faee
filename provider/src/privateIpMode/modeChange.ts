/**
 * Changes a project's private IP mode: reads the setting, applies the guard, sends the change, reads
 * the setting again and retries if necessary. The client only sends requests; this module decides
 * whether a change may be sent, and whether it may be sent again. A delete restores the mode in the same
 * way, unless another resource may depend on it.
 */
import { ApiError, ResponseError, errorCodes, isTransient } from "../api/errors";
import { escapeText } from "../api/text";
import { retrying, withDeadline } from "../api/retry";
import { projectIsGone } from "../providerProcess/projectExistence";
import type { TimeoutSeconds } from "../providerProcess/lifecycle";
import { ProviderError } from "../session/errors";
import type { Session } from "../session/session";
import type { RecordedMode } from "./args";
import { disableRefusal } from "./guard";
import type { Managers } from "./managers";

export interface ModeChangeContext {
  readonly session: Pick<Session, "client" | "listing" | "retryPolicy">;
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
  readonly timeoutSeconds?: TimeoutSeconds;
}

/**
 * Sets the mode unless it already has the requested value. Before every attempt at disabling, reads the
 * clusters again and applies the guard, regardless of what `check` found earlier (service document 3). Returns
 * the previous mode; undefined if the service does not expose it. Throws a ProviderError if the guard or the
 * service refuses the change, or if the engine is gone. Throws an ApiError if the service fails, or if the change
 * takes longer than 10 minutes.
 */
export async function setMode(
  context: ModeChangeContext,
  change: ModeChange,
): Promise<boolean | undefined> {
  const { client, listing } = context.session;
  const { projectId, enabled } = change;
  const startedAt = Date.now();
  const limit = Math.min(changeTimeout, change.timeoutSeconds ?? changeTimeout);
  const request = { method: "GET", path: pathOf(projectId) };
  const observe = () => observeMode(context.session, projectId, change.recorded);
  const before = await withDeadline(limit, request, observe, timeoutAdvice(change));
  if (before === enabled) return before;
  const left = limit - (Date.now() - startedAt) / 1000;
  const confirmed = await sendUntilConfirmed(context, change, left);
  listing.forget(projectId);
  if (confirmed !== enabled) {
    throw new ProviderError(
      `the service at ${client.apiRoot} responded to the change of private IP mode of project ${escapeText(projectId)} with enabled: ${String(confirmed)}, not ${String(enabled)}. Check the setting in the service, then run the update again.`,
    );
  }
  return before;
}

export interface RestoreContext extends ModeChangeContext {
  readonly session: Session;
  readonly managers: Pick<Managers, "findOther">;
}

/**
 * Sets the mode of a deleted resource back to its value at adoption. The guard applies as to any disable. Logs
 * every restore, or the reason for keeping the mode (docs/internals/decisions/0012-who-manages-a-mode.md).
 * Throws as {@link setMode} does.
 */
export async function restoreMode(
  context: RestoreContext,
  projectId: string,
  state: RecordedMode,
  timeoutSeconds?: TimeoutSeconds,
): Promise<void> {
  const { log } = context.session;
  const name = `private IP mode of project ${escapeText(projectId)}`;
  const decision = await decide(context, projectId, state);
  if (decision.kind === "keep") await log("warning", `${name} is kept as it is: ${decision.why}`);
  if (decision.kind !== "restore") return;
  await setMode(context, {
    projectId,
    enabled: decision.enabled,
    recorded: state.enabled,
    timeoutSeconds,
    remedy: 'keep the mode: set onDelete to "retain" and update',
  });
  await log(
    "warning",
    `${name} was turned back ${decision.enabled ? "on" : "off"}, its value when this resource was created (onDelete: "restore"). If a resource of another stack manages it, its next preview shows a change.`,
  );
}

type Decision =
  | { readonly kind: "restore"; readonly enabled: boolean }
  | { readonly kind: "keep"; readonly why: string }
  /** The mode already has its value at adoption. */
  | { readonly kind: "unchanged" };

async function decide(
  { session, managers }: RestoreContext,
  projectId: string,
  state: RecordedMode,
): Promise<Decision> {
  const adopted = state.enabledAtAdoption ?? undefined;
  if (adopted === undefined) return keep("its value before this resource was created is not known");
  const other = managers.findOther(projectId, state.managingStack);
  if (other.kind === "found") return keep(other.who);
  if (other.kind === "unknown") {
    return keep(
      "it could not be determined whether another resource manages it, because the temporary folder cannot be used",
    );
  }
  const mode = await observeUnlessGone(session, projectId, state.enabled);
  if (mode === "gone") return keep("the project does not exist");
  // Stryker disable next-line ObjectLiteral,StringLiteral: any kind other than keep and restore means that nothing is done
  if (mode === adopted) return { kind: "unchanged" };
  if (mode !== state.enabled) return keep("it was changed outside of this stack");
  return { kind: "restore", enabled: adopted };
}

function keep(why: string): Decision {
  return { kind: "keep", why };
}

async function observeUnlessGone(
  session: Session,
  projectId: string,
  recorded: boolean | undefined,
): Promise<boolean | undefined | "gone"> {
  try {
    return await observeMode(session, projectId, recorded);
  } catch (error) {
    if (await projectIsGone(session.client, projectId, error)) return "gone";
    throw error;
  }
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

/** Time limit for one change, including guards, retries and waits, in seconds. */
const changeTimeout = 600;

/** Sends the change. After a failure, sends it again if the setting shows that it was not applied. */
async function sendUntilConfirmed(
  context: ModeChangeContext,
  change: ModeChange,
  timeoutSeconds: number,
): Promise<boolean> {
  const attempts = new Attempts(context, change);
  try {
    return await withDeadline(
      timeoutSeconds,
      { method: "PATCH", path: pathOf(change.projectId) },
      (deadline) =>
        retrying(
          context.session.retryPolicy,
          deadline,
          (number) => attempts.send(number, deadline.signal),
          () => attempts.mayRepeat(),
        ),
      { cancelled: attempts.cancelled, ...timeoutAdvice(change) },
    );
  } catch (error) {
    return await attempts.resultAfter(error);
  }
}

function pathOf(projectId: string): string {
  return `privateIpMode of project ${escapeText(projectId)}`;
}

/** Returns what to do about a timeout that the program sets. */
function timeoutAdvice({ timeoutSeconds = changeTimeout }: ModeChange) {
  if (timeoutSeconds >= changeTimeout) return {};
  return { advice: `Increase customTimeouts, which is ${timeoutSeconds} s, or try again later.` };
}

/** Whether a change was applied. `unsupported`: the service has no GET for the setting. */
type Outcome = "applied" | "notApplied" | "unsupported" | "unknown";

/** The attempts at one change, and what is known about the last of them. */
class Attempts {
  readonly #context: ModeChangeContext;
  readonly #change: ModeChange;
  /** Whether the last attempt sent its request. */
  // Stryker disable next-line BooleanLiteral: the first attempt replaces it
  #isSent = false;
  /** Whether the request of an attempt is pending. */
  #isPending = false;
  /** What the setting showed after the last attempt; undefined if it was not read yet. */
  #outcome: Outcome | undefined;
  readonly #cancellation = new AbortController();
  /** Aborts when the update is cancelled while no request is pending. */
  readonly cancelled = this.#cancellation.signal;

  constructor(context: ModeChangeContext, change: ModeChange) {
    this.#context = context;
    this.#change = change;
    const cancel = () => {
      if (!this.#isPending) this.#cancellation.abort();
    };
    const { cancelled } = context.session.retryPolicy;
    if (cancelled?.aborted) cancel();
    // Stryker disable next-line BooleanLiteral,ObjectLiteral: a signal aborts only once
    else cancelled?.addEventListener("abort", cancel, { once: true });
  }

  /** Guards and sends the change; returns the mode that the service confirms. */
  async send(number: number, signal: AbortSignal): Promise<boolean> {
    const { client } = this.#context.session;
    const { projectId, enabled } = this.#change;
    this.#isSent = false;
    await this.#prepare(signal);
    this.#isSent = true;
    this.#isPending = true;
    const mayResend = () => this.#mayResend(signal);
    try {
      return await client.patchPrivateIpMode(projectId, enabled, number, signal, mayResend);
    } finally {
      this.#isPending = false;
    }
  }

  /** Returns whether the last attempt was sent and is known not to have been applied. */
  async mayRepeat(): Promise<boolean> {
    return this.#isSent && (await this.#readOutcome()) === "notApplied";
  }

  /** Returns the requested mode if the last attempt was applied although it failed; throws otherwise. */
  async resultAfter(error: unknown): Promise<boolean> {
    if (this.#isSent && this.#outcome === "applied") return this.#change.enabled;
    if (!this.#isSent || !mayBeApplied(error)) throw asRefusal(error, this.#change);
    const outcome = await this.#readOutcome();
    if (outcome === "applied") return this.#change.enabled;
    throw outcome === "notApplied" ? error : outcomeUnknown(error);
  }

  /** Waits for the rate limit, applies the guard, and checks that the update and its engine still run. */
  async #prepare(signal: AbortSignal): Promise<void> {
    const { client } = this.#context.session;
    const { projectId, enabled } = this.#change;
    this.#outcome = undefined;
    // Wait for the rate limiter before the guard: waiting afterwards would make the list stale.
    await client.waitForRateLimit(projectId, signal);
    if (!enabled) await guardDisable(this.#context, this.#change);
    // Nothing would record the change.
    if (await this.#context.engineIsGone()) {
      throw new ProviderError(
        `private IP mode of project ${escapeText(projectId)} was not changed: the Pulumi engine that requested this change is gone. Try again.`,
      );
    }
    // After the deadline the update has failed, so nothing may be changed.
    signal.throwIfAborted();
  }

  /**
   * Returns whether the change may be signed and sent again after a 401: the setting shows that it was
   * not applied, or the service has no GET for it, and the guard still allows it.
   */
  async #mayResend(signal: AbortSignal): Promise<boolean> {
    this.#isPending = false;
    const outcome = await this.#readOutcome();
    if (outcome === "applied" || outcome === "unknown") return false;
    await this.#prepare(signal);
    this.#isPending = true;
    return true;
  }

  async #readOutcome(): Promise<Outcome> {
    return (this.#outcome ??= await readOutcome(this.#context, this.#change));
  }
}

/**
 * Returns whether the change of a failed attempt may have been applied: there was no response, or it
 * does not say what the setting is now.
 */
function mayBeApplied(error: unknown): error is ApiError {
  return isTransient(error) || (error instanceof ApiError && error.code === errorCodes.malformed);
}

async function guardDisable(
  { session }: ModeChangeContext,
  { projectId, remedy }: ModeChange,
): Promise<void> {
  const refusal = disableRefusal(projectId, await session.listing.freshClusters(projectId), remedy);
  if (refusal !== undefined) throw new ProviderError(refusal);
}

/** Reads the setting to find out whether a change without a usable response was applied. */
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

function outcomeUnknown(error: ApiError): ApiError {
  const message = `the change was sent, but it is not known whether it was applied. The next update reads the mode first. The cause: ${error.problem}`;
  // Stryker disable next-line ObjectLiteral: The cause is only for debugging: no message contains it
  return new ApiError(error.code, error, message, { cause: error });
}

/** Turns a refusal by the service into a ProviderError; returns any other error unchanged. */
function asRefusal(error: unknown, { projectId, enabled, remedy }: ModeChange): unknown {
  if (!(error instanceof ResponseError) || error.code !== errorCodes.refused) return error;
  const verb = enabled ? "enable" : "disable";
  // Stryker disable next-line StringLiteral: a refusal has an error code
  const code = escapeText(error.errorCode ?? "no error code", 100);
  const reason = escapeText(error.detail ?? "no reason given");
  const advice =
    remedy === undefined
      ? "Resolve the reason, then run the update again."
      : `Resolve the reason, then run the update again, or ${remedy}.`;
  return new ProviderError(
    `the service refused to ${verb} private IP mode of project ${escapeText(projectId)} (${code}). ${advice} Reason: ${reason}`,
    "",
    // Stryker disable next-line ObjectLiteral: The cause is only for debugging: no message contains it
    { cause: error },
  );
}
