/** Shows the URL of a DatabaseUrl without its secrets, and what changes in it. */
import { classify, format, parse } from "clouddb-connection-strings";
import { differences } from "./differences";
import type { Step } from "../read/eventLog";
import type { Difference, UrlParts, Value } from "../model";
import { type Properties, containsSecret, hiddenText, shownText, unknownText } from "../values";
import { networkName } from "./connectionStrings";

/** Returns the URL that an application gets, without its password and the options that the program adds. */
export function urlValue({ connectionString, username, database }: Properties): Value {
  const texts = [connectionString, username ?? "", database ?? ""].map(shownText);
  if (texts.includes(unknownText)) return { kind: "", string: unknownText };
  const [string = "", user = "", path = ""] = texts;
  const kind = networkIn(string);
  try {
    const parts = parse(string);
    const userInfo = user === "" ? undefined : encodeURIComponent(user);
    const shown = { ...parts, userInfo, database: encodeURIComponent(path) || parts.database };
    return {
      kind,
      string: format(shown).replaceAll(encodeURIComponent(hiddenText), hiddenText),
    };
  } catch {
    return { kind, string };
  }
}

/** Returns the network that a string is for; empty if the string is a secret or has other host names. */
function networkIn(string: string): string {
  const found = classify(string);
  if (found.kind === "unknown") return "";
  const key = found.form === "srv" ? `${found.kind}Srv` : found.kind;
  return networkName(key);
}

/** The arguments of a DatabaseUrl, and the words for them in a report. */
const parts = [
  ["username", "user"],
  ["database", "database"],
  ["connectionString", "string"],
  ["options", "options"],
  ["password", "password"],
] as const;

/** Returns which arguments change. A secret has no value to compare, but the plugin names the arguments that change. */
export function changedParts({ op, old, new: changed, diffs }: Step): UrlParts {
  if (old === undefined || changed === undefined) return { visible: [], secret: "none" };
  const differsVisibly = (name: string) =>
    differences({ [name]: old[name] }, { [name]: changed[name] }).some(hasValues);
  const hasSecret = (name: string) => containsSecret(old[name]) || containsSecret(changed[name]);
  const visible = parts.filter(([name]) => differsVisibly(name));
  const secrets = parts.filter(
    ([name]) => hasSecret(name) && !differsVisibly(name) && diffs.includes(name),
  );
  // It is the only explanation of an update that shows nothing else.
  const isUnnamed = op === "update" && diffs.length === 0 && visible.length === 0;
  const unnamed = isUnnamed ? "unnamed" : "none";
  return {
    visible: visible.map(([, part]) => part),
    secret: secrets.length > 0 ? secrets.map(([, part]) => part) : unnamed,
  };
}

/** Returns whether a difference shows its values, as one with a secret does not. */
function hasValues({ old, new: changed }: Difference): boolean {
  return old !== hiddenText && changed !== hiddenText;
}
