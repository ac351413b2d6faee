/** The functions of the package, by their tokens. */
import {
  type ClassifyOptions,
  type DatabaseCredentials,
  classify,
  withCredentials,
} from "clouddb-connection-strings";
import * as z from "../../provider/src/api/zod";
import { findClusters } from "../../provider/src/clusterConnectionStrings/clusters";
import { findConnectionStrings } from "../../provider/src/clusterConnectionStrings/lookup";
import { findReadiness } from "../../provider/src/privateIpMode/readiness";
import type { PropertyBag } from "../../provider/src/providerProcess/lifecycle";
import { type SchemasOf, readArguments } from "../../provider/src/session/arguments";
import type { Session } from "../../provider/src/session/session";
import { secret } from "./properties";

/** A function: opens the session if it sends requests, and returns its outputs. */
type PluginFunction = (open: () => Session, args: PropertyBag) => Promise<PropertyBag>;

/** The arguments of `withCredentials`. */
export interface WithCredentialsArgs extends Omit<DatabaseCredentials, "options"> {
  /** A connection string without credentials. */
  readonly connectionString: string;
  /** The password of the database user, not encoded. A secret. */
  readonly password: string;
  /** Options to add after the existing ones, such as `retryWrites`. Values are strings, numbers and booleans. */
  readonly options?: Record<string, string | number | boolean> | undefined;
}

const withCredentialsArgs = z.strictObject({
  connectionString: z.string("must be a connection string"),
  username: z.string("must be the name of a database user"),
  password: z.string("must be the password of the database user"),
  options: z.optional(
    z.record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean()], "must be a string, a number or a boolean"),
      "must be an object with the options to add",
    ),
  ),
} satisfies SchemasOf<WithCredentialsArgs>);

/** The result of `withCredentials`. */
export interface WithCredentialsResult {
  /** The connection string with the credentials. A secret. */
  readonly connectionString: string;
}

/** The arguments of `classifyConnectionString`. */
export interface ClassifyConnectionStringArgs extends ClassifyOptions {
  /** The connection string, with or without credentials and options. */
  readonly connectionString: string;
}

const classifyArgs = z.strictObject({
  connectionString: z.string("must be a connection string"),
  domain: z.optional(z.string("must be the service's cluster domain, such as clusters.example")),
} satisfies SchemasOf<ClassifyConnectionStringArgs>);

/** The functions by their tokens. */
export const functions: ReadonlyMap<string, PluginFunction> = new Map<string, PluginFunction>([
  [
    "clouddb:index:getConnectionStrings",
    async (open, args) => ({ ...(await findConnectionStrings(open(), args)) }),
  ],
  ["clouddb:index:getClusters", async (open, args) => ({ ...(await findClusters(open(), args)) })],
  [
    "clouddb:index:getPrivateIpModeReadiness",
    async (open, args) => ({ ...(await findReadiness(open(), args)) }),
  ],
  ["clouddb:index:withCredentials", (_open, args) => Promise.resolve(addCredentials(args))],
  ["clouddb:index:classifyConnectionString", (_open, args) => Promise.resolve(classified(args))],
]);

function addCredentials(args: PropertyBag): PropertyBag {
  const valid = readArguments(withCredentialsArgs, "arguments of withCredentials", args);
  const { connectionString, ...credentials } = valid;
  const outputs: Record<keyof WithCredentialsResult, unknown> = {
    connectionString: secret(withCredentials(connectionString, credentials)),
  };
  return outputs;
}

function classified(args: PropertyBag): PropertyBag {
  const valid = readArguments(classifyArgs, "arguments of classifyConnectionString", args);
  return { ...classify(valid.connectionString, { domain: valid.domain }) };
}
