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
  const changed = steps.map(({ recordedUrn }) => recordedUrn);
  const causes = new Set(changed.filter((urn) => isCause(graph, urn)));
  const dependents = graph.reachedFrom([...causes], (urn) => graph.dependentsOf(urn));
  const later = new Set([...causes, ...dependents.map(({ urn }) => urn)]);
  const lookups = steps.filter(
    (step) => isRepeated(step) && ofLookup(graph, step.recordedUrn).some((urn) => later.has(urn)),
  );
  if (lookups.length === 0) return undefined;
  const urns = new Set(lookups.map(({ recordedUrn }) => recordedUrn));
  // A changed resource on the way is the cause, not what that depends on.
  const nearestFirst = graph.reachedFrom([...urns], (urn) =>
    causes.has(urn) ? [] : urns.has(urn) ? ofLookup(graph, urn) : graph.dependenciesOf(urn),
  );
  return {
    causes: nearestFirst
      .filter(({ urn }) => causes.has(urn))
      .map(({ urn }) => ({ ...graph.nameOf(urn), properties: graph.stepOf(urn)?.diffs ?? [] })),
    ...index.ofLookups(
      [...urns],
      lookups.map(({ new: changed }) => changed?.["recommended"]),
    ),
  };
}

/** Returns whether the update looks up a string again that the preview shows. */
function isRepeated({ type, op, new: changed }: Step): boolean {
  if (typeOf(type) !== "ClusterConnectionStrings") return false;
  // A row says of others that they are deleted, replaced or known after the update. New ones are not in the state.
  return op === "same" || (op === "update" && changed?.["recommended"] !== undefined);
}

/** Returns what a lookup depends on. The providers of other resources do not decide what it returns. */
function ofLookup(graph: StateGraph, urn: string): readonly string[] {
  return graph.dependenciesOf(urn).concat(graph.resourceOf(urn)?.provider ?? []);
}

/** Returns whether a resource can change a cluster, or what is asked for it, and changes in the preview. */
function isCause(graph: StateGraph, urn: string): boolean {
  const resource = graph.resourceOf(urn);
  if (resource === undefined || graph.fateOf(urn) !== "changed") return false;
  if (isInternal(resource.type)) return isAnotherAccount(resource, graph.stepOf(urn)?.diffs ?? []);
  return resource.isCustom && typeOf(resource.type) === undefined;
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
