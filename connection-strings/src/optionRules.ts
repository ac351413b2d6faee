/** The combinations of options that drivers refuse before they connect. */
import type { StringForm } from "./parsing";

/** The form and the options of a string, and what DNS adds to them. */
interface OptionFacts {
  readonly form: StringForm;
  readonly hostCount: number;
  /** The values in the string by the names in lower case, because drivers ignore the case. */
  readonly options: ReadonlyMap<string, string>;
  /** The options in the TXT record of an SRV name, if it was read. */
  readonly published?: URLSearchParams;
}

/** Returns an option and what drivers refuse it with, which is another option or a property of the string. */
export function refusedPair({
  form,
  hostCount,
  options,
  published = new URLSearchParams(),
}: OptionFacts): readonly [option: string, other: string] | undefined {
  const isInString = (name: string) => options.has(name.toLowerCase());
  const isList = form === "hosts";
  const isSeveral = hostCount > 1;
  const isReplicaSet = isInString("replicaSet") || published.has("replicaSet");
  const isDirect = options.get("directconnection") === "true";
  const isLimited = Number(options.get("srvmaxhosts") ?? 0) > 0;
  const isBalanced = [options.get("loadbalanced"), published.get("loadBalanced")].includes("true");
  const pairs: readonly (readonly [applies: boolean, option: string, other: string])[] = [
    [isList && isInString("srvMaxHosts"), "srvMaxHosts", "a list of hosts"],
    [isList && isInString("srvServiceName"), "srvServiceName", "a list of hosts"],
    [isDirect && !isList, "directConnection", "an SRV name"],
    [isDirect && isSeveral, "directConnection", "several hosts"],
    [isBalanced && isSeveral, "loadBalanced", "several hosts"],
    [isBalanced && isReplicaSet, "loadBalanced", "replicaSet"],
    [isBalanced && isDirect, "loadBalanced", "directConnection"],
    [isBalanced && isLimited, "loadBalanced", "srvMaxHosts"],
    [isLimited && isReplicaSet, "srvMaxHosts", "replicaSet"],
  ];
  const refused = pairs.find(([applies]) => applies);
  if (refused === undefined) return undefined;
  const [, option, other] = refused;
  return [option, other];
}

/** Returns why drivers refuse a string with these options, and what to do. Returns undefined if they accept it. */
export function refusalOf(facts: OptionFacts): string | undefined {
  const [option, other] = refusedPair(facts) ?? [];
  if (option !== undefined) return `drivers refuse ${option} with ${other}. Omit ${option}`;
  const valueOf = (name: string) => facts.options.get(name.toLowerCase());
  const isPrimary = valueOf("readPreference")?.toLowerCase() === "primary";
  if (isPrimary && Number(valueOf("maxStalenessSeconds")) > 0)
    return "drivers refuse maxStalenessSeconds with the readPreference primary. Omit maxStalenessSeconds";
  if (valueOf("proxyPort") !== undefined && valueOf("proxyHost") === undefined)
    return "drivers refuse proxyPort without proxyHost. Pass both, or none";
  return undefined;
}
