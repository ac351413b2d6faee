/** The `connectionStrings` object of a cluster (service document 2.6). */
import { z } from "zod";
import { providerSchema } from "../seed/fields";

const privateEndpointStringsSchema = z.strictObject({
  /** Host-list form. */
  connectionString: z.string(),
  /** SRV form. */
  srvConnectionString: z.string(),
  /** Optimized SRV form (service document 2.6 rule 4). */
  srvShardOptimizedConnectionString: z.string().exactOptional(),
  /** The field that the connect view shows by default (service document 2.6 rule 8). */
  shownByDefault: z.enum(["srvConnectionString", "srvShardOptimizedConnectionString"]),
  /** Target of the load balancer: the routers of a sharded cluster, or the nodes of a replica set. */
  type: z.enum(["NODE", "ROUTER"]),
  /** The endpoint of these strings: one entry. */
  endpoints: z.array(
    z.strictObject({
      /** ID of the endpoint at the cloud provider. */
      endpointId: z.string(),
      /** Cloud provider of the endpoint. */
      providerName: providerSchema,
      /** Region of the endpoint. */
      region: z.string(),
    }),
  ),
});

/** The connection strings of a cluster. */
export const connectionStringsSchema = z.strictObject({
  /** Standard string, host-list form. */
  standard: z.string().exactOptional(),
  /** Standard string, SRV form. */
  standardSrv: z.string().exactOptional(),
  /** Peering-private string, host-list form. */
  private: z.string().exactOptional(),
  /** Peering-private string, SRV form. */
  privateSrv: z.string().exactOptional(),
  /** Legacy string, host-list form. */
  legacy: z.string().exactOptional(),
  /** Legacy string, SRV form. */
  legacySrv: z.string().exactOptional(),
  /** One entry for each private endpoint. */
  privateEndpoint: z.array(privateEndpointStringsSchema).exactOptional(),
});

/** Makes all fields and arrays in a type read-only. */
type Immutable<T> = T extends object ? { readonly [K in keyof T]: Immutable<T[K]> } : T;

/** The connection strings of one private endpoint. */
export type PrivateEndpointStrings = Immutable<z.output<typeof privateEndpointStringsSchema>>;
/** The `connectionStrings` object of a cluster. Strings that do not exist, or not yet, are absent. */
export type ConnectionStrings = Immutable<z.output<typeof connectionStringsSchema>>;
