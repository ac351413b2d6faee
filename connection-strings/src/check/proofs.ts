/** Sentences about a string that is not reachable. Each one is said only if the facts prove it (decision 0022). */
import {
  type Answer,
  type Facts,
  type Failure,
  type HostFacts,
  failureIn,
  foundIn,
  isNone,
  isUnanswered,
} from "./facts";
import {
  conflictIn,
  differenceIn,
  foreignHost,
  isValidTxt,
  kindOfName,
  serviceOf,
  tlsOf,
} from "./rules";
import { escapeText } from "./text";

/**
 * Returns all sentences that the facts prove. None contradicts another one.
 *
 * @param failed the hosts without which a driver does not work
 */
export function provenSentences(facts: Facts, failed: readonly HostFacts[]): string[] {
  return [
    ...aboutOptions(facts, failed),
    ...aboutClusterNames(facts, failed),
    ...aboutName(facts),
    ...aboutDns(facts, failed),
    ...aboutMinority(facts, failed),
  ];
}

const list = 'The list of hosts (form: "hosts") needs neither SRV nor TXT.';
const otherServer = "Ask another DNS server with --resolver.";

/** What to change in the options of the string. */
function aboutOptions(facts: Facts, failed: readonly HostFacts[]): string[] {
  const { string } = facts;
  const sentences: string[] = [];
  const tls = tlsOf(string);
  // The name of a cluster moves to SRV form, which implies TLS.
  const isImplied = tls === "missing" && failed.some(hasSrvRecords);
  if (tls !== "on" && !isImplied) sentences.push("Set tls=true in the options of the string.");
  if ("code" in string.authority)
    sentences.push("Run the check where the application runs, with the same files.");
  const removed = conflictIn(facts)?.inString ?? [];
  if (removed.length > 0) sentences.push(`Remove ${removed.join(" or ")} from the string.`);
  if (differenceIn("replicaSet", facts) !== undefined)
    sentences.push("Remove replicaSet from the string, so that drivers take the one in TXT.");
  return sentences;
}

/** Returns whether a name in a list of hosts has SRV records, as clusters have. */
export function hasSrvRecords({ srv }: HostFacts): boolean {
  return foundIn(srv) !== undefined;
}

function joinNames(all: readonly { readonly name: string }[]): string {
  return [...new Set(all.map(({ name }) => escapeText(name)))].join(", ");
}

function aboutClusterNames({ string }: Facts, failed: readonly HostFacts[]): string[] {
  const clusters = failed.filter(hasSrvRecords);
  if (clusters.length === 0) return [];
  const [has, it] = clusters.length === 1 ? ["has", "it"] : ["have", "each"];
  const address = clusters.every(({ addresses }) => isNone(addresses)) ? " and no address" : "";
  return [
    `${joinNames(clusters)} ${has} SRV records${address}, so ${it} belongs after ${string.scheme}+srv://, without a port.`,
  ];
}

/** What the records of a name in SRV form say about it. */
function aboutName(facts: Facts): string[] {
  const { cluster, servers, string } = facts;
  if (cluster === undefined) return [];
  const isPublishedConflict = conflictIn(facts)?.inString.length === 0;
  const isRefused = foreignHost(cluster) !== undefined || !isValidTxt(cluster);
  if ("found" in cluster.srv && (isRefused || isPublishedConflict))
    return [`Use the name that the service returned, and no other one. ${list}`];
  const name = escapeText(cluster.name);
  const { scheme } = string;
  switch (kindOfName(cluster)) {
    case "cluster": {
      const service = escapeText(serviceOf(cluster.name, string));
      const hasOwnService = string.options.has("srvservicename");
      const remedy = hasOwnService ? "Remove srvServiceName from the string." : otherServer;
      return [
        `TXT says that ${name} is the name of a cluster, but DNS at ${servers} has no SRV records of ${service}. ${remedy} ${list}`,
      ];
    }
    case "host":
      return [
        `${name} has an address and no SRV records, so it is the name of a host. After ${scheme}+srv://, use the name of the cluster, as the service returned it. Or use ${scheme}:// with the list of all hosts and their ports.`,
      ];
    default:
      return [];
  }
}

/** A question of a driver that DNS does not answer. */
interface OpenQuestion {
  readonly type: "SRV" | "TXT" | "addresses";
  readonly name: string;
  readonly failure: Failure;
  /** Whether DNS answers another question about the name or about its cluster. */
  readonly isOnlyOne: boolean;
}

function openQuestions({ cluster }: Facts, failed: readonly HostFacts[]): OpenQuestion[] {
  const questions: OpenQuestion[] = [];
  const add = (
    type: OpenQuestion["type"],
    name: string,
    [answer, ...others]: readonly (Answer<unknown> | undefined)[],
  ) => {
    const failure = failureIn(answer);
    const isOnlyOne = others.some((other) => other !== undefined && !isUnanswered(other));
    if (failure !== undefined && isUnanswered(failure))
      questions.push({ type, name, failure, isOnlyOne });
  };
  if (cluster !== undefined) {
    const { name, srv, txt, addresses } = cluster;
    add("SRV", name, [srv, txt, addresses]);
    // Drivers need TXT only if there are SRV records.
    if ("found" in srv) add("TXT", name, [txt, srv]);
  }
  for (const host of failed.filter((one) => !hasSrvRecords(one)))
    add("addresses", host.name, [host.addresses, host.srv, cluster?.srv]);
  return questions;
}

/** Which questions DNS does not answer, and whether it answers others. */
function aboutDns(facts: Facts, failed: readonly HostFacts[]): string[] {
  const questions = openQuestions(facts, failed);
  const truncated = questions.filter(({ failure }) => failure.isTruncated);
  const rest = questions.filter(({ failure }) => !failure.isTruncated);
  const single = rest.filter(({ isOnlyOne }) => isOnlyOne);
  const silent = rest.filter(({ isOnlyOne }) => !isOnlyOne);
  const dns = `DNS at ${facts.servers}`;
  const sentences: string[] = [];
  if (truncated.length > 0) {
    const isRefused = truncated.some(({ failure }) => failure.code === "ECONNREFUSED");
    const tcp = isRefused ? "refused" : "not answered";
    sentences.push(
      `${dns} truncates its response about ${subjectsOf(truncated)} over UDP, so drivers ask again over TCP, which is ${tcp}. Allow TCP to the DNS server, or ask another one with --resolver.`,
    );
  }
  if (single.length > 0)
    sentences.push(
      `${dns} answers other questions, but not about ${subjectsOf(single)}. ${otherServer}`,
    );
  if (silent.length > 0)
    sentences.push(
      `${dns} answers no question about ${joinNames(silent)}. ${otherServer} If only that one answers, change this network's DNS.`,
    );
  const isAboutHosts = questions.some(({ type }) => type === "addresses");
  const isPartial = truncated.length + single.length > 0;
  return isPartial && !isAboutHosts ? [...sentences, list] : sentences;
}

/** Such as `the SRV records of orders.ab1cd.db.example`. */
function subjectsOf(questions: readonly OpenQuestion[]): string {
  const nouns = { SRV: "SRV records", TXT: "TXT records", addresses: "addresses" };
  return (["SRV", "TXT", "addresses"] as const)
    .map((type) => ({ type, all: questions.filter((question) => question.type === type) }))
    .filter(({ all }) => all.length > 0)
    .map(({ type, all }) => `the ${nouns[type]} of ${joinNames(all)}`)
    .join(" and ");
}

function aboutMinority({ hosts }: Facts, failed: readonly HostFacts[]): string[] {
  if (failed.length === 0 || failed.length === hosts.length) return [];
  return [`The replica set may have no primary without ${listHosts(failed)}.`];
}

export function listHosts(hosts: readonly HostFacts[]): string {
  return hosts.map(({ name, port }) => escapeText(`${name}:${port}`)).join(", ");
}
