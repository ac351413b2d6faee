/** Says the outcome of a preview in one sentence. */
import type { PreviewInput } from "./input";
import type { Change, Report } from "./model";

export function verdictOf(
  report: Omit<Report, "verdict">,
  main: PreviewInput | undefined,
  exitCode: number,
): string {
  const { outcome, refusals, errors, changes, drift, current } = report;
  if (outcome === "refused") {
    const count = refusals.reduce((all, each) => all + each.count, 0);
    const because =
      count === 0 ? "" : `; ${counted("# {cluster prevents|clusters prevent} it", count)}`;
    return `Refused: private IP mode cannot be disabled${because}.`;
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
  if (outcome === "unchanged") return "No changes.";
  const sum = (counts: readonly { count: number }[]) =>
    counts.reduce((all, { count }) => all + count, 0);
  const parts = [
    ...Object.entries(phrases).map(
      ([meaning, phrase]) =>
        [phrase, changes.filter((each) => meaningOf(each) === meaning).length] as const,
    ),
    ["# {difference was|differences were} made outside of the stack", drift.length] as const,
    [
      "# {resource of other providers changes|resources of other providers change}",
      sum(report.others),
    ] as const,
    ["# {change is|changes are} not described", sum(report.undescribed)] as const,
  ].flatMap(([phrase, count]) => (count === 0 ? [] : [counted(phrase, count)]));
  return parts.length === 0
    ? "Changes: only of the stack itself."
    : `Changes: ${parts.join(", ")}.`;
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
  lookupChanged: "# {lookup changes|lookups change}",
  added: "# {lookup is|lookups are} added",
  deleted: "# {lookup is|lookups are} deleted",
  replaced: "# {lookup is|lookups are} replaced",
};

function meaningOf({ type, op, from, to }: Change): keyof typeof phrases {
  if (type === "PrivateIpMode") {
    if (op === "delete") return "unmanaged";
    if (op === "replace") return "modeReplaced";
    if (from !== to && (to === "on" || to === "off")) return to;
    return op === "create" ? "adopted" : "modeChanged";
  }
  if (op === "update") return from === to ? "lookupChanged" : "stringChanged";
  if (op === "create") return "added";
  return op === "delete" ? "deleted" : "replaced";
}

/** Puts a number into a phrase, and chooses between `{one|many}`. */
function counted(phrase: string, count: number): string {
  const chosen = phrase.replace(/\{(.*)\|(.*)\}/, count === 1 ? "$1" : "$2");
  return chosen.replace("#", String(count));
}
