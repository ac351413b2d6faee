/** The schema of the `connectionStrings` object of a cluster. strings.ts describes the fields. */
import { z } from "zod";
import { providerSchema } from "../seed/fields";

const privateEndpointStringsSchema = z.strictObject({
  connectionString: z.string(),
  srvConnectionString: z.string(),
  srvShardOptimizedConnectionString: z.string().exactOptional(),
  shownByDefault: z.enum(["srvConnectionString", "srvShardOptimizedConnectionString"]),
  type: z.enum(["NODE", "ROUTER"]),
  endpoints: z.array(
    z.strictObject({
      endpointId: z.string(),
      providerName: providerSchema,
      region: z.string(),
    }),
  ),
});

/** The schema of the connection strings of a cluster. */
export const connectionStringsSchema = z.strictObject({
  standard: z.string().exactOptional(),
  standardSrv: z.string().exactOptional(),
  private: z.string().exactOptional(),
  privateSrv: z.string().exactOptional(),
  legacy: z.string().exactOptional(),
  legacySrv: z.string().exactOptional(),
  privateEndpoint: z.array(privateEndpointStringsSchema).exactOptional(),
});
