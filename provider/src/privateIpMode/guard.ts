/**
 * The guard of a disable: private IP mode may be turned off only when every cluster of the project
 * runs database version 7.0 or later (service document 3).
 */
import parseVersion from "semver/functions/parse";

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

/** A cluster that forbids the disable. */
export interface Offender {
  readonly name: string;
  /** Its version, or why it has none that counts. */
  readonly version: string;
  /** `tooLow`, or `unusable` where a version is missing or cannot be read. */
  readonly reason: "tooLow" | "unusable";
}

/** The clusters that forbid a disable, by name. None: it may go ahead. */
export function offenders(clusters: readonly VersionedCluster[]): Offender[] {
  return clusters.flatMap((cluster) => offence(cluster) ?? []).sort(byName);
}

/** The same order everywhere, whatever the locale. */
function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

/** Why a disable is refused, naming the offenders with their versions, and what to do. */
export function refusal(
  projectId: string,
  found: readonly Offender[],
  clusterCount: number,
  otherwise = "keep the mode with enabled: true",
): string {
  const named = found.slice(0, mostNamed);
  const width = Math.max(...named.map(({ name }) => name.length));
  const rest = found.length - named.length;
  const [verb, them] = found.length === 1 ? ["does", "it"] : ["do", "them"];
  const which =
    clusterCount === 1 ? "its only cluster" : `${found.length} of its ${clusterCount} clusters`;
  return [
    `private IP mode of project ${projectId} cannot be disabled: ${which} ${verb} not run version ${minimumVersion} or later:`,
    ...named.map(({ name, version }) => `  ${name.padEnd(width)}  ${version}`),
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    `Upgrade ${them} to 7.0 or later, or ${otherwise}.`,
    ...(found.some(({ version }) => version === noVersion) ? [adviceWithoutVersion] : []),
  ].join("\n");
}

const mostNamed = 20;

const noVersion = "(no version given)";

const adviceWithoutVersion =
  "Where no version is given, check the setting fieldPrefix: it is how the service's two version fields begin.";

/**
 * The full version decides, and where the major version is lower, that one: the lower of the two is
 * what can be relied on. What cannot be read cannot be shown to be high enough, so it forbids too.
 */
function offence({ name, version, majorVersion }: VersionedCluster): Offender | undefined {
  const tooLow = (shown: string) => ({ name, version: shown, reason: "tooLow" }) as const;
  const unusable = (shown: string) => ({ name, version: shown, reason: "unusable" }) as const;
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

/** On one line and of bounded length, whatever the service sent. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
