/**
 * Finds what receives strings. The state says which resources do. No event and no state says it of stack outputs, so
 * those are found by the text of the string.
 */
import { containsUnknown } from "../../host/inputs";
import type { LookupUsers, Receivers, StringChange } from "../model";
import type { Preview } from "../read/eventLog";
import type { StateResource } from "../read/stackExport";
import { isInternal, parseUrn, typeOf } from "../resourceNames";
import { type Properties, containsSecret } from "../values";
import { type FoundString, hostsIn, stringsIn } from "./connectionStrings";
import { isPassword } from "./plainPasswords";
import { type StackOutput, stackOutputs } from "./stackOutputs";
import { type Reached, StateGraph } from "./stateGraph";

/** A string before and after, as a report shows it. */
type ChangedString = Pick<StringChange, "type" | "from" | "to" | "policy">;

/** Returns whether a string in an output is the one that is looked for. */
type IsString = (found: FoundString) => boolean;

/** Finds what receives a string of a resource, in one preview and in the state before it. */
export class ReceiverIndex {
  readonly graph: StateGraph;
  readonly outputs: readonly StackOutput[];

  constructor({ steps }: Pick<Preview, "steps">, state: readonly StateResource[]) {
    this.graph = new StateGraph(steps, state);
    this.outputs = stackOutputs(steps, state);
  }

  /** Returns what receives a changed string of a resource; `urn` is that in the state. */
  ofString(urn: string, { type, from, to, policy }: ChangedString): Receivers {
    // An output with only the connection string of a URL receives that of a lookup.
    const matching = type === "DatabaseUrl" ? isUrl : hasHostsOf;
    const [isOld, isNew] = [matching(from?.string ?? ""), matching(to?.string ?? "")];
    // What a policy changes reaches all, although the preview does not show it.
    const resources =
      policy === undefined ? this.#changedReceivers(urn) : this.#allReceivers([urn]);
    const isShown = hostsIn(to?.string).length > 0;
    const outputs = this.#outputsWith(({ new: after, strings, changedStrings }) => {
      if (policy !== undefined) return strings.old.some(isOld) || strings.new.some(isNew);
      // An output that only had the string before has another one now, unless the preview does not show the string.
      const isMoved = isShown && after !== undefined && !mayHide(after);
      return (!isMoved && changedStrings.old.some(isOld)) || changedStrings.new.some(isNew);
    });
    return { ...resources, outputs };
  }

  /** Returns what has a value of lookups, and the outputs that have one of their strings after the preview. */
  ofLookups(urns: readonly string[], strings: readonly unknown[]): LookupUsers {
    const isString = hasHostsOf(strings);
    return this.#usersOf(urns, ({ strings: { new: all } }) => all.some(isString));
  }

  /**
   * Returns what uses the legacy strings of a project, which alone depend on its mode (service document 2.6); undefined
   * if none exists.
   */
  ofProject(projectId: unknown): LookupUsers | undefined {
    const lookups = this.graph.urnsOf("ClusterConnectionStrings").map((urn) => ({
      urn,
      properties: this.graph.propertiesOf(urn).filter((each) => each["projectId"] === projectId),
    }));
    const strings = lookups.flatMap(({ properties }) => legacyIn(properties));
    if (strings.length === 0) return undefined;
    const recommending = lookups.filter(({ properties }) =>
      properties.some(({ recommended }) => legacyIn(properties).includes(recommended)),
    );
    const isLegacy = hasHostsOf(strings);
    return this.#usersOf(
      recommending.map(({ urn }) => urn),
      ({ strings: { old, new: changed } }) => [...old, ...changed].some(isLegacy),
    );
  }

  #usersOf(urns: readonly string[], isUser: (output: StackOutput) => boolean): LookupUsers {
    const lookups = urns.map((urn) => this.graph.nameOf(urn));
    return { ...this.#allReceivers(urns), lookups, outputs: this.#outputsWith(isUser) };
  }

  #outputsWith(isReceiver: (output: StackOutput) => boolean): string[] {
    return this.outputs.filter(isReceiver).map(({ name }) => name);
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
    const reached = this.graph.reachedFrom([string], (source) => {
      if (this.#isKept(source) && source !== string) return [];
      const isOfString = typeOf(parseUrn(source).type) !== undefined;
      return this.graph
        .receiversOf(source)
        .filter((urn) => !isOfString || !(this.#isKept(urn) || this.#hasAnother(urn, source)));
    });
    const unchanged = reached.filter((each) => this.#isStale(each));
    return this.#namesOf(reached, unchanged);
  }

  #namesOf(reached: readonly Reached[], unchanged: readonly Reached[] = []): ReceivingResources {
    const names = (all: readonly Reached[]) => all.map(({ urn }) => this.graph.nameOf(urn));
    return {
      direct: names(reached.filter(({ distance }) => distance === 1)),
      further: names(reached.filter(({ distance }) => distance > 1)),
      unchanged: names(unchanged),
    };
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
    const strings = hostsIn(this.graph.stepOf(lookup)?.new);
    const own = hostsIn(this.graph.stepOf(urn)?.new?.["connectionString"]);
    return strings.length > 0 && own.some((each) => !strings.includes(each));
  }

  #isKept(urn: string): boolean {
    return this.graph.fateOf(urn) === "kept";
  }
}

/** Returns whether a value can have a string that the preview does not show. */
function mayHide(value: unknown): boolean {
  return containsSecret(value) || containsUnknown(value);
}

type ReceivingResources = Omit<Receivers, "outputs">;

/** Matches strings with the hosts of these. */
function hasHostsOf(strings: unknown): IsString {
  const wanted = new Set(hostsIn(strings));
  return ({ hosts }) => wanted.has(hosts);
}

/** Matches a URL that a report shows. It has a password there if it has one here. */
function isUrl(url: string): IsString {
  const [shown] = stringsIn(url);
  if (shown === undefined) return () => false;
  return ({ hosts, user, password, database, options }) =>
    hosts === shown.hosts &&
    user === shown.user &&
    isPassword(password) === (shown.password !== undefined) &&
    database === shown.database &&
    // Without a user, only the options distinguish a URL from its connection string.
    (user !== "" || options === shown.options);
}

/** Returns the legacy strings of a lookup. The state has null for those that a cluster lacks. */
function legacyIn(properties: readonly Properties[]): unknown[] {
  const strings = properties.flatMap(({ legacy, legacySrv }) => [legacy, legacySrv]);
  return strings.filter((string) => string !== undefined && string !== null);
}
