/** Summarizes the outcome of a preview in one sentence. */
import { isOtherValue } from "./changes";
import type { Preview } from "./eventLog";
import type { Change, Report } from "./model";
import { unknownText } from "./resources";

const list = new Intl.ListFormat("en");

export function summaryOf(
  report: Omit<Report, "summary">,
  preview: Preview | undefined,
  exitCode: number,
): string {
  const { outcome, errors, changes, others } = report;
  if (outcome === "failed") {
    if (errors.length > 0) return `Failed with ${counted("# {error|errors}", errors.length)}.`;
    if (preview === undefined) return "Failed before the preview began.";
    if (!preview.isFinished) return "Failed: the preview did not finish.";
    return `Failed: pulumi ${exitCode === 0 ? "reports a failure" : `exited with code ${exitCode}`}, but its output contains no error.`;
  }
  if (outcome === "unchanged") return "No changes.";
  const othersWith = (operation: RegExp) => others.filter(({ op }) => operation.test(op)).length;
  const deleted = othersWith(deleting);
  const replacedOthers = othersWith(replacing);
  const created = othersWith(/^create$/);
  const differing = othersWith(/^refresh$/);
  const otherChanges = others.length - deleted - replacedOthers - created - differing;
  const parts = [
    ...Object.entries(phrases).map(
      ([kind, phrase]) =>
        [phrase, changes.filter((change) => kindOf(change) === kind).length] as const,
    ),
    ["# stack {output changes|outputs change}", report.outputs.length] as const,
    ["# other {resource is|resources are} deleted", deleted] as const,
    ["# other {resource is|resources are} replaced", replacedOthers] as const,
    ["# other {resource is|resources are} added", created] as const,
    ["# other {resource changes|resources change}", otherChanges] as const,
    ["# other {resource differs|resources differ} from the state", differing] as const,
  ].flatMap(([phrase, count]) => (count === 0 ? [] : [counted(phrase, count)]));
  if (parts.length === 0) return "Only the stack itself changes.";
  const sentence = list.format(parts);
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

export const deleting = /^delete$/;
export const replacing = /replace/;

const phrases = {
  off: "private IP mode will be disabled in # {project|projects}",
  on: "private IP mode will be enabled in # {project|projects}",
  managed: "this stack starts to manage private IP mode in # {project|projects}",
  unmanaged: "this stack no longer manages private IP mode in # {project|projects}",
  modeReplaced: "# {PrivateIpMode resource is|PrivateIpMode resources are} replaced",
  modeDiffers: "private IP mode of # {project|projects} differs from the state",
  modeGone:
    "# {project of a mode no longer exists|projects of modes no longer exist} in the service",
  modeChanged: "# {PrivateIpMode resource changes|PrivateIpMode resources change}",
  stringChanged: "# {connection string changes|connection strings change}",
  changedInService: "# {connection string was|connection strings were} changed in the service",
  waiting: "# {connection string is|connection strings are} known after the update",
  gone: "{the cluster of # lookup no longer exists|the clusters of # lookups no longer exist}",
  lookupChanged: "# {lookup changes|lookups change}",
  urlChanged: "# {database URL changes|database URLs change}",
  urlAdded: "# {database URL is|database URLs are} added",
  urlDeleted: "# {database URL is|database URLs are} deleted",
  added: "# {lookup is|lookups are} added",
  deleted: "# {lookup is|lookups are} deleted",
  replaced: "# {lookup is|lookups are} replaced",
};

function kindOf(change: Change): keyof typeof phrases {
  const { type, op, from, to, cause } = change;
  const isSame = !isOtherValue(change);
  if (type === "PrivateIpMode") {
    if (op === "delete") return "unmanaged";
    if (op === "replace") return "modeReplaced";
    if (op === "refresh") return to === undefined ? "modeGone" : "modeDiffers";
    if (op === "create" && from === undefined) return "managed";
    return !isSame && (to?.kind === "on" || to?.kind === "off") ? to.kind : "modeChanged";
  }
  if (type === "DatabaseUrl")
    return op === "create" ? "urlAdded" : op === "delete" ? "urlDeleted" : "urlChanged";
  if (op === "create") return "added";
  if (op === "refresh" && to === undefined) return "gone";
  if (op === "update" && to?.string === unknownText) return "waiting";
  if (op === "update" && isSame) return "lookupChanged";
  if (op === "update" || op === "refresh")
    return cause === "service" ? "changedInService" : "stringChanged";
  return op === "delete" ? "deleted" : "replaced";
}

/** Inserts a number into a phrase, and chooses the singular or plural in `{one|many}`. */
export function counted(phrase: string, count: number): string {
  const chosen = phrase.replace(/\{(.*)\|(.*)\}/, count === 1 ? "$1" : "$2");
  return chosen.replace("#", String(count));
}
