/** Says the outcome of a preview in one sentence. */
import type { Preview } from "./eventLog";
import type { Change, Refusal, Report } from "./model";
import { secret } from "./resources";

export function verdictOf(
  report: Omit<Report, "verdict">,
  preview: Preview | undefined,
  exitCode: number,
): string {
  const { outcome, refusals, errors, changes, others } = report;
  if (outcome === "refused") {
    const count = refusals.reduce((all, each) => all + each.count, 0);
    const [refusal] = refusals;
    const several = counted("# {cluster prevents|clusters prevent} it", count);
    const because = refusal && refusals.length === 1 ? preventing(refusal) : several;
    return `Refused: private IP mode cannot be disabled${count === 0 ? "" : `; ${because}`}.`;
  }
  if (outcome === "failed") {
    if (errors.length > 0) return `Failed with ${counted("# {error|errors}", errors.length)}.`;
    if (preview === undefined) return "Failed before the preview began.";
    if (!preview.isFinished) return "Failed: the preview did not finish.";
    return `Failed: pulumi ${exitCode === 0 ? "reports a failure" : `ended with exit code ${exitCode}`}, but its output has no error.`;
  }
  if (outcome === "unchanged") return "No changes.";
  const added = report.outputs.filter((each) => each.old === undefined).length;
  const removed = report.outputs.filter((each) => each.new === undefined).length;
  const differing = others.filter(({ op }) => op === "refresh").length;
  const parts = [
    ...Object.entries(phrases).map(
      ([meaning, phrase]) =>
        [phrase, changes.filter((each) => meaningOf(each) === meaning).length] as const,
    ),
    ["# stack {output is|outputs are} added", added] as const,
    ["# stack {output is|outputs are} removed", removed] as const,
    ["# stack {output changes|outputs change}", report.outputs.length - added - removed] as const,
    ["# other {resource changes|resources change}", others.length - differing] as const,
    ["# other {resource differs|resources differ} from what is recorded", differing] as const,
  ].flatMap(([phrase, count]) => (count === 0 ? [] : [counted(phrase, count)]));
  return parts.length === 0 ? "Only the stack itself changes." : `Changes: ${parts.join(", ")}.`;
}

/** Such as "3 of 9 clusters prevent it". */
export function preventing({ count, total }: Refusal): string {
  const of = total === undefined ? "" : ` of ${total}`;
  const noun = counted("{cluster|clusters}", total ?? count);
  return `${count}${of} ${noun} ${count === 1 ? "prevents" : "prevent"} it`;
}

/** What changes mean, in the order of the verdict. */
const phrases = {
  off: "private IP mode is turned off in # {project|projects}",
  on: "private IP mode is turned on in # {project|projects}",
  managed: "private IP mode is managed from now on in # {project|projects}",
  unmanaged: "private IP mode is no longer managed in # {project|projects}",
  modeReplaced: "# {resource for private IP mode is|resources for private IP mode are} replaced",
  modeDiffers: "private IP mode of # {project|projects} differs from what is recorded",
  modeChanged: "the resource for private IP mode changes in # {project|projects}",
  stringChanged: "# {connection string changes|connection strings change}",
  changedInService: "# {connection string was|connection strings were} changed in the service",
  lookupChanged: "# {lookup changes|lookups change}",
  added: "# {lookup is|lookups are} added",
  deleted: "# {lookup is|lookups are} deleted",
  replaced: "# {lookup is|lookups are} replaced",
};

function meaningOf({ type, op, from, to, cause }: Change): keyof typeof phrases {
  const isSame = from?.kind === to?.kind && from?.string === to?.string && to?.string !== secret;
  if (type === "PrivateIpMode") {
    if (op === "delete") return "unmanaged";
    if (op === "replace") return "modeReplaced";
    if (op === "refresh") return "modeDiffers";
    if (op === "create" && from === undefined) return "managed";
    return !isSame && (to?.kind === "on" || to?.kind === "off") ? to.kind : "modeChanged";
  }
  if (op === "create") return "added";
  if (op === "update" && isSame) return "lookupChanged";
  if (op === "update" || op === "refresh")
    return cause === "service" ? "changedInService" : "stringChanged";
  return op === "delete" ? "deleted" : "replaced";
}

/** Puts a number into a phrase, and chooses between `{one|many}`. */
export function counted(phrase: string, count: number): string {
  const chosen = phrase.replace(/\{(.*)\|(.*)\}/, count === 1 ? "$1" : "$2");
  return chosen.replace("#", String(count));
}
