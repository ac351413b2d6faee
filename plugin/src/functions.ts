/** The functions of the package, by their tokens. */
import { classify, withCredentials } from "clouddb-connection-strings";
import * as z from "../../provider/src/api/zod";
import { findConnectionStrings } from "../../provider/src/clusterConnectionStrings/lookup";
import { findReadiness } from "../../provider/src/privateIpMode/readiness";
import type { PropertyBag } from "../../provider/src/providerProcess/lifecycle";
import { readArguments } from "../../provider/src/session/arguments";
import type { Session } from "../../provider/src/session/session";
import { secret } from "./properties";

/** A function: opens the session if it sends requests, and returns its outputs. */
type PluginFunction = (open: () => Session, args: PropertyBag) => Promise<PropertyBag>;

/** The schema of the arguments of `withCredentials`. */
export const withCredentialsArgs = z.strictObject({
  connectionString: z.string("must be a connection string"),
  username: z.string("must be the name of a database user"),
  password: z.string("must be the password of the database user"),
  options: z.optional(
    z.record(
      z.string(),
      z.union([z.string(), z.number(), z.boolean()], "must be a text, a number or a boolean"),
      "must be an object with the options to add",
    ),
  ),
});

/** The schema of the arguments of `classifyConnectionString`. */
export const classifyArgs = z.strictObject({
  connectionString: z.string("must be a connection string"),
  domain: z.optional(z.string("must be the service's cluster domain, such as clusters.example")),
});

/** The functions by their tokens. */
export const functions: ReadonlyMap<string, PluginFunction> = new Map<string, PluginFunction>([
  [
    "clouddb:index:getConnectionStrings",
    async (open, args) => ({ ...(await findConnectionStrings(open(), args)) }),
  ],
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
  return { connectionString: secret(withCredentials(connectionString, credentials)) };
}

function classified(args: PropertyBag): PropertyBag {
  const valid = readArguments(classifyArgs, "arguments of classifyConnectionString", args);
  return { ...classify(valid.connectionString, { domain: valid.domain }) };
}
