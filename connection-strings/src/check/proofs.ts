/** Sentences about a string that is not reachable. Each one is said only if the facts prove it. */
import {
  type Answer,
  type Facts,
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
  saysCluster,
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

function aboutClusterNames({ string }: Facts, failed: readonly HostFacts[]): string[] {
  const clusters = failed.filter(hasSrvRecords);
  if (clusters.length === 0) return [];
  const names = clusters.map(({ name }) => escapeText(name)).join(", ");
  const [has, it] = clusters.length === 1 ? ["has", "it"] : ["have", "each"];
  const address = clusters.every(({ addresses }) => isNone(addresses)) ? " and no address" : "";
  return [
    `${names} ${has} SRV records${address}, so ${it} belongs after ${string.scheme}+srv://, without a port.`,
  ];
}

/** What the records of a name in SRV form say about it. */
function aboutName(facts: Facts): string[] {
  const { cluster, servers, string } = facts;
  if (cluster === undefined) return [];
  const name = escapeText(cluster.name);
  const { scheme } = string;
  if ("found" in cluster.srv) {
    const isPublishedConflict = conflictIn(facts)?.inString.length === 0;
    const isAccepted = foreignHost(cluster) === undefined && isValidTxt(cluster);
    return isAccepted && !isPublishedConflict
      ? []
      : [`Use the name that the service returned, and no other one. ${list}`];
  }
  if (!isNone(cluster.srv)) return [];
  if (saysCluster(cluster))
    return [
      `TXT says that ${name} is the name of a cluster, but DNS at ${servers} has no SRV records for it. ${otherServer} ${list}`,
    ];
  if (foundIn(cluster.addresses) === undefined) return [];
  return [
    `${name} has an address and no SRV records, so it is the name of a host. After ${scheme}+srv://, use the name of the cluster, as the service returned it. Or use ${scheme}:// with the list of all hosts and their ports.`,
  ];
}

/** A question of a driver that DNS does not answer. */
interface OpenQuestion {
  /** What it asks for, such as `the addresses of a.db.example`. */
  readonly subject: string;
  readonly name: string;
  readonly answer: Answer<unknown>;
  /** The answers to other questions about the name, or about the cluster. */
  readonly others: readonly (Answer<unknown> | undefined)[];
}

function openQuestions(
  { string, cluster }: Facts,
  failed: readonly HostFacts[],
): readonly OpenQuestion[] {
  const questions: OpenQuestion[] = [];
  if (cluster !== undefined) {
    const { name, srv, txt, addresses } = cluster;
    const service = serviceOf(name, string);
    questions.push({ subject: `SRV of ${service}`, name, answer: srv, others: [txt, addresses] });
    // Drivers need TXT only if there are SRV records.
    if ("found" in srv && txt !== undefined)
      questions.push({ subject: `TXT of ${name}`, name, answer: txt, others: [srv] });
  }
  for (const host of failed.filter((one) => !hasSrvRecords(one))) {
    const { name, addresses: answer, srv } = host;
    const others = [srv, cluster?.srv];
    questions.push({ subject: `the addresses of ${name}`, name, answer, others });
  }
  return questions.filter(({ answer }) => isUnanswered(answer));
}

/** Which questions DNS does not answer, and whether it answers others. */
function aboutDns(facts: Facts, failed: readonly HostFacts[]): string[] {
  const questions = openQuestions(facts, failed);
  const truncated = questions.filter(({ answer }) => failureIn(answer)?.isTruncated);
  const rest = questions.filter((question) => !truncated.includes(question));
  const isAnswered = (other: OpenQuestion["others"][number]) =>
    other !== undefined && !isUnanswered(other);
  const single = rest.filter(({ others }) => others.some(isAnswered));
  const silent = rest.filter((question) => !single.includes(question));
  const subjects = (all: readonly OpenQuestion[]) =>
    all.map(({ subject }) => escapeText(subject)).join(", ");
  // Without hosts, only the questions are open that a list of hosts does not need.
  const remedy = facts.cluster !== undefined && failed.length === 0 ? ` ${list}` : "";
  const dns = `DNS at ${facts.servers}`;
  const sentences: string[] = [];
  if (truncated.length > 0) {
    const isRefused = truncated.some(({ answer }) => failureIn(answer)?.code === "ECONNREFUSED");
    const tcp = isRefused ? "refused" : "not answered";
    sentences.push(
      `${dns} truncates its response for ${subjects(truncated)} over UDP, so drivers ask again over TCP, which is ${tcp}. Allow TCP to the DNS server, or ask another one with --resolver.${remedy}`,
    );
  }
  if (single.length > 0)
    sentences.push(
      `${dns} answers other questions, but not for ${subjects(single)}. ${otherServer}${remedy}`,
    );
  if (silent.length > 0) {
    const names = silent.map(({ name }) => escapeText(name)).join(", ");
    sentences.push(
      `${dns} answers no question about ${names}. ${otherServer} If only that one answers, change this network's DNS.`,
    );
  }
  return sentences;
}

function aboutMinority({ hosts }: Facts, failed: readonly HostFacts[]): string[] {
  if (failed.length === 0 || failed.length === hosts.length) return [];
  return [`The replica set may have no primary without ${listHosts(failed)}.`];
}

export function listHosts(hosts: readonly HostFacts[]): string {
  return hosts.map(({ name, port }) => escapeText(`${name}:${port}`)).join(", ");
}
