/** Summarizes the outcome of a preview in one line, which a comment does not fold. */
import { counted, listOfCounts } from "../../messages/format";
import type { Change, Message, ModeChange, Report } from "../model";
import { type Preview, type Step, isChange } from "../read/eventLog";
import { stackType } from "../resourceNames";

/** Says how many errors there are or, without any, what shows that the preview failed. */
export function failureSummary(
  errors: readonly Message[],
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

/** What a reader must not overlook, in its order. */
const important = {
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

/** The other changes, which are only counted. */
const others = {
  PrivateIpMode: "# PrivateIpMode {resource|resources}",
  ClusterConnectionStrings: "# {lookup|lookups}",
  DatabaseUrl: "# database {URL|URLs}",
  output: "# stack {output|outputs}",
  changed: "# other {resource|resources}",
};

type Counted = keyof typeof important | keyof typeof others;

/**
 * Counts what a preview changes; empty if nothing changes.
 *
 * @param changed what a report shows, with all differences of outputs
 * @param steps all of the preview
 * @param hasChanges whether Pulumi says that it found changes
 */
export function changeSummary(
  { changes, otherChanges, outputs }: Pick<Report, "changes" | "otherChanges" | "outputs">,
  steps: readonly Step[],
  hasChanges: boolean,
): string {
  const all: readonly Counted[] = [
    ...changes.map(kindOf),
    ...Array.from(new Set(outputs.map(({ output }) => output)), () => "output" as const),
    ...otherChanges.map(({ effect }) => effect),
  ];
  const listOf = (phrases: Partial<Record<Counted, string>>) =>
    listOfCounts(
      Object.entries(phrases).map(([kind, phrase]) => {
        return [phrase, all.filter((each) => each === kind).length];
      }),
    );
  const [first, rest] = [listOf(important), listOf(others)];
  const sentences = [
    ...(first === "" ? [] : [`${first.charAt(0).toUpperCase()}${first.slice(1)}.`]),
    ...(rest === "" ? [] : [`Changes to ${rest}.`]),
  ];
  if (sentences.length > 0) return sentences.join(" ");
  const isStackChanged = steps.some(({ op, type }) => type === stackType && isChange(op));
  if (isStackChanged) return "Only the stack itself changes.";
  return hasChanges ? "Pulumi found changes that its events do not show." : "";
}

function kindOf(change: Change): Counted {
  const { type, op, to } = change;
  if (type === "PrivateIpMode") return kindOfMode(change);
  if (type === "DatabaseUrl" || op !== "refresh") return type;
  if (to === undefined) return "clusterGone";
  return change.comparison === "different" ? "stringDiffers" : "lookupDiffers";
}

function kindOfMode({ type, op, from, to }: ModeChange): Counted {
  if (op === "delete") return "unmanaged";
  if (op === "refresh") return to === undefined ? "projectGone" : "modeDiffers";
  if (op.startsWith("import") || (op === "create" && from === undefined)) return "managed";
  if (op === "replace") return "modeReplaced";
  return from !== to && (to === "on" || to === "off") ? to : type;
}
