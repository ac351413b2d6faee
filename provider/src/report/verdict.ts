/** Says the outcome of a preview in one sentence. */
import type { PreviewInput } from "./input";
import type { Change, Refusal, Report } from "./model";

export function verdictOf(
  report: Omit<Report, "verdict">,
  main: PreviewInput | undefined,
  exitCode: number,
): string {
  const { outcome, refusals, errors, changes, drift, current } = report;
  if (outcome === "refused") {
    const count = refusals.reduce((all, each) => all + each.count, 0);
    const [refusal] = refusals;
    const several = counted("# {cluster prevents|clusters prevent} it", count);
    const because = refusal && refusals.length === 1 ? preventing(refusal) : several;
    return `Refused: private IP mode cannot be disabled${count === 0 ? "" : `; ${because}`}.`;
  }
  if (outcome === "failed") {
    if (main === undefined) return "Failed before the preview began.";
    if (errors.length > 0) return `Failed with ${counted("# {error|errors}", errors.length)}.`;
    if (main.counts === undefined) return "Failed: the preview did not finish.";
    return `Failed: pulumi ${exitCode === 0 ? "reports a failure" : `ended with exit code ${exitCode}`}, but its output has no error.`;
  }
  if (main?.kind === "stack export") {
    const modes = current.filter(({ type }) => type === "PrivateIpMode").length;
    const lookups = counted("# {lookup|lookups}", current.length - modes);
    return `The stack has ${counted("# private IP {mode|modes}", modes)} and ${lookups} of connection strings.`;
  }
  if (outcome === "unchanged")
    return main?.kind === "event log" ? "No changes." : "No changes of resources.";
  const others = report.others.reduce((all, { count }) => all + count, 0);
  const added = report.outputs.filter((each) => each.old === undefined).length;
  const removed = report.outputs.filter((each) => each.new === undefined).length;
  const parts = [
    ...Object.entries(phrases).map(
      ([meaning, phrase]) =>
        [phrase, changes.filter((each) => meaningOf(each) === meaning).length] as const,
    ),
    ["# stack {output is|outputs are} added", added] as const,
    ["# stack {output is|outputs are} removed", removed] as const,
    ["# stack {output changes|outputs change}", report.outputs.length - added - removed] as const,
    ["# {difference was|differences were} made outside of the stack", drift.length] as const,
    [
      "# {resource of other providers changes|resources of other providers change}",
      others,
    ] as const,
    ["# {change is|changes are} described only in an event log", report.undescribed] as const,
  ].flatMap(([phrase, count]) => (count === 0 ? [] : [counted(phrase, count)]));
  return parts.length === 0 ? "Only the stack itself changes." : `Changes: ${parts.join(", ")}.`;
}

/** Such as "3 of 9 clusters prevent it: 2 at 5.0, 1 at 6.0". */
export function preventing({ count, total, clusters }: Refusal): string {
  const versions = new Map<string, number>();
  for (const { version } of clusters) {
    const major = /^\d{1,4}\.\d{1,4}/.exec(version)?.[0] ?? "";
    versions.set(major, (versions.get(major) ?? 0) + 1);
  }
  const parts = [...versions]
    .toSorted(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
    .map(([version, all]) => `${all} ${version === "" ? "without a version" : `at ${version}`}`);
  const of = total === undefined ? "" : ` of ${total}`;
  const noun = counted("{cluster|clusters}", total ?? count);
  const prevent = `${count}${of} ${noun} ${count === 1 ? "prevents" : "prevent"} it`;
  return parts.length === 0 ? prevent : `${prevent}: ${parts.join(", ")}`;
}

/** Says that a preview ended early. */
export function stopText({ notPreviewed = [] }: Report): string {
  const missing = counted("# {resource|resources}", notPreviewed.length);
  const what = notPreviewed.length === 0 ? "Other changes" : `Changes of ${missing}, and new ones,`;
  return `The preview stopped here. ${what} are not shown.`;
}

/** What changes mean, in the order of the verdict. */
const phrases = {
  off: "private IP mode is turned off in # {project|projects}",
  on: "private IP mode is turned on in # {project|projects}",
  adopted: "private IP mode is adopted in # {project|projects}",
  unmanaged: "private IP mode is no longer managed in # {project|projects}",
  modeReplaced: "# {resource for private IP mode is|resources for private IP mode are} replaced",
  modeChanged: "the resource for private IP mode changes in # {project|projects}",
  stringChanged: "# {connection string changes|connection strings change}",
  changedInService: "# {connection string was|connection strings were} changed in the service",
  lookupChanged: "# {lookup changes|lookups change}",
  added: "# {lookup is|lookups are} added",
  deleted: "# {lookup is|lookups are} deleted",
  replaced: "# {lookup is|lookups are} replaced",
};

function meaningOf({ type, op, from, to, cause }: Change): keyof typeof phrases {
  if (type === "PrivateIpMode") {
    if (op === "delete") return "unmanaged";
    if (op === "replace") return "modeReplaced";
    if (from !== to && (to === "on" || to === "off")) return to;
    return op === "create" ? "adopted" : "modeChanged";
  }
  if (op === "update" && from === to) return "lookupChanged";
  if (op === "update") return cause === "service" ? "changedInService" : "stringChanged";
  if (op === "create") return "added";
  return op === "delete" ? "deleted" : "replaced";
}

/** Puts a number into a phrase, and chooses between `{one|many}`. */
export function counted(phrase: string, count: number): string {
  const chosen = phrase.replace(/\{(.*)\|(.*)\}/, count === 1 ? "$1" : "$2");
  return chosen.replace("#", String(count));
}
