/** Describes what a preview changes. Each type of this package has a file for what only its changes say. */
import { isDeepStrictEqual } from "node:util";
import { argsSchema } from "../../clusterConnectionStrings/args";
import type { Change, ChangedResource, Difference, OtherChange } from "../model";
import type { Preview, Step } from "../read/eventLog";
import { isUncounted, typeOf } from "../resourceNames";
import { type Properties, hiddenText, shownText } from "../values";
import { urlChange } from "./databaseUrls";
import { type PropertyPair, differencesIn, pairsIn } from "./differences";
import { lookupChange } from "./lookups";
import { modeChange } from "./modes";
import type { ReceiverIndex } from "./receivers";

/**
 * Describes a step that changes something. Returns an empty list for resources of other packages.
 *
 * @param step what the engine does
 * @param preview all that the preview says
 * @param index finds what receives the strings
 */
export function changeOf(step: Step, preview: Preview, index: ReceiverIndex): Change[] {
  const resource = {
    op: step.op,
    name: step.name,
    hasError: hasErrorIn(preview, step),
    move: moveOf(step),
    properties: otherDifferences(step),
  };
  switch (typeOf(step.type)) {
    case "PrivateIpMode":
      return [{ ...resource, ...modeChange(step, preview, index) }];
    case "ClusterConnectionStrings":
      return [{ ...resource, ...lookupChange(step, preview, index) }];
    case "DatabaseUrl":
      return [{ ...resource, ...urlChange(step, preview, index) }];
    case undefined:
      return [];
  }
}

/** Returns the changes of resources of other packages, of which a report has only the names, and of leftovers. */
export function otherChanges(steps: readonly Step[], preview: Preview): OtherChange[] {
  const changeWith = (step: Step, effect: OtherChange["effect"]) => {
    const { op, urn, type, name } = step;
    return { op, urn, type, name, effect, hasError: hasErrorIn(preview, step) };
  };
  const others = steps.filter(({ type }) => typeOf(type) === undefined);
  const leftovers = preview.leftovers.filter((step) => !isUncounted(step));
  return [
    ...others.map((step) => changeWith(step, effectOf(step))),
    ...leftovers.map((step) => changeWith(step, "leftover")),
  ];
}

function effectOf({ op, isRetained }: Step): OtherChange["effect"] {
  if (op === "delete") return isRetained ? "retained" : "deleted";
  // The preview failed before it said whether the resource is created again.
  if (op === "delete-replaced") return "changed";
  // A replacement, or a step of one, such as `create-replacement`.
  if (op.includes("replace")) return "replaced";
  return op === "refresh" ? "differs" : "changed";
}

/** Returns whether Pulumi reports an error about the resource of a step. */
function hasErrorIn({ diagnostics }: Preview, { urn }: Step): boolean {
  return diagnostics.some((each) => each.severity === "error" && each.urn === urn);
}

/** Returns what a resource is of, before and after a step that changes this. */
function moveOf({ old, new: changed }: Step): ChangedResource["move"] {
  if (old === undefined || changed === undefined) return undefined;
  const [from, to] = [subjectOf(old), subjectOf(changed)];
  return from === to ? undefined : { from, to };
}

/** Returns the project ID, and for a lookup, a slash and the name of the cluster. A DatabaseUrl has neither. */
function subjectOf(properties: Properties): string {
  const names = ["projectId", "clusterName"].filter((name) => name in properties);
  return names.map((name) => shownText(properties[name])).join("/");
}

/**
 * The properties that a report does not list, because it shows them elsewhere, or because they tell a reader nothing.
 */
const hiddenProperties = [
  "enabled",
  "changesFrom",
  "projectId",
  "clusterName",
  "recommended",
  "recommendedKind",
  "connectionString",
  "url",
];

/** Compares the properties whose change the value does not already show. */
function otherDifferences({ old, new: changed }: Step): Difference[] {
  if (old === undefined || changed === undefined) return [];
  const strings = [old, changed].map(({ recommended, connectionString }) =>
    shownText(recommended ?? connectionString),
  );
  const isWaiting = changed["recommended"] === undefined && "recommended" in old;
  const isShown = ({ name, old: before, new: after }: PropertyPair) => {
    if (hiddenProperties.includes(name) || name.startsWith("__")) return false;
    if (isWaiting && !(name in argsSchema.shape)) return false;
    if (name === "network") return !isOnlyKind(before, after);
    const texts = [before, after].map(shownText);
    // A property that changes as the string does, such as privateSrv, says nothing more.
    return texts.includes(hiddenText) || !isDeepStrictEqual(texts, strings);
  };
  return pairsIn(old, changed).filter(isShown).flatMap(differencesIn);
}

/** Returns whether a network has no other properties than its kind, which the string shows. */
function isOnlyKind(...networks: readonly unknown[]): boolean {
  return networks.every(
    (network) => network instanceof Object && Object.keys(network).every((name) => name === "kind"),
  );
}
