/** The statements of the service document, in order, and the reasons why some have no test. */

/** A statement of the service document. */
export interface Statement {
  /** Section and rule, as in test titles: `2.6 rule 4`. */
  readonly at: string;
  readonly summary: string;
  /** Why the simulator does not implement it. */
  readonly omissionReason?: string;
}

const noEndpoint = "the document describes no endpoint";

export const statements: readonly Statement[] = [
  { at: "1 rule 1", summary: "resources are exposed through REST: projects and clusters" },
  {
    at: "1 rule 1, others",
    summary: "database users, network settings",
    omissionReason: noEndpoint,
  },
  {
    at: "1 rule 2",
    summary: "no access to data in clusters",
    omissionReason: "the simulator has no data",
  },
  { at: "1 rule 3", summary: "cost of changes", omissionReason: "nothing is charged" },
  { at: "1 rule 4", summary: "all entities are JSON" },
  { at: "1 rule 5", summary: "links lead from the root to all resources" },
  { at: "1 rule 6", summary: "HTTPS only" },
  { at: "1 rule 7", summary: "roles determine permissions" },
  {
    at: "1 rule 8",
    summary: "one host name for each node; host names and strings are unique across the service",
  },
  { at: "2.1", summary: "project IDs are the group IDs in paths" },
  {
    at: "2.1, group parameter",
    summary: "some endpoints take a group parameter in the query or body",
    omissionReason: "no endpoint in the document takes it",
  },
  {
    at: "2.2",
    summary:
      "version fields: major.minor and major.minor.patch (a seed may also set a pre-release, such as 7.0.0-rc1)",
  },
  { at: "2.3", summary: "the private IP mode setting is a boolean" },
  { at: "2.4", summary: "links: self on every entity, only self in lists, prefixed relations" },
  {
    at: "2.5 dates",
    summary:
      "ISO 8601 in UTC; UTC if a date has no time zone (except for fractions of hours and minutes, and leap seconds)",
  },
  {
    at: "2.5 BSON timestamp",
    summary: "an object with date and increment",
    omissionReason: "only in backup resources, which the document does not describe",
  },
  { at: "2.5 unit-bearing numbers", summary: "the field name includes the unit" },
  { at: "2.5 empty fields", summary: "a default, or omitted" },
  {
    at: "2.5 field order",
    summary: "unspecified",
    omissionReason: "nothing is specified; the simulator uses a fixed order",
  },
  { at: "2.5 invalid fields", summary: "rejected, not ignored" },
  { at: "2.6 standard", summary: "form and resolution" },
  { at: "2.6 peering-private", summary: "form and resolution" },
  { at: "2.6 private endpoint", summary: "form, providers A and B, resolution" },
  { at: "2.6 regionalized", summary: "form" },
  { at: "2.6 optimized", summary: "form: lb in the host name, SRV only; resolution" },
  { at: "2.6 legacy", summary: "form, before 31 March 2020, resolution" },
  { at: "2.6 rule 1", summary: "standard and legacy hosts differ in one character" },
  {
    at: "2.6 rule 2",
    summary: "a six-character ID in replica set and shard names of new clusters",
  },
  { at: "2.6 rule 3", summary: "peering-private only with peering" },
  {
    at: "2.6 rule 4",
    summary:
      "conditions of the optimized string (except for the driver version, which only the client knows)",
  },
  {
    at: "2.6 rule 5",
    summary: "no optimized string for multi-region clusters through a single SRV record",
  },
  { at: "2.6 rule 6", summary: "conversion to multi-region removes the optimized string" },
  {
    at: "2.6 rule 7",
    summary: "legacy strings are kept; a plain SRV string next to the optimized one",
  },
  {
    at: "2.6 rule 8",
    summary: "new clusters with private endpoints show the optimized string by default",
  },
  {
    at: "2.6 rule 9",
    summary: "Free and Flex clusters with legacy strings carry .gcp or .azure outside provider A",
  },
  {
    at: "2.6 rule 10",
    summary:
      "moves to another provider: in one step without a change, or in two steps with new host lists (without waiting for backups, which the simulator does not have)",
  },
  {
    at: "2.6 rule 11",
    summary: "several regions in provider B with peering require private IP mode to be disabled",
  },
  { at: "3", summary: "disabling private IP mode, its condition and its effect on legacy strings" },
  {
    at: "3 before 31 March 2020",
    summary: "peered networks in providers B and C required private IP mode",
    omissionReason: "the requirement ended in 2020, and the simulated time is today",
  },
  {
    at: "3 other transitions",
    summary: "enabling the mode, and the states of clusters: unspecified; own defaults",
  },
  { at: "4.1", summary: "methods, Content-Type, 405 for every other method" },
  { at: "4.2", summary: "pretty and envelope on any request" },
  { at: "4.3", summary: "paging parameters, count, results, links" },
  { at: "4.3 rule 1", summary: "an empty list returns 200" },
  { at: "4.3 rule 2", summary: "a list in a context that does not exist returns 404" },
  { at: "4.4", summary: "envelopes of entities and lists" },
  { at: "4.5", summary: "documented endpoints" },
  { at: "5 rule 1", summary: "service accounts or API keys" },
  { at: "5 rule 2", summary: "private keys are never transmitted (tokens and client secrets are)" },
  { at: "5 rule 3", summary: "API keys with HTTP digest" },
  {
    at: "5 rule 4",
    summary: "credentials belong to an organization and can access several projects",
  },
  { at: "5 rule 5", summary: "401 and 403" },
  { at: "5 rule 6", summary: "granted roles determine permissions" },
  { at: "5 rule 7", summary: "access lists of addresses and ranges for each credential" },
  {
    at: "5 rule 7, default",
    summary: "organizations created in the web interface require an access list by default",
    omissionReason:
      "organizations come from the seed, not from a web interface; requireAccessList is false by default",
  },
  { at: "5 rule 8", summary: "token flow and header format: unspecified; observed defaults" },
  { at: "6", summary: "events", omissionReason: "unspecified" },
  { at: "7.1", summary: "status codes and their conditions" },
  { at: "7.2", summary: "the five fields of an error" },
  { at: "8 items", summary: "at most 500 items per page" },
  { at: "8 requests", summary: "100 requests per minute and project" },
  { at: "8 rule 1", summary: "callers share the counter of a project" },
  { at: "8 rule 2", summary: "the counter resets every minute" },
  { at: "8 rule 3", summary: "429 above the limit" },
  { at: "8 rule 4", summary: "limited resources and headers: unspecified; configurable" },
  { at: "9 rule 1", summary: "versions of individual resources, which differ only in their dates" },
  { at: "9 rule 2", summary: "the path prefix" },
  {
    at: "9 rule 3",
    summary: "selection of a version: unspecified; optionally by dated media type",
  },
];
