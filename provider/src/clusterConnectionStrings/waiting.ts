/** Waits for a connection string that does not exist yet, and logs what is missing. */
import { setTimeout as sleep } from "node:timers/promises";
import { isTransient } from "../api/errors";
import { ProviderError } from "../session/errors";
import type { Session } from "../session/session";
import type { Args } from "./argsSchema";
import { type FoundStrings, type Lookup, lookUpIn } from "./lookup";

/** The delays before the second poll, the third and each later one, in seconds. */
const pollDelays = [1, 3, 5] as const;

/** Maximum age of the first list, in seconds, so that concurrent lookups can share it. */
const sharedSeconds = 1;

/**
 * Polls until the string exists, for at most `waitSeconds`, and then aborts pending requests.
 * Concurrent lookups share their requests, so that many of them use no more of a project's rate limit
 * than one.
 *
 * @param session the cluster lists to poll, and the log for progress
 * @param session.listing the cluster lists
 * @param session.log the log
 * @param session.retryPolicy ends the wait when the update is cancelled
 * @param wanted the cluster, which of its strings to recommend, and how long to wait, in seconds
 * @returns the strings of the cluster
 * @throws ProviderError that names the cluster's state and what is missing
 */
export async function waitForStrings(
  { listing, log, retryPolicy }: Pick<Session, "listing" | "log" | "retryPolicy">,
  wanted: Args,
): Promise<FoundStrings> {
  const start = Date.now();
  const { cancelled } = retryPolicy;
  const timeout = AbortSignal.timeout(Math.ceil(wanted.waitSeconds * 1000));
  const signal = AbortSignal.any(cancelled === undefined ? [timeout] : [timeout, cancelled]);
  let since = start - sharedSeconds * 1000;
  let lastProblem = "the service did not respond.";
  for (let polls = 0; ; polls += 1) {
    const lookup = await poll(listing, wanted, since, signal);
    if (lookup.kind === "found") return lookup.strings;
    if (lookup.kind === "unclear") throw new ProviderError(lookup.problem);
    if (lookup.kind !== "ended") lastProblem = lookup.problem;
    const now = Date.now();
    const waited = (now - start) / 1000;
    const left = wanted.waitSeconds - waited;
    if (left <= 0 || lookup.kind === "ended") {
      const end = cancelled?.aborted ? "Cancelled" : "Timed out";
      throw new ProviderError(
        `${lastProblem} ${end} after ${Math.round(waited)} s (waitSeconds: ${wanted.waitSeconds}).`,
      );
    }
    const missing =
      lookup.kind === "failed"
        ? "service unavailable; retrying"
        : `waiting for the ${lookup.missing}`;
    await log("progress", `${missing} for up to ${Math.ceil(left)} s`);
    // The next poll reports the end of the wait.
    const delay = Math.min(pollDelays[polls] ?? pollDelays[2], left) * 1000;
    await sleep(delay, undefined, { signal }).catch(() => undefined);
    since = now + 1;
  }
}

/** Reads the list once. Returns a transient failure instead of throwing, so that polling continues. */
async function poll(
  listing: Session["listing"],
  wanted: Args,
  since: number,
  signal: AbortSignal,
): Promise<
  Lookup | { readonly kind: "failed"; readonly problem: string } | { readonly kind: "ended" }
> {
  try {
    return lookUpIn(await listing.clustersSince(wanted.projectId, since, signal), wanted);
  } catch (error) {
    if (signal.aborted) return { kind: "ended" };
    if (!isTransient(error)) throw error;
    return { kind: "failed", problem: error.message };
  }
}
