/** Says what happens to a resource of this package: its value before and after, and who changed it. */
import { isDeepStrictEqual } from "node:util";
import { querySchema } from "../clusterConnectionStrings/args";
import { onOrOff } from "../messages/text";
import type { Step } from "./eventLog";
import type { Change, Difference, Value } from "./model";
import { type OwnType, type Properties, secret, typeOf } from "./resources";
import { modeIn, ownValue, stringIn, textOf } from "./values";

/**
 * Describes a step on a resource of this package. Returns an empty list for other resources.
 *
 * @param step what the engine does
 * @param isDrift whether a refresh found that the service differs from the state
 * @param codes the codes of the warnings about the mode of its project
 */
export function changeOf(step: Step, isDrift: boolean, codes: readonly string[]): Change[] {
  const type = typeOf(step.type);
  if (type === undefined) return [];
  const { op, name, old, new: changed } = step;
  const { from, to } =
    type === "PrivateIpMode"
      ? modesIn(step, codes)
      : { from: old && stringIn(old), to: changed && stringIn(changed) };
  const [before, after] = [old, changed].map((each) => each && subjectOf(type, each));
  const isMoved = before !== undefined && after !== undefined && before !== after;
  return [
    {
      ...{ op, type, name },
      subject: after ?? before ?? "",
      from: from && isMoved ? { ...from, of: before } : from,
      to: to && isMoved ? { ...to, of: after } : to,
      cause: causeOf(step, type, isDrift || isOnlyRecorded(step, codes)),
      receivers: undefined,
      properties: otherDifferences(old, changed),
    },
  ];
}

function subjectOf(type: OwnType, properties: Properties): string {
  const names = type === "PrivateIpMode" ? ["projectId"] : ["projectId", "clusterName"];
  return names.map((name) => textOf(properties[name])).join("/");
}

/** If `check` found another mode in the service than the recorded one, its marker or its warning says so. */
function modesIn(
  step: Step,
  codes: readonly string[],
): { readonly from: Value | undefined; readonly to: Value | undefined } {
  const { op, old, new: changed } = step;
  const to = changed && modeIn(changed);
  const enabled = changed?.["enabled"];
  if (typeof enabled !== "boolean") return { from: old && modeIn(old), to };
  const isTurned = codes.includes(enabled ? "enabling" : "disabling");
  if (isMarked(changed) || (op === "create" && isTurned))
    return { from: { kind: onOrOff(!enabled) }, to };
  if (isOnlyRecorded(step, codes)) return { from: to, to };
  return { from: old && modeIn(old), to };
}

/** Returns whether the service has the new mode already, as the warning about drift says. */
function isOnlyRecorded({ type, op, new: changed }: Step, codes: readonly string[]): boolean {
  const isUpdate = typeOf(type) === "PrivateIpMode" && op === "update";
  return isUpdate && !isMarked(changed) && codes.includes("drift");
}

function isMarked(changed: Properties = {}): boolean {
  return typeof changed["changedOutside"] === "string";
}

function causeOf(
  { op, old = {}, new: changed = {} }: Step,
  type: OwnType,
  isDrift: boolean,
): Change["cause"] {
  if (isDrift) return "service";
  if (type === "PrivateIpMode") {
    const isSame = isDeepStrictEqual(old["enabled"], changed["enabled"]);
    return isMarked(changed) && isSame ? "service" : "program";
  }
  const isSame = Object.keys(querySchema.shape).every((name) =>
    isDeepStrictEqual(ownValue(old, name), ownValue(changed, name)),
  );
  return op === "update" && isSame ? "service" : "program";
}

/** Returns the changed properties that `from` and `to` do not show. */
function otherDifferences(
  old: Properties | undefined,
  changed: Properties | undefined,
): Difference[] {
  if (old === undefined || changed === undefined) return [];
  const shown = ["enabled", "recommended", "recommendedKind", "projectId", "clusterName"];
  // The report already says that the mode was changed elsewhere.
  const hidden = [...shown, "changedOutside"];
  return differences(old, changed).filter(({ name }) => {
    if (name === "network") return !isOnlyKind(old[name], changed[name]);
    return !hidden.includes(name) && !name.startsWith("__");
  });
}

/** Returns whether a network has no other properties than its kind, which the string shows. */
function isOnlyKind(...networks: readonly unknown[]): boolean {
  return networks.every(
    (each) => each instanceof Object && Object.keys(each).every((name) => name === "kind"),
  );
}

/** Returns the properties that differ, sorted by name, and no secrets. */
export function differences(old: Properties = {}, changed: Properties = {}): Difference[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(changed)])].sort();
  return names.flatMap((name) => {
    const values = [old, changed].map((each) => ownValue(each, name));
    if (isDeepStrictEqual(values[0], values[1])) return [];
    const texts = values.map((value) => (value === undefined ? undefined : textOf(value)));
    const [before, after] = texts.includes(secret) ? texts.map((text) => text && secret) : texts;
    return [{ name, old: before, new: after }];
  });
}
