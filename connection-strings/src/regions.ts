/**
 * Compares names of regions. Services spell one region in several ways, such as `us-east-2` in host
 * names and `US_EAST_2` in records. Spellings that differ only in case, hyphens, underscores, spaces and
 * the provider at the end (`us-east1-gcp`) are equal. Other names of the same region, such as `eastus2`, are not recognized.
 */

/**
 * Returns whether two names spell the same region. Names of different regions may compare as equal, such
 * as `us-east-1` and `us-east1` of two providers: a caller that finds several matches must not choose one
 * of them.
 *
 * @param one the name of a region
 * @param other another name
 * @returns true if the names differ only in case, hyphens, underscores, spaces and the provider at the end
 * @example
 * isSameRegion("US_EAST_2", "us-east-2"); // true
 */
export function isSameRegion(one: string, other: string): boolean {
  return regionKey(one) === regionKey(other);
}

/**
 * Removes duplicate spellings of each region.
 *
 * @param regions names of regions
 * @returns the first spelling of each, in the original order
 * @example
 * distinctRegions(["US_EAST_1", "us-east-1", "EU_WEST_1"]); // ["US_EAST_1", "EU_WEST_1"]
 */
export function distinctRegions(regions: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const region of regions) {
    const key = regionKey(region);
    if (!byKey.has(key)) byKey.set(key, region);
  }
  return [...byKey.values()];
}

/**
 * Lists the regions of a private endpoint.
 *
 * @param endpoint an endpoint, or several that share their strings
 * @returns one spelling of each region, starting with `region`; empty if no region is known
 * @example
 * regionsOf({ region: "US_EAST_1", regions: ["EU_WEST_1", "US_EAST_1"] }); // ["US_EAST_1", "EU_WEST_1"]
 */
export function regionsOf({
  region,
  regions,
}: {
  readonly region?: string | undefined;
  readonly regions?: readonly string[] | undefined;
}): string[] {
  return distinctRegions([...(region === undefined ? [] : [region]), ...(regions ?? [])]);
}

/** Returns the key that all spellings of a region share. Host names may add the provider. */
function regionKey(region: string): string {
  return region
    .toLowerCase()
    .replace(/[-_\s](aws|azure|gcp)$/, "")
    .replace(/[-_\s]/g, "");
}
