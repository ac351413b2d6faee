// The statements of the service document, in its order: what a test shows, or why none does.

export interface Statement {
  /** Section and rule, as in the titles of tests: `2.6 rule 4`. */
  readonly at: string;
  readonly says: string;
  /** Why the simulator leaves it out. */
  readonly leftOut?: string;
}

const NOT_SHOWN = "the document shows no endpoint for it";

export const STATEMENTS: readonly Statement[] = [
  { at: "1 rule 1", says: "resources are exposed through REST: projects and clusters" },
  { at: "1 rule 1, others", says: "database users, network settings", leftOut: NOT_SHOWN },
  { at: "1 rule 2", says: "no access to the data in clusters", leftOut: "there is no data" },
  { at: "1 rule 3", says: "what changes cost", leftOut: "nothing is charged" },
  { at: "1 rule 4", says: "all entities are JSON" },
  { at: "1 rule 5", says: "links lead from the root to all resources" },
  { at: "1 rule 6", says: "HTTPS only" },
  { at: "1 rule 7", says: "capabilities are those of the roles" },
  { at: "1 rule 8", says: "host names and strings are unique across the service" },
  { at: "2.1", says: "projects, by their id, are the groups of the paths" },
  { at: "2.2", says: "version fields, major.minor and major.minor.patch" },
  { at: "2.3", says: "the private IP mode setting is a boolean" },
  { at: "2.4", says: "links: self on every entity, self alone in lists, prefixed relations" },
  { at: "2.5 dates", says: "ISO 8601 in UTC; UTC where no zone is sent" },
  {
    at: "2.5 BSON timestamp",
    says: "an object of date and increment",
    leftOut: "it appears in backup resources, which the document does not show",
  },
  { at: "2.5 unit-bearing numbers", says: "the unit is in the name" },
  { at: "2.5 empty fields", says: "a default, or left out" },
  {
    at: "2.5 field order",
    says: "unspecified",
    leftOut: "a promise that is not made: the order is fixed here",
  },
  { at: "2.5 invalid fields", says: "rejected, not ignored" },
  { at: "2.6 standard", says: "form and resolution" },
  { at: "2.6 peering-private", says: "form and resolution" },
  { at: "2.6 private endpoint", says: "form, providers A and B, resolution" },
  { at: "2.6 regionalized", says: "form" },
  { at: "2.6 optimized", says: "form: lb in the host name, SRV only" },
  { at: "2.6 legacy", says: "form, before 31 March 2020, resolution" },
  { at: "2.6 rule 1", says: "one character between standard and legacy" },
  { at: "2.6 rule 2", says: "six characters name replica sets and shards of new clusters" },
  { at: "2.6 rule 3", says: "peering-private only with peering" },
  {
    at: "2.6 rule 4",
    says: "conditions of the optimized string (the driver's version is the client's to know)",
  },
  { at: "2.6 rule 5", says: "no optimized string for several regions through one SRV record" },
  { at: "2.6 rule 6", says: "conversion to multi-region ends the optimized string" },
  { at: "2.6 rule 7", says: "legacy strings stay; the plain SRV string beside the optimized one" },
  { at: "2.6 rule 8", says: "new clusters with private endpoints show the optimized string" },
  {
    at: "2.6 rule 9",
    says: "legacy strings of Free and Flex clusters change with the provider",
    leftOut: "the simulated clusters are dedicated ones",
  },
  {
    at: "2.6 rule 10",
    says: "moves to another provider in two steps",
    leftOut:
      "steps of the operator with nodes and comma-delimited URIs, which the API does not show",
  },
  { at: "2.6 rule 11", says: "several regions in provider B under peering need the mode off" },
  { at: "3", says: "disabling private IP mode, and its condition" },
  { at: "4.1", says: "methods, Content-Type, 405" },
  { at: "4.2", says: "pretty and envelope on any request" },
  { at: "4.3", says: "paging parameters, count, results, links" },
  { at: "4.3 rule 1", says: "an empty list is 200" },
  { at: "4.3 rule 2", says: "a list in a context that does not exist is 404" },
  { at: "4.4", says: "the envelope of an entity, and of a list" },
  { at: "4.5", says: "the endpoints given" },
  { at: "5 rule 1", says: "service accounts or API keys" },
  { at: "5 rule 2", says: "keys are never sent as such" },
  { at: "5 rule 3", says: "API keys by HTTP digest" },
  { at: "5 rule 4", says: "credentials belong to an organization and reach several projects" },
  { at: "5 rule 5", says: "401 and 403" },
  { at: "5 rule 6", says: "capabilities are those of the roles granted" },
  { at: "5 rule 7", says: "access lists of addresses and ranges, each credential its own" },
  { at: "5 rule 8", says: "token flow and header format: not shown, with defaults here" },
  { at: "6", says: "events", leftOut: "not shown" },
  { at: "7.1", says: "status codes and their conditions" },
  { at: "7.2", says: "the five fields of an error" },
  { at: "8 items", says: "at most 500 items on a page" },
  { at: "8 requests", says: "100 requests a minute and project" },
  { at: "8 rule 1", says: "callers share a project's counter" },
  { at: "8 rule 2", says: "the counter resets each minute" },
  { at: "8 rule 3", says: "429 above the limit" },
  { at: "8 rule 4", says: "which resources and headers: not shown, settings here" },
  {
    at: "9 rule 1",
    says: "versions of individual resources",
    leftOut: "how one is selected is not shown (rule 3)",
  },
  { at: "9 rule 2", says: "the path prefix" },
  { at: "9 rule 3", says: "selection of a resource's version", leftOut: "not shown" },
];
