/** Compares the outputs of a stack before and after a preview. A failed preview has none to compare. */
import { containsUnknown } from "../../host/inputs";
import { outputInText } from "../../validation/arguments";
import { grouped } from "../groups";
import type { Change, Difference, OutputDifference, Report, StringChange } from "../model";
import type { Step } from "../read/eventLog";
import type { StateResource } from "../read/stackExport";
import { stackType } from "../resourceNames";
import { type Properties, containsSecret, hiddenText, withoutSecrets } from "../values";
import { type OutputStrings, hostsIn, stringsIn } from "./connectionStrings";
import { differencesAt, newTexts, valueIn } from "./differences";
import { passwordsIn } from "./plainPasswords";
import { resourcesOfType } from "./stateGraph";

/** What a report says of the outputs of the stack, with all their differences. */
type StackOutputs = Pick<Report, "outputs" | "secretOutputs" | "misusedOutputs" | "plainPasswords">;

export const noOutputs: StackOutputs = {
  outputs: [],
  secretOutputs: [],
  misusedOutputs: [],
  plainPasswords: [],
};

/**
 * Compares the outputs before and after a preview.
 *
 * @param steps of the preview
 * @param state what is recorded
 * @param strings the outputs, and the connection strings in them
 */
export function compareOutputs(
  steps: readonly Step[],
  state: readonly StateResource[],
  strings: StringsInOutputs,
): StackOutputs {
  const { old, new: changed } = strings.values;
  if (changed === undefined) return noOutputs;
  const names = [...new Set([...Object.keys(old), ...Object.keys(changed)])].sort();
  const outputs = names.map((name) => ({
    name,
    before: valueIn(old, name),
    after: valueIn(changed, name),
  }));
  const urls = resourcesOfType("DatabaseUrl", steps, state).flatMap((url) => [
    url.old ?? {},
    url.new ?? {},
  ]);
  const leaked = passwordsIn(strings.added, urls);
  const hidden = [...leaked, ...passwordsIn(strings.removed, urls)];
  return {
    outputs: outputs.flatMap(({ name, before, after }) => {
      const passwords = hidden.filter(({ output }) => output === name);
      return differencesAt(name, before, after).map((difference) => ({
        ...withoutPasswords(difference, passwords),
        output: name,
      }));
    }),
    secretOutputs: outputs.filter(mayBeSecret).map(({ name }) => name),
    misusedOutputs: outputs
      .filter(({ before, after }) => outputInText(newTexts(before, after)) !== undefined)
      .map(({ name }) => name),
    plainPasswords: [
      ...new Map(
        leaked.map(({ output, user }) => [JSON.stringify([output, user]), { output, user }]),
      ).values(),
    ],
  };
}

/** Hides passwords that stand in a text without `://`. The others are hidden already. */
function withoutPasswords(
  { name, old, new: changed }: Difference,
  passwords: readonly { readonly password: string }[],
): Difference {
  const hide = (value: string | undefined) =>
    passwords.reduce(
      (text, { password }) => text?.replaceAll(`:${password}@`, `:${hiddenText}@`),
      value,
    );
  return { name, old: hide(old), new: hide(changed) };
}

/** Returns whether an output is a secret, or was one and is not known yet. */
function mayBeSecret({ before, after }: { readonly before: unknown; readonly after: unknown }) {
  return containsSecret(after) || (containsSecret(before) && containsUnknown(after));
}

/** The outputs, and the connection strings in each. */
export interface StringsInOutputs {
  readonly values: OutputValues;
  readonly old: readonly OutputStrings[];
  readonly new: readonly OutputStrings[];
  /** Those before the preview whose text it replaces, or removes. */
  readonly removed: readonly OutputStrings[];
  /** Those after the preview whose text is new, or replaces another value. */
  readonly added: readonly OutputStrings[];
}

/**
 * Finds the connection strings in the outputs of a stack before and after a preview. The state has the outputs if the
 * steps do not say what they were.
 */
export function stringsInOutputs(
  steps: readonly Step[],
  state: readonly StateResource[],
): StringsInOutputs {
  const values = outputValues(steps, state);
  const { old, new: changed = {} } = values;
  const newStrings = (outputs: Properties, others: Properties): OutputStrings[] =>
    Object.entries(outputs).map(([output, value]) => ({
      output,
      strings: newTexts(valueIn(others, output), value).flatMap(stringsIn),
    }));
  return {
    values,
    old: newStrings(old, {}),
    new: newStrings(changed, {}),
    removed: newStrings(old, changed),
    added: newStrings(changed, old),
  };
}

/** The outputs of a stack by their names. */
interface OutputValues {
  readonly old: Properties;
  /** Undefined if the preview did not run the program, as a refresh alone does not. */
  readonly new: Properties | undefined;
}

/** Returns the outputs before and after a preview. A failed one has none after it. */
function outputValues(steps: readonly Step[], state: readonly StateResource[]): OutputValues {
  const stack = steps.find(({ type }) => type === stackType);
  const recorded = state.find(({ type }) => type === stackType)?.properties;
  return {
    old: withoutResourceMarks(stack?.old ?? recorded),
    new: stack && withoutResourceMarks(stack.new),
  };
}

/** Returns the differences that do not come only from the string of a lookup or URL, which the report shows. */
export function unexplained(
  differences: readonly OutputDifference[],
  changes: readonly Change[],
): OutputDifference[] {
  const received = grouped(
    changes
      .filter((change) => change.type !== "PrivateIpMode")
      .flatMap((change) =>
        (change.receivers?.outputs ?? []).map((output) => [output, change] as const),
      ),
  );
  return differences.filter(
    (difference) => !isExplained(difference, received.get(difference.output) ?? []),
  );
}

/** Returns whether an output changes only because of the changed strings that it receives. */
function isExplained(difference: OutputDifference, received: readonly StringChange[]): boolean {
  const { name, output, old, new: changed } = difference;
  if (received.length === 0) return false;
  // An output that is added or removed changes with a resource of which the same is true.
  if (old === undefined) return name === output && received.some(({ from }) => from === undefined);
  if (changed === undefined) return name === output && received.some(({ to }) => to === undefined);
  // Two lookups can have the same string before or after.
  return [received, ...received.map((change) => [change])].some(
    (changes) => withoutStrings(old, changes, "from") === withoutStrings(changed, changes, "to"),
  );
}

/** Removes the SDK's mark of exported resources, which recorded outputs lack. */
function withoutResourceMarks(outputs: Properties = {}): Properties {
  const unmarked = (output: unknown): unknown =>
    JSON.parse(
      JSON.stringify(output ?? null, (key, value: unknown) =>
        key === "@isPulumiResource" ? undefined : value,
      ),
    );
  return Object.fromEntries(
    Object.entries(outputs).map(([name, output]) => [name, unmarked(output)]),
  );
}

/**
 * Replaces the string of each change by the same mark before and after it, and in strings with other credentials or
 * options, only its hosts. An output that moves from one changed string to another gets another mark.
 */
function withoutStrings(
  text: string,
  changes: readonly StringChange[],
  side: "from" | "to",
): string {
  const parts = changes.flatMap((change, at) => {
    const string = change[side]?.string ?? "";
    // An output shows a URL without its user.
    const all = [string, withoutSecrets(string), ...hostsIn(string)].filter((part) => part !== "");
    return all.map((part) => ({ part, mark: `\0${at}\0` }));
  });
  // A URL contains the hosts of the lookup's string.
  const longestFirst = parts.sort((a, b) => b.part.length - a.part.length);
  return longestFirst.reduce((rest, { part, mark }) => rest.replaceAll(part, mark), text);
}
