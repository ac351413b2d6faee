/**
 * Finds what receives strings. The state says which resources do. No event and no state says it of stack outputs, so
 * those are found by the text of the string.
 */
import type { LegacyUsers, Receivers, StringChange } from "../model";
import type { Preview, Step } from "../read/eventLog";
import type { StateResource } from "../read/stackExport";
import { isInternal, parseUrn, typeOf } from "../resourceNames";
import type { Properties } from "../values";
import { type FoundString, decoded, hostsIn, stringsIn } from "./connectionStrings";
import { isPassword } from "./plainPasswords";
import { type OutputTexts, outputTexts } from "./stackOutputs";
import { type Groups, StateGraph, grouped } from "./stateGraph";

/** A resource before and after the preview. One that only the state has is the same before and after. */
type Resource = Pick<Step, "recordedUrn" | "type" | "old" | "new">;

/** What the engine does to a resource with a string. */
type StringStep = Omit<Resource, "type">;
type InPreview = StringChange["inPreview"];

/** Connection strings in stack outputs, by their hosts, with the name of the output. */
type FoundOutputs = Groups<FoundString & { readonly output: string }>;

/** Finds what receives a string of a resource, in one preview and in the state before it. */
export class ReceiverIndex {
  readonly graph: StateGraph;
  /** The lookups of all projects. */
  readonly #lookups: readonly Resource[];
  /** The strings in the texts of outputs before and after the preview, and in those that differ. */
  readonly #outputs: Readonly<Record<keyof OutputTexts, FoundOutputs>>;

  constructor({ steps }: Pick<Preview, "steps">, state: readonly StateResource[]) {
    const recorded = state.map(({ urn, type, properties }) => {
      return { recordedUrn: urn, type, old: properties, new: properties };
    });
    const all: readonly Resource[] = [...steps, ...recorded];
    this.graph = new StateGraph(steps, state);
    this.#lookups = all.filter(({ type }) => typeOf(type) === "ClusterConnectionStrings");
    const texts = outputTexts(steps, state);
    this.#outputs = {
      old: foundIn(texts.old),
      new: foundIn(texts.new),
      removed: foundIn(texts.removed),
      added: foundIn(texts.added),
    };
  }

  /**
   * Returns what receives the string that a lookup recommends.
   *
   * @param step what the engine does to the lookup
   * @param inPreview whether the preview has the string after the update, and so what changes with it
   */
  ofLookup(step: StringStep, inPreview: InPreview): Receivers {
    return this.#ofString(step, inPreview, (outputs, lookup) =>
      namesOf(outputs, lookup?.["recommended"]),
    );
  }

  /** Like `ofLookup`, for a DatabaseUrl. Outputs with only its connection string are those of a lookup. */
  ofUrl(step: StringStep, inPreview: InPreview): Receivers {
    return this.#ofString(step, inPreview, outputsWithUrl);
  }

  #ofString(
    { recordedUrn, old, new: changed }: StringStep,
    inPreview: InPreview,
    namesIn: (outputs: FoundOutputs, properties: Properties | undefined) => string[],
  ): Receivers {
    // What a policy changes reaches all, although the preview does not show it.
    const isOfPolicy = inPreview === "outdated" || inPreview === "perhapsOutdated";
    const outputs = [
      ...namesIn(this.#outputs.removed, old),
      ...namesIn(isOfPolicy ? this.#outputs.new : this.#outputs.added, changed),
    ];
    const resources = isOfPolicy
      ? this.#allReceivers([recordedUrn])
      : this.#changedReceivers(recordedUrn);
    return { ...resources, outputs: [...new Set(outputs)] };
  }

  /** Returns what has a value of these lookups, whether or not the preview changes it. */
  ofLookups(lookups: readonly StringStep[]): Receivers {
    const strings = lookups.map(({ new: changed }) => changed?.["recommended"]);
    return {
      ...this.#allReceivers(lookups.map(({ recordedUrn }) => recordedUrn)),
      outputs: [...new Set(namesOf(this.#outputs.new, strings))],
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
    const outputs = [this.#outputs.old, this.#outputs.new].flatMap((all) => namesOf(all, strings));
    return {
      ...this.#allReceivers(urns),
      lookups: urns.map((urn) => this.graph.nameOf(urn)),
      outputs: [...new Set(outputs)],
    };
  }

  /** Returns what has a value of some resources, whatever the preview does to it, nearest first. */
  #allReceivers(urns: readonly string[]): ReceivingResources {
    return this.#namesOf(this.#search(urns, () => true));
  }

  /**
   * Returns the resources that receive a changed string: what has a value of its resource, or of another one that
   * receives it. What the preview keeps although it has a value of the string's resource has another value of that. What
   * it keeps although it has a value of a changed Secret, such as its name, can have the old string until it restarts.
   */
  #changedReceivers(urn: string): ReceivingResources {
    const levels = this.#search([urn], ({ source, receiver }) => {
      const isOfString = typeOf(parseUrn(source).type) !== undefined;
      if (this.#isKept(source)) return source === urn;
      return !isOfString || !this.#isKept(receiver);
    });
    return this.#namesOf(
      levels,
      levels.flat().filter((link) => this.#isStale(link)),
    );
  }

  /** Follows the values of some resources to all that have them, nearest first, except for what is deleted. */
  #search(urns: readonly string[], isReceiver: (link: Link) => boolean): Link[][] {
    const visited = new Set(urns);
    const levels: Link[][] = [];
    for (let sources = urns; sources.length > 0; ) {
      const links = sources
        .flatMap((source) =>
          this.graph.receiversOf(source).map((receiver) => ({ source, receiver })),
        )
        .filter((link) => this.graph.fateOf(link.receiver) !== "deleted" && isReceiver(link));
      const level = links.filter(({ receiver }) => {
        const isNew = !visited.has(receiver);
        visited.add(receiver);
        return isNew;
      });
      levels.push(level);
      sources = level.map(({ receiver }) => receiver);
    }
    return levels;
  }

  #namesOf(levels: readonly Link[][], unchanged: readonly Link[] = []): ReceivingResources {
    const names = (links: readonly Link[]) =>
      links.map(({ receiver }) => this.graph.nameOf(receiver));
    const [direct = [], ...further] = levels;
    return { direct: names(direct), further: names(further.flat()), unchanged: names(unchanged) };
  }

  /** Returns whether a resource of another package has what it read from another one, which may have changed. */
  #isStale({ source, receiver }: Link): boolean {
    const { type } = parseUrn(receiver);
    const isProvider = isInternal(type) || isInternal(parseUrn(source).type);
    return this.#isKept(receiver) && !isProvider && typeOf(type) === undefined;
  }

  #isKept(urn: string): boolean {
    return this.graph.fateOf(urn) === "kept";
  }
}

type ReceivingResources = Omit<Receivers, "outputs">;

/** A resource that has a value of another one, by their URNs. */
interface Link {
  readonly source: string;
  readonly receiver: string;
}

/** Finds the connection strings in the texts of outputs. */
function foundIn(texts: ReadonlyMap<string, readonly string[]>): FoundOutputs {
  return grouped(
    [...texts].flatMap(([output, all]) =>
      all.flatMap(stringsIn).map((found) => [found.hosts, { ...found, output }] as const),
    ),
  );
}

/** Returns the names of the outputs with the hosts of these strings. */
function namesOf(outputs: FoundOutputs, strings: unknown): string[] {
  return hostsIn(strings).flatMap((hosts) =>
    [...(outputs.get(hosts) ?? [])].map(({ output }) => output),
  );
}

/** Returns the names of the outputs with the whole URL of a DatabaseUrl, with a password if the URL has one. */
function outputsWithUrl(outputs: FoundOutputs, url: Properties = {}): string[] {
  const { connectionString, username, password, database, options } = url;
  const isUrl = (found: FoundString, string: FoundString) => {
    const [user = "", secret] = found.userInfo?.split(/:(.*)/s) ?? [];
    // Without a user, only the options distinguish a URL from its connection string.
    const added = username ? [] : Object.keys(options ?? {});
    return (
      decoded(user) === (username ?? "") &&
      isPassword(secret) === (password !== undefined) &&
      decoded(found.database) === (database ?? decoded(string.database)) &&
      added.every((name) => found.options.split("&").some((text) => text.startsWith(`${name}=`)))
    );
  };
  const strings = typeof connectionString === "string" ? stringsIn(connectionString) : [];
  return strings.flatMap((string) =>
    [...(outputs.get(string.hosts) ?? [])]
      .filter((found) => isUrl(found, string))
      .map(({ output }) => output),
  );
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
