/** A cluster's connection strings by kind, each exactly as the service gave it. */
import { classify, clusterDomain } from "./kinds";
import { endpointFields, privateEndpointsOf } from "./privateEndpoints";
import { type ServiceStrings, fieldsOf, textOf } from "./serviceStrings";

export type { ServicePrivateEndpoint, ServiceStrings } from "./serviceStrings";

/** The connection strings of a cluster by kind (service document 2.6). */
export interface ClusterStrings {
  /** For the Internet; from peered networks in provider A it resolves to private addresses. */
  readonly standard?: string;
  readonly standardSrv?: string;
  /** For peered networks. */
  readonly private?: string;
  readonly privateSrv?: string;
  /** Kept by clusters created before 31 March 2020 (service document 2.6 rule 7). */
  readonly legacy?: string;
  readonly legacySrv?: string;
  /** In the order of their index. */
  readonly privateEndpoints: readonly PrivateEndpointStrings[];
  /** Everything else that the service gave, by its own names; absent if there is nothing else. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/** The strings of one private endpoint, or of several that share them. */
export interface PrivateEndpointStrings {
  /** Index of the endpoint in its host names. */
  readonly index?: number;
  /** The first region that the service names, else the one in the host names. */
  readonly region?: string;
  /** All regions, sorted; only for endpoints in more than one region that share their strings. */
  readonly regions?: readonly string[];
  readonly endpointIds: readonly string[];
  readonly hosts?: string;
  /** The plain SRV string: never one with `lb` in its host name. */
  readonly srv?: string;
  /**
   * Limits connections of sharded clusters (service document 2.6 rule 4). It is known by `lb` in its
   * host name, whatever field the service gave it in.
   */
  readonly optimizedSrv?: string;
  /** Further strings that the service gave, by its own names; absent if there are none. */
  readonly others?: Readonly<Record<string, unknown>>;
}

/**
 * Sorts the strings of a cluster by kind.
 *
 * @param given the `connectionStrings` record of a cluster as the service sent it. Null counts as
 * absent, and so does a value of another type than expected.
 * @default an empty record
 * @returns the strings by kind. A string that has no place of its own is in `others`. Never throws.
 * @example
 * const { standardSrv, privateEndpoints } = clusterStrings(cluster.connectionStrings);
 */
export function clusterStrings(given?: ServiceStrings | null): ClusterStrings {
  const fields = fieldsOf(given);
  const domain = domainOf(fields);
  const { legacy, legacySrv, others } = legacyAndOthers(fields, domain);
  return {
    ...present(named.map((field) => [field, textOf(fields.get(field))])),
    ...present([
      ["legacy", legacy],
      ["legacySrv", legacySrv],
    ]),
    privateEndpoints: privateEndpointsOf(fields, { domain }),
    ...(others.length === 0 ? {} : { others: Object.fromEntries(others) }),
  };
}

const named = ["standard", "standardSrv", "private", "privateSrv"] as const;

/** Fields that never hold the legacy string, whatever it looks like. */
const elsewhere: readonly string[] = [...endpointFields, "private", "privateSrv"];

/**
 * A legacy string has no field of its own in the service's document. Services that have one call it
 * legacy; otherwise its form tells, whatever field it is in. Nothing of the rest is dropped.
 */
function legacyAndOthers(fields: ReadonlyMap<string, unknown>, domain: string | undefined) {
  const classified = Array.from(fields).flatMap(([field, value]) => {
    const text = elsewhere.includes(field) ? undefined : textOf(value);
    return text === undefined ? [] : [{ field, text, of: classify(text, { domain }) }];
  });
  const find = (name: string, form: "hosts" | "srv") =>
    classified.find(({ field }) => field === name) ??
    classified.find(({ of }) => of.kind === "legacy" && of.form === form);
  const legacy = find("legacy", "hosts");
  const legacySrv = find("legacySrv", "srv");
  const taken = new Set<unknown>([...named, ...endpointFields, legacy?.field, legacySrv?.field]);
  return {
    legacy: legacy?.text,
    legacySrv: legacySrv?.text,
    others: Array.from(fields).filter(([field]) => !taken.has(field)),
  };
}

/** The cluster's own strings tell the domain, which tells legacy SRV strings from standard ones. */
function domainOf(fields: ReadonlyMap<string, unknown>): string | undefined {
  return clusterDomain(["standard", "private"].flatMap((name) => textOf(fields.get(name)) ?? []));
}

function present<Key extends string>(
  entries: readonly (readonly [Key, string | undefined])[],
): Partial<Record<Key, string>> {
  const result: Partial<Record<Key, string>> = {};
  for (const [key, value] of entries) if (value !== undefined) result[key] = value;
  return result;
}
