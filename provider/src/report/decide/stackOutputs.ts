/** Compares the outputs of a stack before and after a preview. */
import { containsUnknown } from "../../host/inputs";
import { outputInText } from "../../validation/arguments";
import type { Change, Difference, OutputDifference, Report, StringChange } from "../model";
import type { Step } from "../read/eventLog";
import type { StateResource } from "../read/stackExport";
import { stackType } from "../resourceNames";
import { type Properties, containsSecret, hiddenText, withoutSecrets } from "../values";
import { type FoundString, hostsIn, stringsIn } from "./connectionStrings";
import { type PropertyPair, differencesIn, newTexts, pairsIn } from "./differences";
import { passwordFinder } from "./plainPasswords";
import type { StateGraph } from "./stateGraph";

/** An output of a stack before and after a preview. */
export interface StackOutput extends PropertyPair {
  /** The connection strings in its plain texts, at any depth. */
  readonly strings: StringsInOutput;
  /** Those in texts that differ from the text at the same place, or are only before or after the preview. */
  readonly changedStrings: StringsInOutput;
}

interface StringsInOutput {
  readonly old: readonly FoundString[];
  readonly new: readonly FoundString[];
}

/** Returns the outputs of a stack by their names. The state has those of before if the steps do not say them. */
export function stackOutputs(
  steps: readonly Step[],
  state: readonly StateResource[],
): StackOutput[] {
  const stack = steps.find(({ type }) => type === stackType);
  const recorded = state.find(({ type }) => type === stackType)?.properties;
  const before = withoutResourceMarks(stack?.old ?? recorded);
  const after = withoutResourceMarks(stack?.new);
  const stringsOf = (value: unknown, other?: unknown) => newTexts(other, value).flatMap(stringsIn);
  return pairsIn(before, after).map(({ name, old, new: changed }) => ({
    name,
    old,
    new: changed,
    strings: { old: stringsOf(old), new: stringsOf(changed) },
    changedStrings: { old: stringsOf(old, changed), new: stringsOf(changed, old) },
  }));
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

/** Returns what a report says of outputs, with all their differences. A DatabaseUrl can have a password in them. */
export function compareOutputs(
  outputs: readonly StackOutput[],
  graph: StateGraph,
): Pick<Report, "outputs" | "secretOutputs" | "misusedOutputs" | "plainPasswords"> {
  const urls = graph.urnsOf("DatabaseUrl").flatMap((urn) => graph.propertiesOf(urn));
  const passwordsIn = passwordFinder(urls);
  const namesOf = (all: readonly StackOutput[]) => all.map(({ name }) => name);
  return {
    outputs: outputs.flatMap((output) => {
      const { old, new: changed } = output.changedStrings;
      const passwords = passwordsIn([...old, ...changed]).map(({ password }) => password);
      return differencesIn(output).map((difference) => ({
        ...withoutPasswords(difference, passwords),
        output: output.name,
      }));
    }),
    secretOutputs: namesOf(outputs.filter(mayBeSecret)),
    misusedOutputs: namesOf(
      outputs.filter(({ old, new: changed }) => outputInText(newTexts(old, changed)) !== undefined),
    ),
    plainPasswords: outputs.flatMap(({ name, changedStrings }) => {
      const users = passwordsIn(changedStrings.new).map(({ user }) => user);
      return [...new Set(users)].map((user) => ({ output: name, user }));
    }),
  };
}

/** Hides passwords that stand in a text without `://`. The others are hidden already. */
function withoutPasswords(difference: Difference, passwords: readonly string[]): Difference {
  const { name, old, new: changed } = difference;
  const hide = (value: string | undefined) =>
    passwords.reduce(
      (text, password) => text?.replaceAll(`:${password}@`, `:${hiddenText}@`),
      value,
    );
  return { name, old: hide(old), new: hide(changed) };
}

/** Returns whether an output is a secret, or was one and is not known yet. */
function mayBeSecret({ old, new: changed }: StackOutput): boolean {
  return containsSecret(changed) || (containsSecret(old) && containsUnknown(changed));
}

/** Returns the differences that do not come only from the string of a lookup or URL, which the report shows. */
export function unexplained(
  differences: readonly OutputDifference[],
  changes: readonly Change[],
): OutputDifference[] {
  const strings = changes.filter((change) => change.type !== "PrivateIpMode");
  return differences.filter((difference) => {
    const received = strings.filter(({ receivers }) =>
      receivers?.outputs.includes(difference.output),
    );
    return !isExplained(difference, received);
  });
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
