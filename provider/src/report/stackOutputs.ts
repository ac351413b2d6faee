/** Compares the outputs of a stack before and after a preview. */
import { differences } from "./changes";
import type { Step } from "./eventLog";
import type { Change, Difference } from "./model";
import { type Properties, hostsIn, secret, shownText, stackType } from "./resources";
import type { StateResource } from "./stackExport";

export interface StackOutputs {
  readonly changed: readonly Difference[];
  /** The names of those that are secrets before and after. Their values cannot be compared. */
  readonly secret: readonly string[];
}

export function compareOutputs(
  steps: readonly Step[],
  state: readonly StateResource[],
): StackOutputs {
  const { old, changed } = outputsIn(steps, state);
  const found = differences(old, changed);
  const names = new Set(found.map(({ name }) => name));
  return { changed: found, secret: secretNames(old).filter((name) => !names.has(name)) };
}

/** Returns the outputs of a failed preview, which has none, as if all were removed. */
export function recordedOutputs(
  steps: readonly Step[],
  state: readonly StateResource[],
): StackOutputs {
  return { changed: [], secret: secretNames(outputsIn(steps, state).old) };
}

/** Returns whether an output changes only because of the string of a lookup or URL, which the report shows. */
export function isExplained(output: Difference, changes: readonly Change[]): boolean {
  const { name, old, new: changed } = output;
  // A mode changes no string.
  const received = changes.filter(
    ({ type, receivers }) => type !== "PrivateIpMode" && receivers?.outputs.includes(name),
  );
  if (received.length === 0) return false;
  if (old === undefined || changed === undefined) return true;
  return withoutStrings(old, received) === withoutStrings(changed, received);
}

function outputsIn(steps: readonly Step[], state: readonly StateResource[]) {
  const stack = steps.find(({ type }) => type === stackType);
  const recorded = state.find(({ type }) => type === stackType)?.properties;
  return { old: withoutMarks(stack?.old ?? recorded), changed: withoutMarks(stack?.new) };
}

function secretNames(outputs: Properties): string[] {
  return Object.keys(outputs).filter((name) => shownText(outputs[name]) === secret);
}

/** Removes the SDK's mark of exported resources, which recorded outputs lack. */
function withoutMarks(outputs: Properties = {}): Properties {
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

/** Replaces the strings of changes and, in strings with other credentials or options, their hosts. */
function withoutStrings(text: string, changes: readonly Change[]): string {
  const strings = changes.flatMap(({ from, to }) => [from?.string ?? "", to?.string ?? ""]);
  const parts = [...strings, ...hostsIn(strings)].filter((part) => part !== "");
  return parts.reduce((all, part) => all.replaceAll(part, "…"), text);
}
