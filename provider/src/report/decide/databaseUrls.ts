/** Describes changes of database URLs, which are shown without their secrets, and says which parts change. */
import { classify, format, parse } from "clouddb-connection-strings";
import type { ChangedResource, Difference, StringValue, UrlChange, UrlPart } from "../model";
import type { Step } from "../read/eventLog";
import type { Remediation } from "../read/events";
import { type Properties, containsSecret, hiddenText, shownText, unknownText } from "../values";
import { networkName } from "./connectionStrings";
import { differences } from "./differences";
import { inPreview } from "./previewedStrings";
import type { ReceiverIndex } from "./receivers";

/**
 * Describes a step on a database URL.
 *
 * @param step what the engine does
 * @param index finds what receives the URL
 * @param remediations those of the preview
 */
export function urlChange(
  step: Step,
  index: ReceiverIndex,
  remediations: readonly Remediation[],
): Omit<UrlChange, keyof ChangedResource> {
  const { old, new: changed } = step;
  const from = old && urlOf(old);
  const to = changed && urlOf(changed);
  const parts = changedParts(step);
  return {
    type: "DatabaseUrl",
    from,
    to,
    comparison: compare(from, to, parts),
    inPreview: inPreview(step, "DatabaseUrl", remediations),
    parts,
    receivers: index.ofUrl(step),
  };
}

/** Returns the URL that an application gets, without its password and the options that the program adds. */
function urlOf({ connectionString, username, database }: Properties): StringValue {
  const texts = [connectionString, username ?? "", database ?? ""].map(shownText);
  if (texts.includes(unknownText)) return { network: undefined, string: unknownText };
  const [string = "", user = "", path = ""] = texts;
  const network = networkIn(string);
  try {
    const parts = parse(string);
    const userInfo = user === "" ? undefined : encodeURIComponent(user);
    const shown = { ...parts, userInfo, database: encodeURIComponent(path) || parts.database };
    const url = format(shown).replaceAll(encodeURIComponent(hiddenText), hiddenText);
    return { network, string: url };
  } catch {
    return { network, string };
  }
}

/** Returns the network that a string is for; undefined if the string is a secret or has other host names. */
function networkIn(string: string): string | undefined {
  const found = classify(string);
  if (found.kind === "unknown") return undefined;
  return networkName(found.form === "srv" ? `${found.kind}Srv` : found.kind);
}

function compare(
  from: StringValue | undefined,
  to: StringValue | undefined,
  parts: readonly UrlPart[],
): UrlChange["comparison"] {
  if (from === undefined) return "added";
  if (to === undefined) return "removed";
  if (to.string === unknownText) return "unknown";
  return parts.length > 0 ? "different" : "secret";
}

/** The arguments of a DatabaseUrl, and the words for them in a report. */
const partNames = [
  ["username", "user"],
  ["database", "database"],
  ["connectionString", "string"],
  ["options", "options"],
  ["password", "password"],
] as const;

/** Returns the parts that change. A secret has no value to compare, but the plugin names the arguments that change. */
function changedParts({ op, old, new: changed, diffs }: Step): UrlPart[] {
  if (old === undefined || changed === undefined) return [];
  const parts = partNames.flatMap(([argument, name]): UrlPart[] => {
    const [before, after] = [old[argument], changed[argument]];
    if (differences({ [name]: before }, { [name]: after }).some(hasValues))
      return [{ name, isSecret: false }];
    const isSecret = containsSecret(before) || containsSecret(after);
    return isSecret && diffs.includes(argument) ? [{ name, isSecret }] : [];
  });
  // It is the only explanation of an update that shows nothing else.
  const isUnnamed = op === "update" && diffs.length === 0 && parts.length === 0;
  return isUnnamed ? [{ name: undefined, isSecret: true }] : parts;
}

/** Returns whether a difference shows its values, as one with a secret does not. */
function hasValues({ old, new: changed }: Difference): boolean {
  return old !== hiddenText && changed !== hiddenText;
}
