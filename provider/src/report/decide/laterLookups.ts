/**
 * Finds the lookups whose strings a preview cannot know: those that depend on a resource that the same update changes
 * first, such as the cluster. The events and the state say that it changes, and only the service what follows.
 */
import type { LaterLookups } from "../model";
import type { Step } from "../read/eventLog";
import type { StateResource } from "../read/stackExport";
import { isInternal, typeOf } from "../resourceNames";
import { containsSecret } from "../values";
import type { ReceiverIndex } from "./receivers";
import type { StateGraph } from "./stateGraph";

/** Returns the lookups that an update repeats after a change, with what changes and what receives their strings. */
export function laterLookups(
  steps: readonly Step[],
  index: ReceiverIndex,
): LaterLookups | undefined {
  const { graph } = index;
  const distances = new Map<string, number>();
  const lookups = steps.filter(({ type, op, recordedUrn, new: changed }) => {
    // Others are replaced or deleted, or have no dependencies in the state yet.
    if (typeOf(type) !== "ClusterConnectionStrings" || !["same", "update"].includes(op))
      return false;
    // A row says that the string is known after the update.
    if (changed?.["recommended"] === undefined) return false;
    const causes = nearestCauses(graph, recordedUrn);
    for (const [urn, distance] of causes)
      distances.set(urn, Math.min(distance, distances.get(urn) ?? distance));
    return causes.size > 0;
  });
  if (lookups.length === 0) return undefined;
  const nearest = [...distances].sort(([, a], [, b]) => a - b).map(([urn]) => urn);
  return {
    causes: nearest.map((urn) => ({ ...graph.nameOf(urn), properties: changedInputs(graph, urn) })),
    lookups: lookups.map(({ recordedUrn }) => graph.nameOf(recordedUrn)),
    receivers: index.ofLookups(lookups),
  };
}

/**
 * Returns the changed resources on which a lookup depends, directly or through others that do not change, with the number
 * of steps to each.
 */
function nearestCauses(graph: StateGraph, lookup: string): ReadonlyMap<string, number> {
  const isIn = (urn: string) => graph.fateOf(urn) !== "deleted";
  const dependenciesOf = (urn: string) => {
    if (isCause(graph, urn)) return [];
    const { dependencies = [], provider = [] } = graph.resourceOf(urn) ?? {};
    // Another resource's provider does not decide what a lookup returns.
    return (urn === lookup ? dependencies.concat(provider) : dependencies).filter(isIn);
  };
  const levels = graph.reachedFrom([lookup], dependenciesOf);
  const causes = levels.map((level) => level.filter(({ urn }) => isCause(graph, urn)));
  return new Map(causes.flatMap((level, at) => level.map(({ urn }) => [urn, at] as const)));
}

/** Returns whether a resource can change a cluster, or what is asked for it, and changes in the preview. */
function isCause(graph: StateGraph, urn: string): boolean {
  const resource = graph.resourceOf(urn);
  if (resource === undefined || graph.fateOf(urn) !== "changed") return false;
  if (isInternal(resource.type)) return isAnotherAccount(resource, changedInputs(graph, urn));
  return resource.isCustom && typeOf(resource.type) === undefined;
}

function changedInputs(graph: StateGraph, urn: string): string[] {
  return [...new Set(graph.stepsOf(urn).flatMap(({ diffs }) => diffs))];
}

/** The settings that name the service and the account. */
const accountSettings = ["baseUrl", "publicKey", "clientId"];

/**
 * Returns whether a changed provider may have another address or account. `clouddb.Provider` passes both as secrets,
 * which events do not show. An access token is a new one for each run, usually of the same account.
 */
function isAnotherAccount(provider: StateResource, changed: readonly string[]): boolean {
  const prefix = provider.type === "pulumi:providers:clouddb" ? "" : "clouddb:";
  const names = accountSettings.map((name) => `${prefix}${name}`);
  if (changed.length > 0) return names.some((name) => changed.includes(name));
  const isToken = `${prefix}accessToken` in provider.properties;
  return !isToken && names.some((name) => containsSecret(provider.properties[name]));
}
