/** Describes the connection strings of a cluster in messages. */
import type { ClusterStrings, PrivateEndpointStrings } from "./clusterStrings";
import { regionsOf } from "./regions";

/**
 * Lists the strings of a cluster by network.
 *
 * @param strings the cluster's strings
 * @returns a sentence, for example `It has strings for: internet (srv, hosts); peering (srv).`
 */
export function inventory(strings: ClusterStrings): string {
  const networks = [
    ...networkEntry("internet", formsOf(strings.standardSrv, strings.standard)),
    ...networkEntry("peering", formsOf(strings.privateSrv, strings.private)),
    ...networkEntry("privateEndpoint", endpointList(strings.privateEndpoints)),
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
export function endpointList(endpoints: readonly PrivateEndpointStrings[]): string {
  return endpoints
    .map((endpoint) => {
      const { endpointIds } = endpoint;
      const ids = endpointIds.length === 0 ? "(no ID)" : endpointIds.join("+");
      const regions = regionsOf(endpoint).join(" and ");
      return regions === "" ? ids : `${ids} in ${regions}`;
    })
    .join(", ");
}

function formsOf(srv: string | undefined, hosts: string | undefined): string {
  const forms = [...(srv === undefined ? [] : ["srv"]), ...(hosts === undefined ? [] : ["hosts"])];
  return forms.join(", ");
}

function networkEntry(network: string, content: string): string[] {
  return content === "" ? [] : [`${network} (${content})`];
}
