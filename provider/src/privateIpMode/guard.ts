/**
 * The guard of a disable: private IP mode may be turned off only when every cluster of the project
 * runs database version 7.0 or later (service document 3).
 */
import parseVersion from "semver/functions/parse";
import type { ClusterList } from "../api/client";
import { escapeText } from "../api/escapeText";

/** The lowest version that every cluster must run. A release candidate of it is below it. */
export const minimumVersion = "7.0.0";

/** What the guard needs of a cluster: its name and its versions as the service gives them. */
export interface VersionedCluster {
  readonly name: string;
  /** `<major>.<minor>.<patch>`. */
  readonly version: string | undefined;
  /** `<major>.<minor>`. */
  readonly majorVersion: string | undefined;
}

/** A list of clusters as far as the guard needs it. */
export type GuardedList = Pick<ClusterList, "malformed" | "incomplete"> & {
  readonly clusters: readonly VersionedCluster[];
};

/** A cluster that forbids the disable. */
export interface Offender {
  readonly name: string;
  /** Its version, or why it has none that counts. */
  readonly version: string;
  /** `unusable`: its version is missing or cannot be read. `malformed`: its whole record is. */
  readonly reason: "tooLow" | "unusable" | "malformed";
}

/** Returns the clusters that forbid a disable, by name. */
export function offenders({ clusters, malformed }: Omit<GuardedList, "incomplete">): Offender[] {
  const unreadable = malformed.map(({ name = namelessRecord, problem }): Offender => {
    return { name, version: `(not a cluster record: ${problem})`, reason: "malformed" };
  });
  const found = clusters.flatMap((cluster) => offenderOf(cluster) ?? []);
  return [...found, ...unreadable].sort(byName);
}

const namelessRecord = "(a record without a name)";

/** The same order everywhere, whatever the locale. */
function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/**
 * Decides on a disable.
 *
 * @param remedy what to do instead of upgrading the clusters
 * @returns why the disable is refused, naming every offending cluster, and what to do; undefined when
 * the list is complete and every cluster of it runs 7.0.0 or later
 */
export function disableRefusal(
  projectId: string,
  list: GuardedList,
  remedy = "keep the mode with enabled: true",
): string | undefined {
  const found = offenders(list);
  if (list.incomplete !== undefined) return incompleteRefusal(projectId, found, list.incomplete);
  if (found.length === 0) return undefined;
  const clusterCount = list.clusters.length + list.malformed.length;
  const readable = found.filter(({ reason }) => reason !== "malformed");
  const which =
    clusterCount === 1 ? "its only cluster" : `${found.length} of its ${clusterCount} clusters`;
  return [
    `${cannotDisable(projectId)}: ${which} ${verdict(found.length, readable.length)}:`,
    ...offenderTable(found),
    ...(readable.length === found.length ? [] : [adviceOnMalformed]),
    readable.length === 0
      ? `Until then, ${remedy}.`
      : `Upgrade ${readable.length === 1 ? "it" : "them"} to 7.0 or later, or ${remedy}.`,
    ...(found.some(({ version }) => version === noVersion) ? [adviceWithoutVersion] : []),
  ].join("\n");
}

function verdict(found: number, readable: number): string {
  const runs = `${found === 1 ? "does" : "do"} not run version ${minimumVersion} or later`;
  if (readable === found) return runs;
  return readable === 0 ? "could not be read" : `${runs}, or could not be read`;
}

const adviceOnMalformed =
  "What could not be read counts as too old: have the service repair its records, or check the settings apiPath and mediaType.";

function incompleteRefusal(projectId: string, found: readonly Offender[], reason: string): string {
  return [
    `${cannotDisable(projectId)}: its list of clusters could not be shown to be complete. ${reason}.`,
    ...(found.length === 0
      ? [`A cluster that is missing from it could run a version below ${minimumVersion}.`]
      : [`Of the clusters read, these do not run version ${minimumVersion} or later:`]),
    ...offenderTable(found),
    "Try again. If this stays, the service pages its lists in a way that is not understood: compare its paging with the documentation of pulumi-clouddb (docs/services.md).",
  ].join("\n");
}

function cannotDisable(projectId: string): string {
  return `private IP mode of project ${escapeText(projectId)} cannot be disabled`;
}

const mostListed = 20;

function offenderTable(found: readonly Offender[]): string[] {
  const listed = found.slice(0, mostListed);
  const rows = listed.map(({ name, version }) => [escapeText(name, 100), escapeText(version, 200)]);
  const width = Math.max(0, ...rows.map(([name = ""]) => name.length));
  const rest = found.length - listed.length;
  return [
    ...rows.map(([name = "", version = ""]) => `  ${name.padEnd(width)}  ${version}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
  ];
}

const noVersion = "(no version given)";

const adviceWithoutVersion =
  "When no version is given, check the setting fieldPrefix: it is how the service's two version fields begin.";

/**
 * The full version decides, or the major version when that is lower: the lower of the two is what can
 * be relied on. A version that cannot be read cannot be shown to be high enough, so it forbids too.
 */
function offenderOf({ name, version, majorVersion }: VersionedCluster): Offender | undefined {
  const tooLow = (text: string) => ({ name, version: text, reason: "tooLow" }) as const;
  const unusable = (text: string) => ({ name, version: text, reason: "unusable" }) as const;
  if (!version) return unusable(noVersion);
  const full = parseVersion(version);
  if (full === null) return unusable(`${quoted(version)} (not a version)`);
  if (full.compare(minimumVersion) < 0) return tooLow(version);
  if (!majorVersion) return undefined;
  const major = parseVersion(/^\d+\.\d+$/.test(majorVersion) ? `${majorVersion}.0` : majorVersion);
  if (major === null) return unusable(`${quoted(majorVersion)} (not a major version)`);
  if (major.compare(minimumVersion) < 0) {
    return tooLow(`${majorVersion} (major version; full version ${version})`);
  }
  return undefined;
}

function quoted(text: string): string {
  return `"${escapeText(text, 40)}"`;
}
