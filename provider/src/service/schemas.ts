/**
 * The schemas of the service's responses, and the readers of the records in its lists. Unknown fields are ignored; a
 * known field of the wrong type is an error that names its path, except in a record.
 */
import { isObject, kindOfValue } from "../validation/values";
import type { ListPage } from "./paging";
import * as z from "zod/mini";

const page = z.looseObject({ results: z.array(z.unknown()) });
const count = z.catch(z.optional(z.int().check(z.nonnegative())), undefined);

/** Creates the schema of one page of a list (service document 4.3) from a function that reads any record. */
export function pageOf<T>(
  entity: (record: unknown) => T,
  countField: string,
): z.ZodMiniType<ListPage<T>> {
  return z.pipe(
    page,
    z.transform(({ results, ...fields }) => ({
      results: results.map(entity),
      count: count.parse(fields[countField]),
    })),
  );
}

/** The root of the API: an entity, which has links (service document 2.4 and 4.5), or describes the service. */
export const rootEntity = z.union([
  z.object({ links: z.array(z.looseObject({})).check(z.minLength(1)) }),
  z.object({ appName: z.string(), build: z.string() }),
]);

/** The response to a request for an access token (RFC 6749 5.1). */
export const accessToken = z.object({
  access_token: z.string().check(z.minLength(1)),
  /** Lifetime in seconds. */
  expires_in: z.number().check(z.positive()),
});

/** The private IP mode setting of a project (service document 2.3). */
export const privateIpMode = z.object({ enabled: z.boolean() });

/** The fields of a cluster that the provider uses (service document 2.2); undefined if the service omits them. */
export interface ClusterRecord {
  readonly id: string | undefined;
  /** The name of the cluster, which is unique in its project. */
  readonly name: string | undefined;
  /** `IDLE`, `CREATING`, `UPDATING`, `DELETING` or `REPAIRING`. */
  readonly state: string | undefined;
  /** A paused cluster is `IDLE`, and keeps its strings. */
  readonly isPaused: boolean;
  /** Full database version, `<major>.<minor>.<patch>`. */
  readonly version: string | NotText | undefined;
  /** Major database version, `<major>.<minor>`. */
  readonly majorVersion: string | NotText | undefined;
  /** The connection strings, as `clusterStrings` reads them (service document 2.6). */
  readonly connectionStrings: Readonly<Record<string, unknown>> | undefined;
}

/** A field that should be text, and is of another kind, such as `a number`. */
export interface NotText {
  readonly kind: string;
}

/** A cluster that a lookup can find. The guard also checks records without a name. */
export interface Cluster extends ClusterRecord {
  readonly name: string;
}

/**
 * Reads records of clusters. Only the two version fields are documented (service document 2.2), and their prefix
 * differs. A field that is empty or has another type is missing, except for the versions. A record without a full version
 * prevents disabling, and so does a version that is not text.
 */
export function clusterReader(fieldPrefix: string): (record: unknown) => ClusterRecord {
  return (record) => {
    const fields = isObject(record) ? record : {};
    const { id, name, stateName, paused, connectionStrings } = fields;
    return {
      id: textIn(id),
      name: textIn(name),
      state: textIn(stateName),
      isPaused: paused === true,
      version: textOrKindIn(fields[`${fieldPrefix}Version`]),
      majorVersion: textOrKindIn(fields[`${fieldPrefix}MajorVersion`]),
      connectionStrings: isObject(connectionStrings) ? connectionStrings : undefined,
    };
  };
}

/** Reads a record in a list of projects, of which only the ID is used (service document 2.1). */
export function projectReader(record: unknown): { id: string | undefined; name: undefined } {
  return { id: isObject(record) ? textIn(record["id"]) : undefined, name: undefined };
}

function textOrKindIn(value: unknown): string | NotText | undefined {
  const isText = typeof value === "string" || value === undefined || value === null;
  return isText ? textIn(value) : { kind: kindOfValue(value) };
}

/** Returns a text that is not empty; undefined for any other value. */
function textIn(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
