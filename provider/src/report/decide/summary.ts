/** Summarizes the outcome of a preview in one line, which a comment does not fold. */
import { counted, listOfCounts } from "../../messages/format";
import type { Change, ModeChange, OtherChange, Report } from "../model";
import { type Preview, type Step, isChange } from "../read/eventLog";
import { stackType } from "../resourceNames";

/** Returns the summary: the phrases, then the counts, or what shows that the preview failed. */
export function summaryOf(
  report: Omit<Report, "summary">,
  preview: Preview | undefined,
  exitCode: number,
): string {
  if (report.outcome === "failed") return failureSentence(report, preview, exitCode);
  if (report.outcome === "unchanged") return "No changes.";
  const sentences = [importantChanges(report), countOfOthers(report)].filter((text) => text !== "");
  if (sentences.length > 0) return sentences.join(" ");
  return preview?.steps.some(isStackChange)
    ? "Only the stack itself changes."
    : "Pulumi found changes that its events do not show.";
}

/** Returns whether a step changes the stack itself, as the one that creates it does. */
export function isStackChange({ op, type }: Step): boolean {
  return type === stackType && isChange(op);
}

/** Says how many errors there are or, without any, what shows that the preview failed. */
function failureSentence(
  { errors }: Omit<Report, "summary">,
  preview: Preview | undefined,
  exitCode: number,
): string {
  if (errors.length > 0) {
    const count = errors.reduce((all, { places }) => all + places.length, 0);
    return `Failed with ${counted("# {error|errors}", count)}.`;
  }
  if (preview === undefined) return "Failed before the preview began.";
  if (!preview.isFinished) return "Failed: the preview did not finish.";
  return `Failed: pulumi ${exitCode === 0 ? "reports a failure" : `exited with code ${exitCode}`}, but its output contains no error.`;
}

/** The phrases for what a reader must not overlook, in their order. Other changes are only counted. */
const phrases = {
  off: "private IP mode will be disabled in # {project|projects}",
  on: "private IP mode will be enabled in # {project|projects}",
  managed: "this stack starts to manage private IP mode in # {project|projects}",
  unmanaged: "this stack no longer manages private IP mode in # {project|projects}",
  modeReplaced: "# PrivateIpMode {resource is|resources are} replaced",
  modeDiffers: "private IP mode of # {project|projects} differs from the state",
  projectGone:
    "# {project of a mode no longer exists|projects of modes no longer exist} in the service",
  stringDiffers: "# {connection string was|connection strings were} changed in the service",
  clusterGone:
    "{the cluster of # lookup no longer exists|the clusters of # lookups no longer exist}",
  lookupDiffers: "# {lookup differs|lookups differ} from the state",
  deleted: "# other {resource is|resources are} deleted",
  retained: "# other {resource is no longer managed|resources are no longer managed}",
  leftover:
    "{the leftover of # replaced resource is|the leftovers of # replaced resources are} deleted",
  replaced: "# other {resource is|resources are} replaced",
  differs: "# other {resource differs|resources differ} from the state",
};

type Phrase = keyof typeof phrases;

/** Names the changes that have a phrase. */
function importantChanges({ changes, otherChanges }: Omit<Report, "summary">): string {
  const used = [...changes.map(phraseOf), ...otherChanges.map(phraseOfOther)];
  const countOf = (name: string) => used.filter((each) => each === name).length;
  const sentence = listOfCounts(
    Object.entries(phrases).map(([name, phrase]) => [phrase, countOf(name)]),
  );
  return sentence === "" ? "" : `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

/** Counts the changes that have no phrase. */
function countOfOthers({ changes, changedOutputs, otherChanges }: Omit<Report, "summary">): string {
  const rest = changes.filter((change) => phraseOf(change) === undefined);
  const countOf = (type: Change["type"]) => rest.filter((change) => change.type === type).length;
  const counts = listOfCounts([
    ["# PrivateIpMode {resource|resources}", countOf("PrivateIpMode")],
    ["# {lookup|lookups}", countOf("ClusterConnectionStrings")],
    ["# database {URL|URLs}", countOf("DatabaseUrl")],
    ["# stack {output|outputs}", changedOutputs.length],
    [
      "# other {resource|resources}",
      otherChanges.filter((other) => phraseOfOther(other) === undefined).length,
    ],
  ]);
  return counts === "" ? "" : `Changes to ${counts}.`;
}

/** Returns the phrase for a change; undefined for one that is only counted. */
function phraseOf(change: Change): Phrase | undefined {
  const { type, op, to } = change;
  if (type === "PrivateIpMode") return phraseOfMode(change);
  if (type === "DatabaseUrl" || op !== "refresh") return undefined;
  if (to === undefined) return "clusterGone";
  return change.comparison === "different" ? "stringDiffers" : "lookupDiffers";
}

function phraseOfMode({ op, from, to }: ModeChange): Phrase | undefined {
  if (op === "delete") return "unmanaged";
  if (op === "refresh") return to === undefined ? "projectGone" : "modeDiffers";
  if (op.startsWith("import") || (op === "create" && from === undefined)) return "managed";
  if (op === "replace") return "modeReplaced";
  return from !== to && (to === "on" || to === "off") ? to : undefined;
}

function phraseOfOther({ effect }: OtherChange): Phrase | undefined {
  return effect === "changed" ? undefined : effect;
}
