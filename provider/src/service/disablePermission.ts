/**
 * The permission to disable private IP mode. Nothing disables it without one, and only the guard can obtain one: `npm
 * run lint` allows no other file to import {@link permitDisable}.
 */
import { ProviderError } from "../messages/errors";
import type { SharedListing, VerifiedClusters } from "./clusterLists";
import type { RateLimitPlace } from "./rateLimit";

/** Permits one PATCH that disables the mode of a project, in the place of the rate limit that it contains. */
class DisablePermission {
  readonly projectId: string;
  readonly #place: RateLimitPlace;

  constructor(projectId: string, place: RateLimitPlace) {
    this.projectId = projectId;
    this.#place = place;
  }

  /** Uses up the permission and its place. Throws if it was used before. */
  use(): void {
    this.#place.use();
  }
}
// Only the type, so that no other file can create a permission.
export type { DisablePermission };

/**
 * Reads the clusters anew, and permits to disable the mode in this place of the rate limit. The caller must have waited
 * for it, because the list would age during the wait (docs/internals/decisions.md#0009-attempts-instead-of-retries).
 *
 * @param refusalOf returns why a list does not allow it; undefined if it does
 * @throws ProviderError `refused` for a list that does not allow it, and an Error for an incomplete list that does
 */
export async function permitDisable(
  listing: SharedListing,
  projectId: string,
  place: RateLimitPlace,
  refusalOf: (list: VerifiedClusters) => string | undefined,
): Promise<DisablePermission> {
  const list = await listing.verifiedAnew(projectId);
  const refusal = refusalOf(list);
  if (refusal !== undefined) throw new ProviderError(refusal, { code: "refused" });
  if (list.gap !== undefined) throw new Error("the guard accepted an incomplete list");
  return new DisablePermission(projectId, place);
}
