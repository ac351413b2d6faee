/** Determines whether a cluster gets an optimized SRV string (service document 2.6 rules 4 to 6). */
import gte from "semver/functions/gte";
import semverParse from "semver/functions/parse";
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
import { distinctRegions } from "./privateEndpoints";

/** The service's cloud providers, as the service document names them. */
export type CloudProvider =
  /** Has private endpoints and optimized strings. */
  | "A"
  /** Has private endpoints. */
  | "B"
  /** Has no private endpoints. */
  | "C";

/** The facts about a cluster that service document 2.6 rule 4 requires. */
export interface OptimizedSrvFacts {
  /** The cluster is sharded. */
  readonly sharded: boolean;
  /** All regions of the cluster, at least one; a region may be listed twice, in any spelling. */
  readonly regions: readonly {
    /** The name of the region, in any spelling. */
    readonly name: string;
    /** The cloud provider of the region. */
    readonly provider: CloudProvider;
  }[];
  /** Database version, `<major>.<minor>` or `<major>.<minor>.<patch>`. */
  readonly version: string;
  /** A private endpoint is set up for the cluster. */
  readonly privateEndpoint: boolean;
  /** Regionalized private endpoints are enabled. */
  readonly regionalizedPrivateEndpoints: boolean;
  /** The driver supports optimized connections. Its documentation states the minimum version. */
  readonly driverMeetsMinimum: boolean;
}

/** A condition of service document 2.6 rule 4. */
export type OptimizedSrvCondition =
  /** The cluster is sharded. */
  | "sharded"
  /** The cluster has a region in provider A. */
  | "provider"
  /** The database version is 5.0 or later. */
  | "version"
  /** The cluster has a private endpoint. */
  | "privateEndpoint"
  /** The cluster has a single region, or regionalized private endpoints. */
  | "regionalizedPrivateEndpoints"
  /** The driver supports optimized connections. */
  | "driver";

/** A condition that a cluster does not meet. */
export interface UnmetCondition {
  /** The condition, for programs. */
  readonly condition: OptimizedSrvCondition;
  /** What is missing, as text for a message. */
  readonly reason: string;
}

/** The result of `optimizedSrvEligibility`. Check `eligible` first. */
export type OptimizedSrvEligibility =
  /** The cluster meets all conditions. */
  | {
      /** Whether the service generates an optimized SRV string. */
      readonly eligible: true;
      /** The regions that support it: those in provider A. */
      readonly regions: readonly string[];
      /** Caveats, as text for messages (service document 2.6 rules 5 and 6). */
      readonly warnings: readonly string[];
    }
  /** The cluster does not meet all conditions. */
  | {
      /** Whether the service generates an optimized SRV string. */
      readonly eligible: false;
      /** Every unmet condition, in the order of service document 2.6 rule 4. */
      readonly unmet: readonly UnmetCondition[];
    };

/**
 * Returns whether the service generates an optimized SRV string for a cluster (service document 2.6
 * rules 4 to 6).
 *
 * @param facts the facts about the cluster and the driver
 * @returns the regions that support it, with warnings; or every unmet condition of rule 4
 * @throws {@link ConnectionStringError} with code `invalid-facts` for text that is not a version, and
 * for a cluster without regions
 * @example
 * optimizedSrvEligibility({
 *   sharded: true,
 *   regions: [{ name: "us-east-1", provider: "A" }],
 *   version: "7.0",
 *   privateEndpoint: true,
 *   regionalizedPrivateEndpoints: false,
 *   driverMeetsMinimum: true,
 * }).eligible; // true
 */
export function optimizedSrvEligibility(facts: OptimizedSrvFacts): OptimizedSrvEligibility {
  const { sharded, privateEndpoint, regionalizedPrivateEndpoints } = facts;
  const regions = distinctRegionsByProvider(facts.regions);
  if (regions.length === 0) {
    throw new ConnectionStringError(codes.invalidFacts, "the cluster has no regions");
  }
  const supportedRegions = regions
    .filter(({ provider }) => provider === "A")
    .map(({ name }) => name);
  const multiRegion = regions.length > 1;
  const conditions: [condition: OptimizedSrvCondition, isMet: boolean, reason: string][] = [
    ["sharded", sharded, "the cluster is not sharded"],
    ["provider", supportedRegions.length > 0, "the cluster has no region in provider A"],
    ["version", isVersion5OrLater(facts.version), `database version ${facts.version} is below 5.0`],
    ["privateEndpoint", privateEndpoint, "no private endpoint is set up for the cluster"],
    [
      "regionalizedPrivateEndpoints",
      !multiRegion || regionalizedPrivateEndpoints,
      "the cluster has several regions, and regionalized private endpoints are not enabled",
    ],
    [
      "driver",
      facts.driverMeetsMinimum,
      "the driver is older than the first version that supports optimized connections",
    ],
  ];
  const unmet = conditions
    .filter(([, isMet]) => !isMet)
    .map(([condition, , reason]) => ({ condition, reason }));
  if (unmet.length > 0) return { eligible: false, unmet };
  return { eligible: true, regions: supportedRegions, warnings: warningsOf(facts, multiRegion) };
}

const providers: readonly CloudProvider[] = ["A", "B", "C"];

/** Removes duplicate regions. Regions of different providers may have the same name. */
function distinctRegionsByProvider(
  regions: OptimizedSrvFacts["regions"],
): OptimizedSrvFacts["regions"] {
  return providers.flatMap((provider) => {
    const names = regions.filter((region) => region.provider === provider).map(({ name }) => name);
    return distinctRegions(names).map((name) => ({ name, provider }));
  });
}

function warningsOf(
  { regionalizedPrivateEndpoints }: OptimizedSrvFacts,
  multiRegion: boolean,
): string[] {
  if (multiRegion) {
    return [
      "One SRV record cannot cover several regions: use the optimized string of the region that the application runs in (rule 5).",
    ];
  }
  if (regionalizedPrivateEndpoints) return [];
  return [
    "Before the cluster becomes multi-region, enable regionalized private endpoints, or switch applications to the plain SRV string of the private endpoint: the optimized one stops working (rule 6).",
  ];
}

function isVersion5OrLater(version: string): boolean {
  const parsed = semverParse(/^\d+\.\d+$/.test(version) ? `${version}.0` : version);
  if (parsed === null) {
    throw new ConnectionStringError(
      codes.invalidFacts,
      "the database version is not <major>.<minor> or <major>.<minor>.<patch>",
    );
  }
  return gte(parsed, "5.0.0");
}
