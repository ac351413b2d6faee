/**
 * Finds what receives strings. The state says which resources do. No event and no state says it of stack outputs, so
 * those are found by the text of the string.
 */
import type { LegacyUsers, Receivers, StringChange } from "../model";
import type { Preview, Step } from "../read/eventLog";
import type { StateResource } from "../read/stackExport";
import { isInternal, parseUrn, typeOf } from "../resourceNames";
import { decoded } from "../values";
import { type FoundString, type OutputStrings, hostsIn, stringsIn } from "./connectionStrings";
import { isPassword } from "./plainPasswords";
import { type StringsInOutputs, stringsInOutputs } from "./stackOutputs";
import { type Reached, type Resource, StateGraph, resourcesOfType } from "./stateGraph";

/** A string before and after, as a report shows it. */
type ChangedString = Pick<StringChange, "from" | "to" | "inPreview">;

/** Returns whether a string in an output is the one that is looked for. */
type IsString = (found: FoundString) => boolean;

/** Finds what receives a string of a resource, in one preview and in the state before it. */
export class ReceiverIndex {
  readonly graph: StateGraph;
  readonly outputs: StringsInOutputs;
  /** The lookups of all projects. */
  readonly #lookups: readonly Resource[];

  constructor({ steps }: Pick<Preview, "steps">, state: readonly StateResource[]) {
    this.graph = new StateGraph(steps, state);
    this.outputs = stringsInOutputs(steps, state);
    this.#lookups = resourcesOfType("ClusterConnectionStrings", steps, state);
  }

  /** Returns what receives the changed string of a lookup; `urn` is that in the state. */
  ofLookup(urn: string, change: ChangedString): Receivers {
    return this.#ofString(urn, change, hasHostsOf);
  }

  /** Returns what receives a changed database URL. Outputs with only its connection string are those of a lookup. */
  ofUrl(urn: string, change: ChangedString): Receivers {
    return this.#ofString(urn, change, isUrl);
  }

  #ofString(
    urn: string,
    { from, to, inPreview }: ChangedString,
    matching: (string: string) => IsString,
  ): Receivers {
    // What a policy changes reaches all, although the preview does not show it.
    const isOfPolicy = inPreview === "outdated" || inPreview === "perhapsOutdated";
    const { old, new: all, removed, added, values } = this.outputs;
    // An output that only had the string before has another one now, unless the preview does not show the string.
    const isShown = hostsIn(to?.string).length > 0;
    const lost = removed.filter(
      ({ output }) => !isShown || !Object.hasOwn(values.new ?? {}, output),
    );
    const outputs = [
      ...namesOf(isOfPolicy ? old : lost, matching(from?.string ?? "")),
      ...namesOf(isOfPolicy ? all : added, matching(to?.string ?? "")),
    ];
    const resources = isOfPolicy ? this.#allReceivers([urn]) : this.#changedReceivers(urn);
    return { ...resources, outputs: [...new Set(outputs)] };
  }

  /** Returns what has a value of these lookups, whether or not the preview changes it. */
  ofLookups(lookups: readonly Pick<Step, "recordedUrn" | "new">[]): Receivers {
    const strings = lookups.map(({ new: changed }) => changed?.["recommended"]);
    return {
      ...this.#allReceivers(lookups.map(({ recordedUrn }) => recordedUrn)),
      outputs: namesOf(this.outputs.new, hasHostsOf(strings)),
    };
  }

  /**
   * Returns what uses the legacy strings of a project, which alone depend on its mode (service document 2.6); undefined
   * if none exists.
   */
  ofProject(projectId: unknown): LegacyUsers | undefined {
    const lookups = this.#lookups.filter(
      ({ old, new: changed }) => (changed ?? old)?.["projectId"] === projectId,
    );
    const strings = lookups.flatMap(legacyIn);
    if (strings.length === 0) return undefined;
    const urns = [...new Set(lookups.filter(recommendsLegacy).map((lookup) => lookup.recordedUrn))];
    const isLegacy = hasHostsOf(strings);
    const outputs = [this.outputs.old, this.outputs.new].flatMap((all) => namesOf(all, isLegacy));
    return {
      ...this.#allReceivers(urns),
      lookups: urns.map((urn) => this.graph.nameOf(urn)),
      outputs: [...new Set(outputs)],
    };
  }

  /** Returns what has a value of some resources, whatever the preview does to it, nearest first. */
  #allReceivers(urns: readonly string[]): ReceivingResources {
    return this.#namesOf(this.graph.reachedFrom(urns, (urn) => this.graph.receiversOf(urn)));
  }

  /**
   * Returns the resources that receive a changed string: what has a value of its resource, or of another one that
   * receives it. What the preview keeps although it has a value of the string's resource has another value of that. What
   * it keeps although it has a value of a changed Secret, such as its name, can have the old string until it restarts.
   */
  #changedReceivers(string: string): ReceivingResources {
    const levels = this.graph.reachedFrom([string], (source) => {
      if (this.#isKept(source) && source !== string) return [];
      const isOfString = typeOf(parseUrn(source).type) !== undefined;
      return this.graph
        .receiversOf(source)
        .filter((urn) => !isOfString || !(this.#isKept(urn) || this.#hasAnother(urn, source)));
    });
    const unchanged = levels.flat().filter((reached) => this.#isStale(reached));
    return this.#namesOf(levels, unchanged);
  }

  #namesOf(
    levels: readonly (readonly Reached[])[],
    unchanged: readonly Reached[] = [],
  ): ReceivingResources {
    const names = (all: readonly Reached[]) => all.map(({ urn }) => this.graph.nameOf(urn));
    const [direct = [], ...further] = levels;
    return { direct: names(direct), further: names(further.flat()), unchanged: names(unchanged) };
  }

  /** Returns whether a resource of another package has what it read from another one, which may have changed. */
  #isStale({ source, urn }: Reached): boolean {
    const { type } = parseUrn(urn);
    const isProvider = isInternal(type) || isInternal(parseUrn(source).type);
    return this.#isKept(urn) && !isProvider && typeOf(type) === undefined;
  }

  /** Returns whether a DatabaseUrl has another string after the preview than those of a lookup. */
  #hasAnother(urn: string, lookup: string): boolean {
    if (typeOf(parseUrn(urn).type) !== "DatabaseUrl") return false;
    const [url, own] = [urn, lookup].map((each) =>
      this.graph.stepsOf(each).find(({ new: changed }) => changed !== undefined),
    );
    const strings = hostsIn(own?.new);
    return (
      strings.length > 0 &&
      hostsIn(url?.new?.["connectionString"]).some((each) => !strings.includes(each))
    );
  }

  #isKept(urn: string): boolean {
    return this.graph.fateOf(urn) === "kept";
  }
}

type ReceivingResources = Omit<Receivers, "outputs">;

/** Returns the names of the outputs with a string. */
function namesOf(outputs: readonly OutputStrings[], isString: IsString): string[] {
  return outputs.filter(({ strings }) => strings.some(isString)).map(({ output }) => output);
}

/** Matches strings with the hosts of these. */
function hasHostsOf(strings: unknown): IsString {
  const wanted = new Set(hostsIn(strings));
  return ({ hosts }) => wanted.has(hosts);
}

/** Matches a URL that a report shows. It has a password there if it has one here. */
function isUrl(url: string): IsString {
  const [shown] = stringsIn(url);
  if (shown === undefined) return () => false;
  const [shownUser, shownPassword] = credentialsIn(shown);
  return (found) => {
    const [user, password] = credentialsIn(found);
    return (
      found.hosts === shown.hosts &&
      user === shownUser &&
      isPassword(password) === (shownPassword !== undefined) &&
      decoded(found.database) === decoded(shown.database) &&
      // Without a user, only the options distinguish a URL from its connection string.
      (user !== "" || found.options === shown.options)
    );
  };
}

/** Returns the user, and the password if there is one. */
function credentialsIn({ userInfo = "" }: FoundString) {
  const [user = "", password] = userInfo.split(/:(.*)/s);
  return [decoded(user), password] as const;
}

/** Returns whether the recommended string of a lookup is a legacy one, before or after the preview. */
function recommendsLegacy(lookup: Resource): boolean {
  const legacy = legacyIn(lookup);
  return [lookup.old, lookup.new].some((properties) =>
    legacy.includes(properties?.["recommended"]),
  );
}

/** Returns the legacy strings of a lookup. The state has null for those that a cluster lacks. */
function legacyIn({ old, new: changed }: Resource): unknown[] {
  const strings = [old, changed].flatMap((lookup) => [lookup?.["legacy"], lookup?.["legacySrv"]]);
  return strings.filter((string) => string !== undefined && string !== null);
}
