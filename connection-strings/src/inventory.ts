/** Describes the connection strings of a cluster in messages. */
import type { ClusterStrings, PrivateEndpointStrings } from "./clusterStrings";
import { regionsOf } from "./regions";

/**
 * Lists the strings of a cluster by network.
 *
 * @param strings the cluster's strings
 * @returns a sentence
 */
export function inventory(strings: ClusterStrings): string {
  const forms = (srv: string | undefined, hosts: string | undefined) =>
    [...(srv === undefined ? [] : ["srv"]), ...(hosts === undefined ? [] : ["hosts"])].join(", ");
  const internet = forms(strings.standardSrv, strings.standard);
  const peering = forms(strings.privateSrv, strings.private);
  const networks = [
    ...(internet === "" ? [] : [`internet (${internet})`]),
    ...(peering === "" ? [] : [`peering (${peering})`]),
    ...(strings.privateEndpoints.length === 0
      ? []
      : [`privateEndpoint (${listed(strings.privateEndpoints)})`]),
  ];
  return networks.length === 0
    ? "It has no connection strings."
    : `It has strings for: ${networks.join("; ")}.`;
}

/**
 * Lists private endpoints with their IDs and regions.
 *
 * @param endpoints the endpoints
 * @returns for example `vpce-1 in US_EAST_1, vpce-2+vpce-3 in EU_WEST_1 and US_EAST_1`
 */
export function listed(endpoints: readonly PrivateEndpointStrings[]): string {
  return endpoints
    .map((endpoint) => {
      const { endpointIds } = endpoint;
      const ids = endpointIds.length === 0 ? "(no ID)" : endpointIds.join("+");
      const regions = regionsOf(endpoint).join(" and ");
      return regions === "" ? ids : `${ids} in ${regions}`;
    })
    .join(", ");
}
