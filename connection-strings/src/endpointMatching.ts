/** Finds the private endpoint of an application's network. */
import { type Slot, sortStrings } from "./endpointStrings";
import { classifyHosts } from "./kinds";
import type { PrivateEndpointStrings } from "./privateEndpoints";
import { isSameRegion, regionsOf } from "./regions";

/** A virtual network with a private endpoint. If there are several, the ID or region identifies one. */
export interface PrivateEndpointNetwork {
  readonly kind: "privateEndpoint";
  readonly endpointId?: string | undefined;
  /** In any spelling: `us-east-1`, `US_EAST_1` or `useast1`. */
  readonly region?: string | undefined;
}

/**
 * Finds the endpoints that have the requested ID and region.
 *
 * @param endpoints the cluster's private endpoints
 * @param network the requested ID and region, both optional
 * @returns all matching endpoints. Names of different regions can look the same, so callers must not
 * pick one of several matches.
 */
export function endpointsFor(
  endpoints: readonly PrivateEndpointStrings[],
  { endpointId, region }: PrivateEndpointNetwork,
): PrivateEndpointStrings[] {
  const withId = endpoints.filter(
    ({ endpointIds }) => endpointId === undefined || endpointIds.includes(endpointId),
  );
  if (region === undefined) return withId;
  const matches = (name: string) => isSameRegion(name, region);
  const named = withId.filter((endpoint) => regionsOf(endpoint).some(matches));
  // A service may name a region US_EAST_2 in the record and eastus2 in the host names.
  return named.length > 0
    ? named
    : withId.filter((endpoint) => regionsInHostNames(endpoint).some(matches));
}

/**
 * Sorts the strings of an endpoint by their host names. `clusterStrings` already does this, but in a
 * state recorded by an earlier version, an optimized string may be in the place of the plain one.
 *
 * @param endpoint the endpoint
 * @returns its strings
 */
export function sortedByHost(endpoint: PrivateEndpointStrings) {
  const candidate = (meantFor: Slot) => {
    const text = endpoint[meantFor];
    return text === undefined ? [] : [{ text, meantFor }];
  };
  const slots = sortStrings([
    ...candidate("hosts"),
    ...candidate("srv"),
    ...candidate("optimizedSrv"),
  ]);
  return {
    hosts: slots.hosts?.text,
    srv: slots.srv?.text,
    optimizedSrv: slots.optimizedSrv?.text,
  };
}

function regionsInHostNames({ hosts, srv }: PrivateEndpointStrings): string[] {
  const classified = [hosts, srv].flatMap((text) =>
    text === undefined ? [] : classifyHosts(text),
  );
  return classified.flatMap((of) => ("region" in of ? (of.region ?? []) : []));
}
