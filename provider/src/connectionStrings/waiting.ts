/** Waits for a connection string that is not there yet, and says meanwhile what is missing. */
import { setTimeout as sleep } from "node:timers/promises";
import { isTransient } from "../api/errors";
import { ProviderError } from "../engine/errors";
import type { Session } from "../session";
import type { Args } from "./args";
import { type FoundStrings, type Lookup, lookUpIn } from "./lookup";

/** Seconds before the second look, the third, and every further one. */
const pauses = [1, 3, 5] as const;

/** Seconds that the first look may go back: many lookups that begin to wait together share it. */
const together = 1;

/**
 * Looks until the string is there, at most `waitSeconds` long. Lookups that wait at the same time
 * share their looks, so that a stack of many costs no more of a project's requests a minute than one.
 *
 * Throws {@link ProviderError} that names the cluster's state and what is missing.
 */
export async function waitForStrings(
  { listing, log }: Pick<Session, "listing" | "log">,
  wanted: Args,
): Promise<FoundStrings> {
  const start = Date.now();
  let since = start - together * 1000;
  for (let looks = 0; ; looks += 1) {
    const lookup = await look(listing, wanted, since);
    if (lookup.kind === "found") return lookup.strings;
    if (lookup.kind === "unclear") throw new ProviderError(lookup.problem);
    const now = Date.now();
    const waited = (now - start) / 1000;
    const left = wanted.waitSeconds - waited;
    if (left <= 0) {
      throw new ProviderError(
        `${lookup.problem} Gave up after ${Math.round(waited)} s (waitSeconds: ${wanted.waitSeconds}).`,
      );
    }
    await log("progress", `waiting up to ${Math.ceil(left)} s more for the ${lookup.missing}`);
    await sleep(Math.min(pauses[looks] ?? pauses[2], left) * 1000);
    since = now + 1;
  }
}

/** A failure that may pass is one more reason to look again: a wait outlasts it. */
async function look(
  listing: Session["listing"],
  wanted: Args,
  since: number,
): Promise<
  Lookup | { readonly kind: "failed"; readonly problem: string; readonly missing: string }
> {
  try {
    return lookUpIn(await listing.clustersSince(wanted.projectId, since), wanted);
  } catch (error) {
    if (!isTransient(error)) throw error;
    return { kind: "failed", problem: error.message, missing: "service, which fails" };
  }
}
