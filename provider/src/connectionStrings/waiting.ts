/** Waits for a connection string that is not there yet, and logs meanwhile what is missing. */
import { setTimeout as sleep } from "node:timers/promises";
import { isTransient } from "../api/errors";
import { ProviderError } from "../engine/errors";
import type { Session } from "../session";
import type { Args } from "./args";
import { type FoundStrings, type Lookup, lookUpIn } from "./lookup";

/** Seconds before the second look, the third, and every further one. */
const pauses = [1, 3, 5] as const;

/** Seconds that the first look may go back, so that lookups that begin to wait together share it. */
const sharedSeconds = 1;

/**
 * Looks until the string is there, for at most `waitSeconds`: requests that are under way then end
 * with the wait. Lookups that wait at the same time share their requests, so that a stack of many
 * costs no more of a project's requests a minute than one.
 *
 * @throws ProviderError that names the cluster's state and what is missing
 */
export async function waitForStrings(
  { listing, log }: Pick<Session, "listing" | "log">,
  wanted: Args,
): Promise<FoundStrings> {
  const start = Date.now();
  const signal = AbortSignal.timeout(Math.ceil(wanted.waitSeconds * 1000));
  let since = start - sharedSeconds * 1000;
  let lastProblem = `the service did not answer.`;
  for (let looks = 0; ; looks += 1) {
    const lookup = await look(listing, wanted, since, signal);
    if (lookup.kind === "found") return lookup.strings;
    if (lookup.kind === "unclear") throw new ProviderError(lookup.problem);
    if (lookup.kind !== "ended") lastProblem = lookup.problem;
    const now = Date.now();
    const waited = (now - start) / 1000;
    const left = wanted.waitSeconds - waited;
    if (left <= 0 || lookup.kind === "ended") {
      throw new ProviderError(
        `${lastProblem} Timed out after ${Math.round(waited)} s (waitSeconds: ${wanted.waitSeconds}).`,
      );
    }
    const missing =
      lookup.kind === "failed"
        ? "service unavailable; retrying"
        : `waiting for the ${lookup.missing}`;
    await log("progress", `${missing} for up to ${Math.ceil(left)} s`);
    await sleep(Math.min(pauses[looks] ?? pauses[2], left) * 1000);
    since = now + 1;
  }
}

/** A failure that may pass is one more reason to look again: a wait outlasts it. */
async function look(
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
