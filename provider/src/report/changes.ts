/** Says what happens to a resource of this package: its value before and after, and who changed it. */
import { isDeepStrictEqual } from "node:util";
import { querySchema } from "../clusterConnectionStrings/args";
import { onOrOff } from "../messages/text";
import { type OwnType, type Properties, type Step, secret, typeOf } from "./input";
import type { Change, Difference, Located } from "./model";
import { modeIn, optionsIn, ownValue, stringIn, textOf } from "./values";

/** Describes a step on a resource of this package; returns nothing for any other. */
export function changeOf(step: Step, located: Located): Change[] {
  const type = typeOf(step.type);
  if (type === undefined) return [];
  const { op, name, old, new: changed } = step;
  const show = type === "PrivateIpMode" ? modeIn : stringIn;
  const subject = (each: Properties = {}) =>
    [each["projectId"], ...(type === "PrivateIpMode" ? [] : [each["clusterName"]])]
      .map(textOf)
      .join("/");
  const isMoved = old && changed && subject(old) !== subject(changed);
  const place = (each: Properties) => (isMoved ? ` (${subject(each)})` : "");
  const [from, to] = [old, changed].map((each) => each && `${show(each)}${place(each)}`);
  const cause = causeOf(step, type);
  return [
    {
      op,
      type,
      name,
      subject: subject(changed ?? old),
      from: old === undefined ? adoptedMode(type, changed) : (seenByCheck(old, changed) ?? from),
      to:
        changed === undefined
          ? modeAfterDelete(type, old)
          : to === from
            ? optionsIn(changed, to)
            : to,
      cause,
      receivers: undefined,
      properties: differences(old, changed).filter(
        // The warning has the text of `changedOutside`.
        (each) => !each.name.startsWith("__") && each.name !== "changedOutside",
      ),
      // No line of the program is the cause.
      position: cause === "service" ? undefined : located.position,
    },
  ];
}

function causeOf({ op, old = {}, new: changed }: Step, type: OwnType): Change["cause"] {
  if (op === "refresh" || type === "PrivateIpMode")
    return op === "refresh" || seenByCheck(old, changed) !== undefined ? "service" : "program";
  const isSame = Object.keys(querySchema.shape).every((name) =>
    isDeepStrictEqual(ownValue(old, name), ownValue(changed ?? {}, name)),
  );
  return op === "update" && isSame ? "service" : "program";
}

/** Before a resource is created, its project already has the mode on or off. */
function adoptedMode(type: OwnType, created: Properties = {}): string | undefined {
  const mode = created["enabledAtAdoption"];
  return type === "PrivateIpMode" && typeof mode === "boolean" ? onOrOff(mode) : undefined;
}

/** Deleting the resource keeps the mode, or restores what it was before. */
function modeAfterDelete(type: OwnType, deleted: Properties = {}): string | undefined {
  if (type !== "PrivateIpMode") return undefined;
  const { onDelete, enabled, enabledAtAdoption, __setByStack = enabled } = deleted;
  const isSetByStack = enabled === __setByStack;
  const isRestored =
    onDelete === "restore" && isSetByStack && typeof enabledAtAdoption === "boolean";
  return `${isRestored ? onOrOff(enabledAtAdoption) : modeIn(deleted)} (no longer managed)`;
}

/** If `check` found that the mode was changed outside of the stack, the state has the same value as the program. */
function seenByCheck(old: Properties, changed: Properties = {}): string | undefined {
  const { enabled, changedOutside } = changed;
  if (typeof enabled !== "boolean" || typeof changedOutside !== "string") return undefined;
  return old["enabled"] === enabled ? onOrOff(!enabled) : undefined;
}

export function driftSeenByCheck(step: Step, located: Located): Change[] {
  const found = step.old && seenByCheck(step.old, step.new);
  if (found === undefined) return [];
  return changeOf({ ...step, new: step.old }, located).map((change) => {
    return { ...change, op: "update", to: found };
  });
}

/** Returns the properties that differ, sorted by name, and no secrets. */
export function differences(
  old: Properties = {},
  changed: Properties = {},
  show: (value: unknown) => string = textOf,
): Difference[] {
  const names = [...new Set([...Object.keys(old), ...Object.keys(changed)])].sort();
  return names.flatMap((name) => {
    const values = [old, changed].map((each) => ownValue(each, name));
    if (isDeepStrictEqual(values[0], values[1])) return [];
    const texts = values.map((value) => (value === undefined ? undefined : show(value)));
    const [before, after] = texts.includes(secret) ? texts.map((text) => text && secret) : texts;
    return [{ name, old: before, new: after }];
  });
}
