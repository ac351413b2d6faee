/** The statements of the service document, in its order, and why some have no test. */

/** A statement of the service document. */
export interface Statement {
  /** Section and rule, as in test titles: `2.6 rule 4`. */
  readonly at: string;
  readonly says: string;
  /** Why the simulator does not implement it. */
  readonly leftOut?: string;
}

const notShown = "the document shows no endpoint";

export const statements: readonly Statement[] = [
  { at: "1 rule 1", says: "resources are exposed through REST: projects and clusters" },
  { at: "1 rule 1, others", says: "database users, network settings", leftOut: notShown },
  { at: "1 rule 2", says: "no access to data in clusters", leftOut: "the simulator has no data" },
  { at: "1 rule 3", says: "cost of changes", leftOut: "nothing is charged" },
  { at: "1 rule 4", says: "all entities are JSON" },
  { at: "1 rule 5", says: "links lead from the root to all resources" },
  { at: "1 rule 6", says: "HTTPS only" },
  { at: "1 rule 7", says: "roles determine permissions" },
  { at: "1 rule 8", says: "host names and strings are unique across the service" },
  { at: "2.1", says: "project IDs are the group IDs in paths" },
  { at: "2.2", says: "version fields: major.minor and major.minor.patch" },
  { at: "2.3", says: "the private IP mode setting is a boolean" },
  { at: "2.4", says: "links: self on every entity, only self in lists, prefixed relations" },
  { at: "2.5 dates", says: "ISO 8601 in UTC; UTC if a date has no time zone" },
  {
    at: "2.5 BSON timestamp",
    says: "an object with date and increment",
    leftOut: "only in backup resources, which the document does not show",
  },
  { at: "2.5 unit-bearing numbers", says: "the field name includes the unit" },
  { at: "2.5 empty fields", says: "a default, or omitted" },
  {
    at: "2.5 field order",
    says: "unspecified",
    leftOut: "no promise to test: the simulator uses a fixed order",
  },
  { at: "2.5 invalid fields", says: "rejected, not ignored" },
  { at: "2.6 standard", says: "form and resolution" },
  { at: "2.6 peering-private", says: "form and resolution" },
  { at: "2.6 private endpoint", says: "form, providers A and B, resolution" },
  { at: "2.6 regionalized", says: "form" },
  { at: "2.6 optimized", says: "form: lb in the host name, SRV only" },
  { at: "2.6 legacy", says: "form, before 31 March 2020, resolution" },
  { at: "2.6 rule 1", says: "standard and legacy strings differ in one character" },
  { at: "2.6 rule 2", says: "a six-character ID in replica set and shard names of new clusters" },
  { at: "2.6 rule 3", says: "peering-private only with peering" },
  {
    at: "2.6 rule 4",
    says: "conditions of the optimized string (except for the driver version, which only the client knows)",
  },
  {
    at: "2.6 rule 5",
    says: "no optimized string for multi-region clusters through a single SRV record",
  },
  { at: "2.6 rule 6", says: "conversion to multi-region removes the optimized string" },
  {
    at: "2.6 rule 7",
    says: "legacy strings are kept; a plain SRV string next to the optimized one",
  },
  { at: "2.6 rule 8", says: "new clusters with private endpoints include the optimized string" },
  {
    at: "2.6 rule 9",
    says: "legacy strings of Free and Flex clusters change with the provider",
    leftOut: "all simulated clusters are dedicated",
  },
  {
    at: "2.6 rule 10",
    says: "moves to another provider in two steps",
    leftOut: "manual steps with nodes and comma-delimited URIs, which the API does not show",
  },
  {
    at: "2.6 rule 11",
    says: "several regions in provider B with peering require private IP mode to be disabled",
  },
  { at: "3", says: "disabling private IP mode, and its condition" },
  { at: "4.1", says: "methods, Content-Type, 405" },
  { at: "4.2", says: "pretty and envelope on any request" },
  { at: "4.3", says: "paging parameters, count, results, links" },
  { at: "4.3 rule 1", says: "an empty list is 200" },
  { at: "4.3 rule 2", says: "a list in a context that does not exist is 404" },
  { at: "4.4", says: "envelopes of entities and lists" },
  { at: "4.5", says: "documented endpoints" },
  { at: "5 rule 1", says: "service accounts or API keys" },
  { at: "5 rule 2", says: "keys are never transmitted" },
  { at: "5 rule 3", says: "API keys with HTTP digest" },
  { at: "5 rule 4", says: "credentials belong to an organization and can access several projects" },
  { at: "5 rule 5", says: "401 and 403" },
  { at: "5 rule 6", says: "granted roles determine permissions" },
  { at: "5 rule 7", says: "access lists of addresses and ranges for each credential" },
  { at: "5 rule 8", says: "token flow and header format: not shown; observed defaults" },
  { at: "6", says: "events", leftOut: "not shown" },
  { at: "7.1", says: "status codes and their conditions" },
  { at: "7.2", says: "the five fields of an error" },
  { at: "8 items", says: "at most 500 items per page" },
  { at: "8 requests", says: "100 requests per minute and project" },
  { at: "8 rule 1", says: "callers share the counter of a project" },
  { at: "8 rule 2", says: "the counter resets every minute" },
  { at: "8 rule 3", says: "429 above the limit" },
  { at: "8 rule 4", says: "limited resources and headers: not shown; configurable" },
  {
    at: "9 rule 1",
    says: "versions of individual resources",
    leftOut: "the selection of a version is not shown (rule 3)",
  },
  { at: "9 rule 2", says: "the path prefix" },
  { at: "9 rule 3", says: "selection of a resource's version", leftOut: "not shown" },
];
