/**
 * The permission to disable private IP mode. Nothing disables it without one, and only the guard can obtain one: `npm
 * run lint` allows no other file to import {@link permitDisable}. `Client.disablePrivateIpMode` uses it up (client.ts).
 */
import { ProviderError } from "../messages/errors";
import type { SharedListing, VerifiedClusters } from "./clusterLists";
import { UnusableResponseError } from "./requestErrors";
import { stopwatch } from "./retry";

/** How long a permission is valid after its list was read, in seconds. This is enough to connect to the service. */
const validSeconds = 30;

/**
 * Permits one PATCH that disables the mode of a project, until 30 s after its list of clusters was read.
 *
 * It proves that every record in the lists of the setting `clusterPaths` ran 7.0 or later when its page was requested,
 * and that these lists are taken as complete (paging.ts). A cluster that is created later, or in a path that was already
 * read, is not seen. That is enough, because no list can rule it out: somebody can create a cluster between any list and
 * any PATCH, and then only the service itself can refuse the change. So this time is kept short. Two limits are checked
 * just before the PATCH is written, because a process can be suspended at any time before. {@link requireRecent} limits
 * the time since the last page was received, by the clock that ran further. The time limit of the change (modeChange.ts)
 * limits the time since the first page was requested.
 */
class DisablePermission {
  readonly projectId: string;
  readonly #age = stopwatch();
  #isUsed = false;

  /** The list of clusters was read just now. */
  constructor(projectId: string) {
    this.projectId = projectId;
  }

  /** Uses up the permission. Throws if it was used before. */
  use(): void {
    if (this.#isUsed) throw new Error("a permission to disable the mode was used twice");
    this.#isUsed = true;
  }

  /** Throws an UnusableResponseError if the permission has expired. The whole attempt may then be repeated. */
  requireRecent(attempt: number): void {
    if (this.#age() <= validSeconds * 1000) return;
    const request = {
      method: "PATCH",
      path: `privateIpMode of project ${this.projectId}`,
      attempt,
    } as const;
    const problem = `not sent, because the list of clusters was read more than ${validSeconds} s before. Try again.`;
    throw new UnusableResponseError("timeout", request, problem);
  }
}
// Only the type, so that no other file can create a permission.
export type { DisablePermission };

/**
 * Reads the clusters anew, and permits to disable the mode.
 *
 * @param refusalOf returns why a list does not allow it; undefined if it does
 * @throws ProviderError `refused` for a list that does not allow it, and an Error for an incomplete list that does
 */
export async function permitDisable(
  listing: SharedListing,
  projectId: string,
  refusalOf: (list: VerifiedClusters) => string | undefined,
): Promise<DisablePermission> {
  const list = await listing.verifiedAnew(projectId);
  const refusal = refusalOf(list);
  if (refusal !== undefined) throw new ProviderError(refusal, { code: "refused" });
  if (list.gap !== undefined) throw new Error("the guard accepted an incomplete list");
  return new DisablePermission(projectId);
}
