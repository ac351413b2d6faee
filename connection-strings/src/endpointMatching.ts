/** Finds the private endpoint of an application's network. */
import { type EndpointStringForm, sortByForm } from "./endpointStrings";
import { classifyHosts } from "./kinds";
import type { PrivateEndpointStrings } from "./privateEndpoints";
import { isSameRegion, regionsOf } from "./regions";

/** A virtual network with a private endpoint. If there are several, the ID or region identifies one. */
export interface PrivateEndpointNetwork {
  /** Distinguishes the kinds of network. */
  readonly kind: "privateEndpoint";
  /**
   * The ID of the endpoint, exactly as the service returns it.
   *
   * @default any endpoint
   */
  readonly endpointId?: string | undefined;
  /**
   * The region of the endpoint, in any spelling: `us-east-1`, `US_EAST_1` or `useast1`.
   *
   * @default any region
   */
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
  const byRecord = withId.filter((endpoint) => regionsOf(endpoint).some(matches));
  // A service may name a region US_EAST_2 in the record and eastus2 in the host names.
  return byRecord.length > 0
    ? byRecord
    : withId.filter((endpoint) => regionsInHostNames(endpoint).some(matches));
}

/**
 * Sorts the strings of an endpoint by their host names. `clusterStrings` already does this, but in a
 * state recorded by an earlier version, `srv` may contain an optimized string.
 *
 * @param endpoint the endpoint
 * @returns its strings
 */
export function sortedByHost(endpoint: PrivateEndpointStrings) {
  const returnedString = (form: EndpointStringForm) => {
    const text = endpoint[form];
    return text === undefined ? [] : [{ text, documentedForm: form }];
  };
  const sorted = sortByForm([
    ...returnedString("hosts"),
    ...returnedString("srv"),
    ...returnedString("optimizedSrv"),
  ]);
  return {
    hosts: sorted.hosts?.text,
    srv: sorted.srv?.text,
    optimizedSrv: sorted.optimizedSrv?.text,
  };
}

function regionsInHostNames({ hosts, srv }: PrivateEndpointStrings): string[] {
  const classified = [hosts, srv].flatMap((text) =>
    text === undefined ? [] : classifyHosts(text),
  );
  return classified.flatMap((host) => ("region" in host ? (host.region ?? []) : []));
}
