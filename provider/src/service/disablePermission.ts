/**
 * The permission to disable private IP mode. Nothing disables it without one, and only the guard can obtain one: `npm
 * run lint` allows no other file to import {@link permitDisable}.
 */
import { ProviderError } from "../messages/errors";
import type { SharedListing, VerifiedClusters } from "./clusterLists";

/** Permits one PATCH that disables the mode of a project. */
class DisablePermission {
  readonly projectId: string;
  #isUsed = false;

  constructor(projectId: string) {
    this.projectId = projectId;
  }

  /** Uses up the permission. Throws if it was used before. */
  use(): void {
    if (this.#isUsed) throw new Error("a permission to disable the mode was used twice");
    this.#isUsed = true;
  }
}
// Only the type, so that no other file can create a permission.
export type { DisablePermission };

/**
 * Reads the clusters anew, and permits to disable the mode. The caller must use the permission at once, because the list
 * becomes older (docs/internals/decisions.md#0009-attempts-instead-of-retries).
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
