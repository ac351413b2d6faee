/**
 * Changes a project's private IP mode: reads the setting, applies the guard, sends the change, reads
 * the setting again and retries if necessary. The client only sends requests; this module decides
 * whether a change may be sent, and whether it may be sent again.
 */
import { ApiError, ResponseError, errorCodes, isTransient } from "../api/errors";
import { escapeText } from "../api/escapeText";
import { retrying, withDeadline } from "../api/retry";
import { ProviderError } from "../session/errors";
import type { Session } from "../session/session";
import { disableRefusal } from "./guard";

/** What a change needs from the process that makes it. */
export interface ModeChangeContext {
  readonly session: Pick<Session, "client" | "listing" | "retryPolicy">;
  /** Returns whether the engine that requested the change is gone. If so, nothing is sent. */
  readonly engineIsGone: () => Promise<boolean>;
  /** Called before the first request of a change. */
  readonly beforeChange: () => Promise<void>;
  /** Time limit for one change, including guards, retries and waits. Default: 600. */
  readonly changeTimeoutSeconds?: number | undefined;
}

export interface ModeChange {
  readonly projectId: string;
  readonly enabled: boolean;
  /** The last recorded mode; undefined if none was recorded. */
  readonly recorded: boolean | undefined;
  /** The alternative to upgrading the clusters, for the message of a refusal. */
  readonly remedy?: string | undefined;
}

/**
 * Sets the mode unless it already has the requested value. Before every attempt at a disable, reads
 * the clusters again and applies the guard, regardless of what `check` found earlier.
 *
 * @returns the previous mode; undefined if the service does not expose it
 * @throws ProviderError if the guard or the service refuses the change, or if the engine is gone
 * @throws ApiError if the service fails
 */
export async function setMode(
  context: ModeChangeContext,
  change: ModeChange,
): Promise<boolean | undefined> {
  const { client, listing } = context.session;
  const { projectId, enabled } = change;
  await context.beforeChange();
  const before = await observeMode(context.session, projectId, change.recorded);
  if (before === enabled) return before;
  const confirmed = await sendUntilConfirmed(context, change);
  listing.forget(projectId);
  if (confirmed !== enabled) {
    throw new ProviderError(
      `the service at ${client.apiRoot} responded to the change of private IP mode of project ${escapeText(projectId)} with enabled: ${String(confirmed)}, not ${String(enabled)}. Check the setting in the service, then run the update again.`,
    );
  }
  return before;
}

/**
 * Returns the mode that the service reports, or else the recorded one; undefined if there is neither.
 *
 * @throws ApiError if the service fails, or if the project does not exist
 */
export async function observeMode(
  { client, listing }: Pick<Session, "client" | "listing">,
  projectId: string,
  recorded: boolean | undefined,
): Promise<boolean | undefined> {
  const mode = await client.getPrivateIpMode(projectId);
  if (mode.kind === "observed") return mode.enabled;
  // A service without this GET and a missing project give the same response. Listing the clusters
  // fails only if the project is missing.
  await listing.clusters(projectId);
  return recorded;
}

/** Time limit for one change, including guards, retries and waits, in seconds. */
const changeTimeout = 600;

/** What is known about a change that may have been sent. */
interface Progress {
  /** An attempt was sent, and it got no response or a failure of the service. */
  sent: boolean;
  /** The result of reading the setting after the last attempt. */
  seen: "asRequested" | "notYet" | "notShown" | undefined;
}

/** Sends the change. After a failure, sends it again if the setting shows that it was not applied. */
async function sendUntilConfirmed(
  context: ModeChangeContext,
  { projectId, enabled, remedy }: ModeChange,
): Promise<boolean> {
  const { client, retryPolicy } = context.session;
  const progress: Progress = { sent: false, seen: undefined };
  const request = { method: "PATCH", path: `privateIpMode of project ${escapeText(projectId)}` };

  const look = async () => (progress.seen ??= await lookAtMode(context, projectId, enabled));
  const attempt = async (number: number, signal: AbortSignal) => {
    progress.sent = false;
    progress.seen = undefined;
    // Wait for the rate limiter before the guard: waiting afterwards would make the list stale.
    await client.takeTurn(projectId);
    signal.throwIfAborted();
    if (!enabled) await guardDisable(context, projectId, remedy);
    await stopWithoutEngine(context);
    // After the deadline the update has failed, so nothing may be changed.
    signal.throwIfAborted();
    progress.sent = true;
    return await client.patchPrivateIpMode(projectId, enabled, number, signal);
  };
  const mayRepeat = async () => progress.sent && (await look()) === "notYet";

  try {
    return await withDeadline(context.changeTimeoutSeconds ?? changeTimeout, request, (deadline) =>
      retrying(retryPolicy, deadline, (number) => attempt(number, deadline.signal), mayRepeat),
    );
  } catch (error) {
    if (!progress.sent || !isTransient(error)) throw asRefusal(error, projectId, enabled);
    const seen = await look();
    if (seen === "asRequested") return enabled;
    throw seen === "notShown" ? outcomeUnknown(error) : error;
  }
}

async function guardDisable(
  { session }: ModeChangeContext,
  projectId: string,
  remedy: string | undefined,
): Promise<void> {
  const refusal = disableRefusal(projectId, await session.listing.freshClusters(projectId), remedy);
  if (refusal !== undefined) throw new ProviderError(refusal);
}

/** Throws if the engine is gone: nothing would record the change. */
async function stopWithoutEngine(context: ModeChangeContext): Promise<void> {
  if (await context.engineIsGone()) {
    throw new ProviderError(
      "the Pulumi engine that requested this change is gone; nothing was changed. Run the update again.",
    );
  }
}

/** Reads the setting to find out whether a change was applied when its response was lost. */
async function lookAtMode(
  { session }: ModeChangeContext,
  projectId: string,
  enabled: boolean,
): Promise<NonNullable<Progress["seen"]>> {
  try {
    const mode = await session.client.getPrivateIpMode(projectId);
    if (mode.kind === "notShown") return "notShown";
    return mode.enabled === enabled ? "asRequested" : "notYet";
  } catch {
    return "notShown";
  }
}

function outcomeUnknown(error: ApiError): ApiError {
  const message = `the change was sent, but it is not known whether it was applied. Run the update again. (${error.message})`;
  return new ApiError(error.code, error, message, { cause: error });
}

/** Turns a refusal by the service into a ProviderError; returns any other error unchanged. */
function asRefusal(error: unknown, projectId: string, enabled: boolean): unknown {
  if (!(error instanceof ResponseError) || error.code !== errorCodes.refused) return error;
  const verb = enabled ? "enable" : "disable";
  const reason = escapeText(error.detail ?? "no reason given");
  return new ProviderError(
    `the service itself refuses to ${verb} private IP mode of project ${escapeText(projectId)} (${escapeText(error.errorCode ?? "", 100)}): ${reason}`,
    "",
    { cause: error },
  );
}
