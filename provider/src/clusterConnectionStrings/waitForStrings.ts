/** Waits for a string of a cluster that the service may still add. */
import { setTimeout as sleep } from "node:timers/promises";
import { ProviderError } from "../messages/errors";
import { escapeText } from "../messages/text";
import type { ListedClusters } from "../service/clusterLists";
import { ResponseError, isTransient } from "../service/requestErrors";
import type { Session } from "../service/session";
import type { ValidLookupArgs } from "./args";
import { type FoundStrings, findIn } from "./lookup";

/** Polls until the string exists. Concurrent lookups share requests, so many use no more of the rate limit than one. */
export async function waitForStrings(
  { listing, log, retryPolicy }: Pick<Session, "listing" | "log" | "retryPolicy">,
  wanted: ValidLookupArgs,
  timeoutSeconds = Infinity,
): Promise<FoundStrings> {
  const start = Date.now();
  const { waitSeconds } = wanted;
  const limit = Math.min(waitSeconds, timeoutSeconds);
  const shorter = timeoutSeconds < waitSeconds ? `, customTimeouts: ${timeoutSeconds} s` : "";
  const { cancelled } = retryPolicy;
  const timeout = AbortSignal.timeout(Math.ceil(limit * 1000));
  const signal = AbortSignal.any(cancelled === undefined ? [timeout] : [timeout, cancelled]);
  const secondsLeft = () => limit - (Date.now() - start) / 1000;
  let after = start - sharedWaitTime;
  let lastProblem = "the service did not respond.";
  for (let polls = 0; ; polls += 1) {
    const list = listing.listed(wanted.projectId, { after }, signal);
    const poll = await pollList(list, wanted, signal, secondsLeft);
    if (poll.kind === "found") return poll.strings;
    if (poll.kind === "pending") lastProblem = poll.problem;
    after = Date.now();
    const left = secondsLeft();
    // Node.js may collect a timeout that is only a part of another signal: https://github.com/nodejs/node/issues/57736
    if (poll.kind === "aborted" || left <= 0 || timeout.aborted || signal.aborted) {
      const end = cancelled?.aborted ? "Cancelled" : "Timed out";
      throw new ProviderError(
        `${lastProblem} ${end} after ${Math.round(limit - left)} s (waitSeconds: ${waitSeconds}${shorter}).`,
        { code: "wait-ended" },
      );
    }
    await log("progress", `${poll.progress} for up to ${Math.ceil(left)} s`);
    // The next poll reports the end of the wait.
    const delay = Math.max(pollDelays[polls] ?? pollDelays[2], poll.retryAfterSeconds);
    await sleep(Math.min(delay, left) * 1000, undefined, { signal }).catch(() => undefined);
  }
}

/** How long before a wait its first list may have been requested, in milliseconds, so that concurrent waits share it. */
const sharedWaitTime = 1000;

/** The delays before the second poll, the third and each later one, in seconds. */
const pollDelays = [1, 3, 5] as const;

/** What one list of clusters means for a wait. */
type Poll =
  | { readonly kind: "found"; readonly strings: FoundStrings }
  /** The string does not exist yet, or the service is unavailable, or limits requests. */
  | {
      readonly kind: "pending";
      readonly problem: string;
      readonly progress: string;
      /** How long the service asks to wait before the next poll. */
      readonly retryAfterSeconds: number;
    }
  /** The wait ended before the service responded. */
  | { readonly kind: "aborted" };

/**
 * Reads a list. Neither a transient failure nor a rate limit that may end in time ends the wait, but a mistake does,
 * because waiting does not mend it.
 */
async function pollList(
  list: Promise<ListedClusters>,
  wanted: ValidLookupArgs,
  signal: AbortSignal,
  secondsLeft: () => number,
): Promise<Poll> {
  try {
    const lookup = findIn(await list, wanted);
    if (lookup.kind === "found") return { kind: "found", strings: lookup.strings };
    const { problem, code } = lookup;
    if (lookup.kind === "unusable") throw new ProviderError(problem, { code });
    const missing =
      lookup.kind === "noString" ? lookup.missing : `cluster ${escapeText(wanted.clusterName)}`;
    return {
      kind: "pending",
      problem,
      progress: `waiting for the ${missing}`,
      retryAfterSeconds: 0,
    };
  } catch (error) {
    if (signal.aborted && !(error instanceof ProviderError)) return { kind: "aborted" };
    const response = error instanceof ResponseError ? error : undefined;
    const retryAfterSeconds = response?.retryAfterSeconds ?? 0;
    if (response?.code === "rate-limited" && retryAfterSeconds <= secondsLeft()) {
      const progress = "rate limit reached; retrying";
      return { kind: "pending", problem: response.message, progress, retryAfterSeconds };
    }
    if (!isTransient(error)) throw error;
    const progress = "service unavailable; retrying";
    return { kind: "pending", problem: error.message, progress, retryAfterSeconds };
  }
}
