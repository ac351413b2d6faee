/**
 * The names of regions. The service names a region in two ways: in the record of a private endpoint in its own way,
 * such as `EASTERN_US`, and in host names as the cloud does, such as `us-east1-gcp`
 * (docs/reference/service-differences.md). There is no table of regions, because clouds add regions all the time.
 */
import type { HostClassification } from "./classification";

/** A region, as the record or a host name of an endpoint shows it. */
export interface RegionName {
  readonly source: "record" | "hosts";
  /** The name as it is shown. */
  readonly text: string;
  /** The name in lower case, without a cloud at its end. */
  readonly name: string;
  /** `aws`, `azure`, `gcp` or the service's name for a cloud; undefined if nothing shows it. */
  readonly cloud: string | undefined;
}

/** Reads the name of a region. Without a cloud, its cloud is the one at the end of the name. */
export function regionName(source: RegionName["source"], text: string, cloud?: string): RegionName {
  const whole = text.toLowerCase();
  const suffix = ["aws", "azure", "gcp"].find((end) => whole.endsWith(`-${end}`));
  const name = suffix === undefined ? whole : whole.slice(0, -suffix.length - 1);
  return { source, text, name, cloud: cloudKey(cloud) ?? suffix };
}

/** Returns the key that all names of a cloud share. In the service document, AWS is provider A. */
export function cloudKey(cloud: string | undefined): string | undefined {
  const key = cloud?.toLowerCase();
  return key === "a" ? "aws" : key;
}

/** Returns the key that all names of a region share. */
export function regionKey({ source, name, cloud = "aws" }: RegionName): string {
  const spelling = source === "record" && cloud === "aws" ? name.replaceAll("_", "-") : name;
  return `${cloud} ${spelling}`;
}

/**
 * Returns whether a requested region is one that an endpoint shows. The names must be equal, ignoring case, and a cloud
 * at the end of the requested one, such as `-gcp`, must be the endpoint's.
 *
 * In AWS, `US_EAST_1` in a record is `us-east-1`. In other clouds, the two can be different regions: `US_EAST_2` in
 * Azure is `eastus2`, and `us-east-2` is in AWS. If nothing shows the cloud, it counts as AWS, because host names in
 * other clouds end in the cloud.
 */
export function isSameRegion(wanted: RegionName, shown: RegionName): boolean {
  return (
    regionKey({ ...shown, cloud: wanted.cloud ?? shown.cloud, name: wanted.name }) ===
    regionKey(shown)
  );
}

/** Returns the regions in the host names of private endpoints, each with the cloud at its end. */
export function regionsInHosts(hosts: readonly HostClassification[]) {
  return hosts.flatMap((host) =>
    "region" in host && host.region !== undefined
      ? { region: host.region, ...(host.cloud && { cloud: host.cloud }) }
      : [],
  );
}

/** Returns the first name of each region, in the original order. */
export function distinctRegions(
  source: RegionName["source"],
  places: readonly { readonly region?: string | undefined; readonly cloud?: string | undefined }[],
): RegionName[] {
  const names = places.flatMap(({ region, cloud }) =>
    region === undefined ? [] : regionName(source, region, cloud),
  );
  const keys = names.map(regionKey);
  return names.filter((name, at) => keys.indexOf(regionKey(name)) === at);
}
