/** The functions of the plugin, which programs call without a resource. */
import { type ClassifyOptions, classify } from "clouddb-connection-strings";
import * as z from "zod/mini";
import {
  type PropertyBag,
  type SchemasOf,
  type Session,
  findClusters,
  findConnectionStrings,
  mustBe,
  readArguments,
} from "../../provider/src/pluginApi";

/** A function that returns outputs for arguments. It opens the session only if it sends requests. */
type PluginFunction = (session: () => Session, args: PropertyBag) => Promise<PropertyBag>;

/** The arguments of `classifyConnectionString`. */
export interface ClassifyConnectionStringArgs extends ClassifyOptions {
  /** The connection string, with or without credentials and options. */
  readonly connectionString: string;
}

const classifyArgs = z.strictObject({
  connectionString: z.string(mustBe("a connection string")),
  domain: z.optional(z.string(mustBe("the service's cluster domain, such as clusters.example"))),
} satisfies SchemasOf<ClassifyConnectionStringArgs>);

/** The functions, by their tokens in the schema. The engine does not say what a call depends on, so lists are recent. */
export const functions: ReadonlyMap<string, PluginFunction> = new Map<string, PluginFunction>([
  [
    "clouddb:index:getConnectionStrings",
    async (session, args) => ({ ...(await findConnectionStrings(session(), args, "recent")) }),
  ],
  [
    "clouddb:index:getClusters",
    async (session, args) => ({ ...(await findClusters(session(), args, "recent")) }),
  ],
  ["clouddb:index:classifyConnectionString", (_open, args) => Promise.resolve(classified(args))],
]);

function classified(args: PropertyBag): PropertyBag {
  const valid = readArguments(classifyArgs, "arguments of classifyConnectionString", args);
  return { ...classify(valid.connectionString, { domain: valid.domain }) };
}
