/** The messages about a project's mode: the refusal of the guard, and the warnings. */
import { escapeText } from "../messages/text";
import type { Gap } from "../service/paging";
import { onOrOff } from "./args";

export interface ClusterVersion {
  readonly name: string;
  /** The version that the service returned, or what is wrong with it. */
  readonly version: string;
}

export const minimumMajorVersion = "7.0";

/** The minimum version for every cluster. A release candidate of this version is below it. */
export const minimumVersion = `${minimumMajorVersion}.0`;

/**
 * Returns the message that refuses disabling because of these clusters. `list` says how many clusters the project has, or
 * why that is not known.
 */
export function writeRefusal(
  projectId: string,
  clusters: readonly ClusterVersion[],
  list: { readonly total: number } | { readonly incomplete: Gap },
): string {
  const [reason, advice] =
    "total" in list ? certain(clusters, list.total) : uncertain(clusters, list.incomplete);
  return [
    `private IP mode of project ${escapeText(projectId)} cannot be disabled: ${reason}`,
    ...firstRows(versionTable(clusters)),
    advice,
  ].join("\n");
}

function certain(clusters: readonly ClusterVersion[], total: number) {
  const isOne = clusters.length === 1;
  const which = total === 1 ? "its only cluster" : `${clusters.length} of its ${total} clusters`;
  const upgrade = `Upgrade ${isOne ? "it" : "them"} to ${minimumMajorVersion} or later, or keep the mode with enabled: true.`;
  const advice = [
    ...(clusters.every(isMajorOnly) ? [] : [upgrade]),
    ...(clusters.some(isMajorOnly) ? [adviceForMajorOnly] : []),
    ...(clusters.some(({ version }) => version === noVersion) ? [adviceWithoutVersion] : []),
  ];
  return [
    `${which} ${isOne ? "does" : "do"} not run version ${minimumMajorVersion} or later:`,
    advice.join("\n"),
  ] as const;
}

function uncertain(clusters: readonly ClusterVersion[], { reason, advice }: Gap) {
  const found =
    clusters.length === 0
      ? `A missing cluster could run a version below ${minimumMajorVersion}.`
      : `Of the clusters read, these do not run version ${minimumMajorVersion} or later:`;
  return [`its list of clusters may be incomplete. ${reason}.\n${found}`, advice] as const;
}

/** Returns whether only the major version is too low, as while the version is pinned. */
export function isMajorOnly({ version }: ClusterVersion): boolean {
  return version.includes("(major version; full version ");
}

export const adviceForMajorOnly = `If only the major version is below ${minimumMajorVersion}, no upgrade is missing. It changes when the pinned version is released, or when a running upgrade ends.`;

export const noVersion = "(no version given)";

export const adviceWithoutVersion =
  "If no version is given, check the setting clouddb:fieldPrefix: the service's two version fields start with it.";

export function versionTable(clusters: readonly ClusterVersion[]): string[] {
  const rows = clusters.map(({ name, version }) => ({
    name: escapeText(name, 100),
    version: escapeText(version, 200),
  }));
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return rows.map(({ name, version }) => `  ${name.padEnd(width)}  ${version}`);
}

/**
 * The maximum length of the table in a message, in bytes. gRPC sends an update's error as a percent-encoded header (three
 * bytes for one) of at most 64 KiB, and hangs beyond. 16 kB is several hundred clusters.
 */
const maxTableLength = 16_000;

function firstRows(rows: readonly string[]): readonly string[] {
  let length = 0;
  const end = rows.findIndex((row) => (length += Buffer.byteLength(row)) > maxTableLength);
  return end === -1 ? rows : [...rows.slice(0, end), `  and ${rows.length - end} more`];
}

/** The warning about a setting that differs from the recorded one, perhaps because of our own change without an answer. */
export function driftWarning(projectId: string, mode: boolean, declared: boolean): string {
  const effect =
    mode === declared
      ? "This update only records that"
      : `The program declares enabled: ${declared}`;
  return `private IP mode of project ${escapeText(projectId)} is ${onOrOff(mode)}, which differs from what is recorded. It was changed outside this stack, or an earlier update received no response. ${effect}.`;
}

export function enablingWarning(projectId: string): string {
  return `enabling private IP mode of project ${escapeText(projectId)} changes the addresses that the host names of its clusters resolve to, for every client, and limits database connections from outside the peered network: https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/concepts.md#private-ip-mode`;
}

/** The warning about clusters with legacy strings, which depend on the mode, or with peering-private strings. */
export function disablingWarning(
  projectId: string,
  { legacy, peered }: Readonly<Record<"legacy" | "peered", readonly string[]>>,
): string {
  const named = (all: readonly string[]) =>
    `${all.length === 1 ? "cluster" : "clusters"} ${all.map((name) => escapeText(name, 100)).join(", ")}`;
  const fromLegacy = `no application depends on the legacy connection strings of ${named(legacy)}, whose host names resolve to public addresses when the mode is off`;
  const toPeering = `applications in peered networks already use the peering-private connection strings of ${named(peered)}`;
  const demands = [
    ...(legacy.length === 0 ? [] : [fromLegacy]),
    ...(peered.length === 0 ? [] : [toPeering]),
  ];
  return `disabling private IP mode of project ${escapeText(projectId)}: make sure that ${demands.join(", and that ")}.`;
}
