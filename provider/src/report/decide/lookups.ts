/** Describes changes of lookups: the recommended string before and after, and what causes the change. */
import { isDeepStrictEqual } from "node:util";
import { querySchema } from "../../clusterConnectionStrings/args";
import type { ChangedResource, LookupChange, StringValue } from "../model";
import type { Preview, Step } from "../read/eventLog";
import { type Properties, containsSecret, hiddenText, shownText, unknownText } from "../values";
import { networkName } from "./connectionStrings";
import { valueIn } from "./differences";
import { inPreview, unknownString } from "./previewedStrings";
import type { ReceiverIndex } from "./receivers";

/** Describes a step on a lookup, and what receives the string. */
export function lookupChange(
  step: Step,
  preview: Preview,
  index: ReceiverIndex,
): Omit<LookupChange, keyof ChangedResource> {
  const { old, new: changed } = step;
  const type = "ClusterConnectionStrings";
  const known = inPreview(step, type, preview.remediations);
  const from = old && recommendedIn(old);
  const to = known.policy === "changes" ? unknownString : changed && recommendedIn(changed);
  const change = { type, from, to, ...known } as const;
  const comparison = from && to && compare(from, to);
  return {
    ...change,
    comparison,
    cause: isChangedInService(step) ? "service" : "program",
    receivers: comparison === "same" ? undefined : index.ofString(step.recordedUrn, change),
  };
}

/** Reads the recommended string of a lookup, its network, and the arguments that select an endpoint. */
function recommendedIn({ recommended, recommendedKind, network }: Properties): StringValue {
  // The lookup waits for its string, or for arguments that are not known yet.
  if (recommended === undefined) return unknownString;
  const selecting = Object.entries(network instanceof Object ? network : {})
    .filter(([name]) => name !== "kind")
    .map(([name, value]) => `${name} ${shownText(value)}`);
  return {
    network: networkName(shownText(recommendedKind)),
    string: shownText(recommended),
    endpoint: selecting.length === 0 ? undefined : selecting.join(", "),
  };
}

function compare(from: StringValue, to: StringValue): LookupChange["comparison"] {
  if (to.string === unknownText) return "unknown";
  const isHidden = (...texts: readonly (string | undefined)[]) => texts.includes(hiddenText);
  // The strings of two networks differ, even if they are secrets.
  if (from.network !== to.network && !isHidden(from.network, to.network)) return "different";
  if (isHidden(from.string, to.string)) return "secret";
  return from.string === to.string ? "same" : "different";
}

/** Returns whether a refresh found the change, or no argument changes, so that the service must have changed. */
function isChangedInService({ op, old = {}, new: changed = {} }: Step): boolean {
  if (op === "refresh") return true;
  if (op !== "update") return false;
  return Object.keys(querySchema.shape).every((name) => {
    const value = valueIn(changed, name);
    return !containsSecret(value) && isDeepStrictEqual(valueIn(old, name), value);
  });
}
