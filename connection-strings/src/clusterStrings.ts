/** The connection strings of a cluster by kind, each exactly as the service returned it. */
import { classify, clusterDomain } from "./classification";
import type { StringForm } from "./parsing";
import {
  type PrivateEndpointStrings,
  endpointFields,
  privateEndpointsOf,
} from "./privateEndpoints";
import { fieldsOf, present, textOf } from "./serviceStrings";

/**
 * The strings of a cluster by kind ([what each is for](https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/internals/service.md#26-connection-strings)).
 * One that the service did not return is absent.
 */
export interface ClusterStrings {
  /**
   * Host list for the Internet. From peered networks in AWS (provider A), it resolves to private addresses.
   *
   * @example "mongodb://orders-shard-00-00.ab1cd.db.example:27017/?ssl=true&authSource=admin"
   */
  readonly standard?: string;
  /**
   * The SRV form of `standard`.
   *
   * @example "mongodb+srv://orders.ab1cd.db.example"
   */
  readonly standardSrv?: string;
  /**
   * Host list for peered networks.
   *
   * @example "mongodb://orders-shard-00-00-pri.ab1cd.db.example:27017/?ssl=true&authSource=admin"
   */
  readonly private?: string;
  /**
   * The SRV form of `private`.
   *
   * @example "mongodb+srv://orders-pri.ab1cd.db.example"
   */
  readonly privateSrv?: string;
  /**
   * Host list of clusters created before 31 March 2020.
   *
   * @example "mongodb://orders-shard-00-00-ab1cd.db.example:27017/?ssl=true&authSource=admin"
   */
  readonly legacy?: string;
  /**
   * The SRV form of `legacy`.
   *
   * @example "mongodb+srv://orders-ab1cd.db.example"
   */
  readonly legacySrv?: string;
  /** The strings of private endpoints, ordered by index. */
  readonly privateEndpoints: readonly PrivateEndpointStrings[];
  /**
   * All other strings in the cluster's record `connectionStrings`, under their own names; absent if there are none.
   *
   * @example { analyticsSrv: "mongodb+srv://orders-an.ab1cd.db.example" }
   */
  readonly others?: Readonly<Record<string, string>>;
}

/**
 * Sorts the strings of a cluster by kind.
 *
 * @param record the `connectionStrings` record of a cluster as the service returned it, or as Pulumi's provider for
 * MongoDB Atlas does, in a list or with `privateEndpoints` instead of `privateEndpoint`. Fields may be missing; null
 * and values of an unexpected type count as absent. A result of this function is returned unchanged.
 * @default an empty record
 * @returns the strings by kind. Strings of unknown kinds are in `others`. Never throws.
 * @example
 * const { standardSrv, privateEndpoints } = clusterStrings(cluster.connectionStrings);
 */
export function clusterStrings(record?: object | null): ClusterStrings {
  if (isClusterStrings(record) && record.privateEndpoints.length > 0) return record;
  // Pulumi's provider for MongoDB Atlas returns a list with one record.
  const fields = fieldsOf(Array.isArray(record) && record.length === 1 ? record[0] : record);
  // The domain distinguishes legacy SRV strings from standard ones.
  const domain = clusterDomain(
    ["standard", "private"].map((name) => textOf(fields.get(name)) ?? ""),
  );
  const { legacy, legacySrv, others } = legacyAndOthers(fields, domain);
  const textIn = (field: (typeof namedFields)[number]) => textOf(fields.get(field));
  return {
    ...present({ standard: textIn("standard"), standardSrv: textIn("standardSrv") }),
    ...present({ private: textIn("private"), privateSrv: textIn("privateSrv") }),
    ...present({ legacy, legacySrv }),
    privateEndpoints: privateEndpointsOf(fields, { domain }),
    ...(others.length === 0 ? {} : { others: Object.fromEntries(others) }),
  };
}

/**
 * Returns whether a value is a result of `clusterStrings`. Programs in JavaScript can pass a cluster's record where it is
 * expected.
 */
export function isClusterStrings(value: unknown): value is ClusterStrings {
  const endpoints = fieldsOf(value).get("privateEndpoints");
  return (
    Array.isArray(endpoints) &&
    endpoints.every((endpoint) => Array.isArray(fieldsOf(endpoint).get("endpointIds")))
  );
}

/** Fields that become outputs under the same names. */
const namedFields = ["standard", "standardSrv", "private", "privateSrv"] as const;

/** Fields that never hold the legacy string, even if their value looks like one. */
const fieldsOfOtherKinds: readonly string[] = [...endpointFields, "private", "privateSrv"];

/**
 * Finds the legacy strings, and returns all remaining ones. The service document has no field for a legacy string.
 * Services that have one call it `legacy`; otherwise the string is recognized by its form, whichever field it is in.
 */
function legacyAndOthers(fields: ReadonlyMap<string, unknown>, domain: string | undefined) {
  const classified = Array.from(fields).flatMap(([field, value]) => {
    const text = fieldsOfOtherKinds.includes(field) ? undefined : textOf(value);
    return text === undefined ? [] : [{ field, text, classification: classify(text, { domain }) }];
  });
  const find = (name: string, form: StringForm) =>
    classified.find(({ field }) => field === name) ??
    classified.find(
      ({ classification }) => classification.kind === "legacy" && classification.form === form,
    );
  const legacy = find("legacy", "hosts");
  const legacySrv = find("legacySrv", "srv");
  const outputs: unknown[] = [...namedFields, ...endpointFields, legacy?.field, legacySrv?.field];
  const others = Array.from(fields).flatMap(([field, value]) => {
    const text = textOf(value);
    return text === undefined || outputs.includes(field) ? [] : [[field, text] as const];
  });
  return { legacy: legacy?.text, legacySrv: legacySrv?.text, others };
}
