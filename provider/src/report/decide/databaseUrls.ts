/** Describes changes of database URLs, which are shown without their secrets, and says which parts change. */
import { classify, formatWithCredentials } from "clouddb-connection-strings";
import { percentEncode } from "clouddb-connection-strings/credentials";
import { isSecret } from "../../host/inputs";
import { isObject } from "../../validation/values";
import type { ChangedResource, Difference, StringValue, UrlChange, UrlPart } from "../model";
import type { Preview, Step } from "../read/eventLog";
import { type Properties, containsSecret, hiddenText, shownText, unknownText } from "../values";
import { networkName } from "./connectionStrings";
import { differencesIn, valueIn } from "./differences";
import { inPreview, unknownString } from "./previewedStrings";
import type { ReceiverIndex } from "./receivers";

/** Describes a step on a database URL, and what receives the URL. */
export function urlChange(
  step: Step,
  preview: Preview,
  index: ReceiverIndex,
): Omit<UrlChange, keyof ChangedResource> {
  const { old, new: changed } = step;
  const from = old && urlOf(old);
  const to = changed && urlOf(changed);
  const parts = changedParts(step);
  const visible = parts.length > 0 ? "different" : "secret";
  const type = "DatabaseUrl";
  const change = { type, from, to, ...inPreview(step, type, preview.remediations) } as const;
  return {
    ...change,
    comparison: from && to && (to === unknownString ? "unknown" : visible),
    parts,
    receivers: index.ofString(step.recordedUrn, change),
  };
}

/** Returns the URL that an application gets. What is secret or not known yet is named in its place. */
function urlOf(properties: Properties): StringValue {
  const { connectionString, username, password, database, options } = properties;
  const texts = [connectionString, username ?? "", database ?? ""].map(shownText);
  if (texts.includes(unknownText)) return unknownString;
  const [string = "", user, path] = texts;
  const added = shownOptions(options);
  const hasPassword = password !== undefined && password !== null;
  // Nothing is judged, because an earlier version may have accepted a URL that this one refuses.
  const url = formatWithCredentials(string, {
    username: user,
    password: hasPassword ? hiddenText : undefined,
    database: path,
    options: added,
  });
  const shown = withNames(url ?? string);
  return { network: networkIn(string), string: withPossibleSource(shown, added) };
}

/** Decodes the names of what is hidden. One that is both the name and the value of an option stands once. */
function withNames(url: string): string {
  return [hiddenText, unknownText].reduce(
    (text, name) => text.replaceAll(percentEncode(name), name).replaceAll(`${name}=${name}`, name),
    url,
  );
}

/** Returns the options to add as they are shown. Options that are secret as a whole are one option. */
function shownOptions(options: unknown): ShownOptions {
  if (options === undefined || options === null) return {};
  const whole = shownText(options);
  if (!isObject(options) || isSecret(options)) return { [whole]: whole };
  return Object.fromEntries(
    Object.entries(options)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => {
        const isList = Array.isArray(value) && !containsSecret(value);
        return [name, isList ? value.map(shownText) : shownText(value)];
      }),
  );
}

/** Hides the source of the user if the mechanism, which can replace it, is hidden. */
function withPossibleSource(url: string, added: ShownOptions): string {
  const isMechanism = (name: string) => name.toLowerCase() === "authmechanism";
  const hidden = [hiddenText, unknownText].find((text) =>
    Object.entries(added).some(
      ([name, value]) => value === text && (name === text || isMechanism(name)),
    ),
  );
  return hidden === undefined ? url : url.replace(/(?<=[?&]authSource=)[^&]*/i, hidden);
}

type ShownOptions = Readonly<Record<string, string | readonly string[]>>;

/** Returns the network that a string is for; undefined if the string is a secret or has other host names. */
function networkIn(string: string): string | undefined {
  const found = classify(string.trim());
  if (found.kind === "unknown") return undefined;
  return networkName(found.form === "srv" ? `${found.kind}Srv` : found.kind);
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
    const pair = { name, old: valueIn(old, argument), new: valueIn(changed, argument) };
    if (differencesIn(pair).some(hasValues)) return [{ name, isSecret: false }];
    const isSecret = containsSecret(Object.values(pair));
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
