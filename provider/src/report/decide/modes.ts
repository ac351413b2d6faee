/** Describes changes of private IP modes: the mode before and after, and what causes the change. */
import type { Code } from "../../messages/errors";
import { isChangedOutside, modeIn, notKnown, onOrOff } from "../../privateIpMode/args";
import type { ChangedResource, ModeChange } from "../model";
import type { Preview, Step } from "../read/eventLog";
import { type Properties, shownText } from "../values";
import type { ReceiverIndex } from "./receivers";

/** Describes a step on a mode, and what uses the legacy strings of its project. */
export function modeChange(
  step: Step,
  preview: Preview,
  index: ReceiverIndex,
): Omit<ModeChange, keyof ChangedResource> {
  const { op, urn, old, new: changed } = step;
  const codes = warningCodes(preview, step);
  const isDrift = preview.drift.some((each) => each.urn === urn);
  const from = modeBefore(step, codes);
  const to = changed && modeOf(changed);
  // A refresh, a replacement or a creation as it is does not switch the mode.
  const isSwitched = op === "update" && from !== to;
  return {
    type: "PrivateIpMode",
    projectId: shownText((changed ?? old)?.["projectId"]),
    from,
    to,
    cause: isDrift ? "service" : causeOf(step, codes),
    legacyUsers: isSwitched ? index.ofProject(changed?.["projectId"]) : undefined,
  };
}

/** Returns the codes of the warnings about a resource. Only those of the plugin say which resource they are about. */
function warningCodes({ diagnostics }: Preview, { urn }: Step): Code[] {
  return diagnostics.flatMap(({ urn: about, code }) => (about === urn ? (code ?? []) : []));
}

/**
 * Returns the mode before a step. The first of these that knows it decides:
 *
 * 1. the input `changesFrom`, which the npm package adds, with what `check` found
 * 2. the warnings of `check`, from which the same follows with the plugin, which adds no input
 * 3. the state, which lacks the mode after a change whose outcome is not known
 */
function modeBefore(step: Step, codes: readonly Code[]): string | undefined {
  const { op, old, new: changed } = step;
  const isOfCheck = op === "create" || op === "update";
  // The inputs of another step have what the last update found.
  const changesFrom = isOfCheck ? changed?.["changesFrom"] : undefined;
  const found = modeIn(changesFrom) ?? (isOfCheck ? warnedMode(step, codes) : undefined);
  if (found !== undefined) return found;
  if (old === undefined) return changesFrom === notKnown ? notKnown : undefined;
  return isUnconfirmed(step) ? notKnown : modeOf(old);
}

/** Returns the mode if `check` warned that it is not the recorded one or, at a creation, not the declared one. */
function warnedMode({ op, old, new: changed }: Step, codes: readonly Code[]): string | undefined {
  const enabled = (old ?? changed)?.["enabled"];
  const warnings: readonly Code[] = op === "create" ? ["enabling", "disabling"] : ["drift"];
  const isWarned = codes.some((code) => warnings.includes(code));
  return typeof enabled === "boolean" && isWarned ? onOrOff(!enabled) : undefined;
}

/** Returns the mode that properties declare or record. */
function modeOf({ enabled }: Properties): string {
  if (typeof enabled === "boolean") return onOrOff(enabled);
  return enabled === undefined ? notKnown : shownText(enabled);
}

/** Returns what causes a change, as far as the checked inputs and the warnings say. */
function causeOf(step: Step, codes: readonly Code[]): ModeChange["cause"] {
  if (isUnconfirmed(step)) return "unconfirmed";
  const isWarned = step.op === "update" && codes.includes("drift");
  return isWarned || isChangedOutside(step.new?.["changesFrom"]) ? "service" : "program";
}

/** Returns whether the last change had no answer, after which the recorded outputs lack the mode. */
function isUnconfirmed({ op, oldOutputs }: Step): boolean {
  return op === "update" && oldOutputs !== undefined && !("enabled" in oldOutputs);
}
