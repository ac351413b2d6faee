/**
 * The guard of a disable: private IP mode may be turned off only when every cluster of the project
 * runs database version 7.0 or later (service document 3).
 */
import semver from "semver";

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
}

/** The clusters that forbid a disable, by name. None: it may go ahead. */
export function offenders(clusters: readonly VersionedCluster[]): Offender[] {
  return clusters
    .flatMap((cluster) => offence(cluster) ?? [])
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

const mostNamed = 20;

/** Why a disable is refused, naming the offenders with their versions, and what to do. */
export function refusal(
  projectId: string,
  found: readonly Offender[],
  clusterCount: number,
): string {
  const width = Math.max(...found.map(({ name }) => name.length));
  const lines = found
    .slice(0, mostNamed)
    .map(({ name, version }) => `  ${name.padEnd(width)}  ${version}`);
  const rest = found.length - lines.length;
  return [
    `private IP mode of project ${projectId} cannot be disabled: ${found.length} of its ${clusterCount} clusters ${found.length === 1 ? "does" : "do"} not run version ${minimumVersion} or later:`,
    ...lines,
    ...(rest > 0 ? [`  and ${rest} more`] : []),
    "Upgrade them to 7.0 or later, or keep the mode with enabled: true.",
  ].join("\n");
}

/**
 * The full version decides, and where the major version is lower, that one: the lower of the two is
 * what can be relied on. What cannot be read cannot be shown to be high enough, so it forbids too.
 */
function offence({ name, version, majorVersion }: VersionedCluster): Offender | undefined {
  if (!version) return { name, version: "(no version given)" };
  const full = semver.parse(version);
  if (full === null) return { name, version: `"${version}" (not a version)` };
  if (full.compare(minimumVersion) < 0) return { name, version };
  if (!majorVersion) return undefined;
  const major = semver.parse(/^\d+\.\d+$/.test(majorVersion) ? `${majorVersion}.0` : majorVersion);
  if (major === null) return { name, version: `"${majorVersion}" (not a major version)` };
  if (major.compare(minimumVersion) < 0) {
    return { name, version: `${majorVersion} (major version; full version ${version})` };
  }
  return undefined;
}
