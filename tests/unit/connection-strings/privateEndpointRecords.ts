/** Creates records of private endpoints as the service returns them. */
import { type ServicePrivateEndpoint, clusterStrings } from "../../../connection-strings/src";

/** Returns the host of a private endpoint. */
export const host = (index: number, region: string) => `pl-${index}-${region}.ab1cd.db.example`;

/** Returns the record of a private endpoint with an ID in each region. */
export const record = (index: number, ...regions: string[]): ServicePrivateEndpoint => ({
  connectionString: `db://${host(index, "us-east-1")}:1024`,
  srvConnectionString: `db+srv://orders-${host(index, "us-east-1")}`,
  endpoints: regions.map((region, position) => ({
    endpointId: `vpce-${index}-${position}`,
    region,
  })),
});

/** Returns the strings of a cluster that only has private endpoints. */
export const stringsOf = (...privateEndpoint: ServicePrivateEndpoint[]) =>
  clusterStrings({ privateEndpoint });
