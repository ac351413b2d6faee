/** Determines whether a cluster gets an optimized SRV string (service document 2.6 rules 4 to 6). */
import gte from "semver/functions/gte";
import semverParse from "semver/functions/parse";
import { ConnectionStringError, connectionStringErrorCodes as codes } from "./errors";
import { distinctRegions } from "./regions";

/** The service's cloud providers, as the service document names them. */
export type CloudProvider = "A" | "B" | "C";

const providers: readonly CloudProvider[] = ["A", "B", "C"];

/** The facts about a cluster that rule 4 requires. */
export interface OptimizedSrvFacts {
  readonly sharded: boolean;
  /** All regions of the cluster, at least one; a region may be listed twice, in any spelling. */
  readonly regions: readonly { readonly name: string; readonly provider: CloudProvider }[];
  /** Database version, `<major>.<minor>` or `<major>.<minor>.<patch>`. */
  readonly version: string;
  /** A private endpoint is set up for the cluster. */
  readonly privateEndpoint: boolean;
  /** Regionalized private endpoints are enabled. */
  readonly regionalizedPrivateEndpoints: boolean;
  /** The driver supports optimized connections. Its documentation states the minimum version. */
  readonly driverMeetsMinimum: boolean;
}

export type OptimizedSrvCondition =
  | "sharded"
  | "provider"
  | "version"
  | "privateEndpoint"
  | "regionalizedPrivateEndpoints"
  | "driver";

export interface UnmetCondition {
  readonly condition: OptimizedSrvCondition;
  /** What is missing, as text for a message. */
  readonly reason: string;
}

export type OptimizedSrvEligibility =
  | {
      readonly eligible: true;
      /** The regions that support it: those in provider A. */
      readonly regions: readonly string[];
      /** Caveats (rules 5 and 6). */
      readonly warnings: readonly string[];
    }
  /** Every unmet condition, in the order of the rule. */
  | { readonly eligible: false; readonly unmet: readonly UnmetCondition[] };

/**
 * Returns whether the service generates an optimized SRV string for a cluster.
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
  const regions = distinct(facts.regions);
  if (regions.length === 0) {
    throw new ConnectionStringError(codes.invalidFacts, "the cluster has no regions");
  }
  const supported = regions.filter(({ provider }) => provider === "A").map(({ name }) => name);
  const multiRegion = regions.length > 1;
  const conditions: [OptimizedSrvCondition, boolean, string][] = [
    ["sharded", sharded, "the cluster is not sharded"],
    ["provider", supported.length > 0, "the cluster has no region in provider A"],
    ["version", isAtLeast5(facts.version), `database version ${facts.version} is below 5.0`],
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
    .filter(([, met]) => !met)
    .map(([condition, , reason]) => ({ condition, reason }));
  if (unmet.length > 0) return { eligible: false, unmet };
  return { eligible: true, regions: supported, warnings: warningsOf(facts, multiRegion) };
}

/** Removes duplicate regions. Regions of different providers may have the same name. */
function distinct(regions: OptimizedSrvFacts["regions"]): OptimizedSrvFacts["regions"] {
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

function isAtLeast5(version: string): boolean {
  const parsed = semverParse(/^\d+\.\d+$/.test(version) ? `${version}.0` : version);
  if (parsed === null) {
    throw new ConnectionStringError(
      codes.invalidFacts,
      "the database version is not <major>.<minor> or <major>.<minor>.<patch>",
    );
  }
  return gte(parsed, "5.0.0");
}
