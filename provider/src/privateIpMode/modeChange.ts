/**
 * A change of a project's private IP mode: observe, guard, send, look again, retry. The client only
 * sends; this is where it is decided that a change may be sent, and whether it may be sent again.
 */
import { ApiError, ResponseError, errorCodes, isTransient } from "../api/errors";
import { escapeText } from "../api/escapeText";
import { retrying, withDeadline } from "../api/retry";
import { ProviderError } from "../engine/errors";
import type { Session } from "../session";
import { disableRefusal } from "./guard";

/** What a change needs of the process that makes it. */
export interface ModeChangeContext {
  readonly session: Pick<Session, "client" | "listing" | "retryPolicy">;
  /** Returns whether the engine that asked for the change is gone: nothing is sent then. */
  readonly engineIsGone: () => Promise<boolean>;
  /** Called before the first request of a change. */
  readonly beforeChange: () => Promise<void>;
  /** Limit of one change with its guards, retries and waits. Default: 600. */
  readonly changeTimeoutSeconds?: number | undefined;
}

export interface ModeChange {
  readonly projectId: string;
  readonly enabled: boolean;
  /** What the mode was when it was last recorded; undefined when it was not. */
  readonly recorded: boolean | undefined;
  /** What to do instead of upgrading clusters, for a refusal. */
  readonly remedy?: string | undefined;
}

/**
 * Sets the mode unless it is as asked. A disable is guarded on clusters that are read just before
 * each time it is sent, whatever `check` saw earlier.
 *
 * @returns what the mode was before; undefined when the service does not show it
 * @throws ProviderError when the guard or the service refuses, or the engine is gone
 * @throws ApiError when the service fails
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
      `the service at ${client.apiRoot} answered the change of private IP mode of project ${escapeText(projectId)} with enabled: ${String(confirmed)}, not ${String(enabled)}. Look at the setting in the service, then run the update again.`,
    );
  }
  return before;
}

/**
 * Returns the mode as the service shows it, else as recorded; undefined when neither tells.
 *
 * @throws ApiError when the service fails, or the project does not exist
 */
export async function observeMode(
  { client, listing }: Pick<Session, "client" | "listing">,
  projectId: string,
  recorded: boolean | undefined,
): Promise<boolean | undefined> {
  const mode = await client.getPrivateIpMode(projectId);
  if (mode.kind === "observed") return mode.enabled;
  // A service without this GET and a missing project answer alike; a listing tells them apart.
  await listing.clusters(projectId);
  return recorded;
}

/** Limit of one change with its guards, retries and waits, in seconds. */
const changeTimeout = 600;

/** What is known of a change that may have been sent. */
interface Progress {
  /** An attempt was sent, and its answer did not arrive or was a failure of the service. */
  sent: boolean;
  /** What a look at the setting showed after the last attempt. */
  seen: "asRequested" | "notYet" | "notShown" | undefined;
}

/** Sends the change, and again after a failure when a look at the setting shows that it was not made. */
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
    // The turn comes first: a wait for it would make the guard's list an old one.
    await client.takeTurn(projectId);
    signal.throwIfAborted();
    if (!enabled) await guardDisable(context, projectId, remedy);
    await stopWithoutEngine(context);
    // After its deadline the update has failed: nothing may change any more.
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

/** An engine that was killed cannot record what is changed now. */
async function stopWithoutEngine(context: ModeChangeContext): Promise<void> {
  if (await context.engineIsGone()) {
    throw new ProviderError(
      "the Pulumi engine that asked for this change is gone; nothing was changed. Run the update again.",
    );
  }
}

/** A lost answer does not tell whether the change was made. */
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
  const message = `the change was sent, and whether it was made is not known. Run the update again. (${error.message})`;
  return new ApiError(error.code, error, message, { cause: error });
}

/** The service's own refusal of the change, reported as such; any other error as it is. */
function asRefusal(error: unknown, projectId: string, enabled: boolean): unknown {
  if (!(error instanceof ResponseError) || error.code !== errorCodes.refused) return error;
  const verb = enabled ? "enable" : "disable";
  const reason = escapeText(error.detail ?? "it gives no reason");
  return new ProviderError(
    `the service itself refuses to ${verb} private IP mode of project ${escapeText(projectId)} (${escapeText(error.errorCode ?? "", 100)}): ${reason}`,
    "",
    { cause: error },
  );
}
