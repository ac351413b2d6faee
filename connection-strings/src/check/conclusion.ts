/** Whether a string is reachable, counted from the marks of the rows, and the report about it. */
import type { Facts, HostFacts } from "./facts";
import { listHosts, provenSentences, usualCauses } from "./reasons";
import { type Row, hostRows, rowsBeforeHosts } from "./rows";
import { hasReplicaSet } from "./rules";

export interface Conclusion {
  readonly isReachable: boolean;
  readonly rows: readonly Row[];
  /** The rows, and then what follows from them, for a terminal. */
  readonly report: string;
}

/** Concludes from the facts alone, so every combination of them can be tested without a network. */
export function conclude(facts: Facts): Conclusion {
  const { string, hosts } = facts;
  const before = rowsBeforeHosts(facts);
  const rowsOfHosts = hosts.map((host) => hostRows(host, string));
  const failed = hosts.filter((_, at) => rowsOfHosts[at]?.some(isProblem));
  const answering = hosts.length - failed.length;
  const isEnough = answering > (hasReplicaSet(facts) ? hosts.length / 2 : 0);
  const isAccepted = !before.some(isProblem);
  const isReachable = isEnough && isAccepted;
  const rows = [...before, ...rowsOfHosts.flat()];
  const isProxied = string.options.has("proxyhost");
  const verdict =
    isProxied && isAccepted
      ? [throughProxy]
      : isReachable
        ? reachable(failed)
        : notReachable(facts, isEnough ? [] : failed, isEnough ? before : rows);
  const lines = [...tableLines(rows), ...verdict.map(escapeText)];
  return { isReachable, rows, report: lines.join("\n") };
}

const throughProxy =
  "Not known. Drivers connect through proxyHost, and the check would connect without it, so the hosts would prove nothing. Check the string without the options of the proxy where the proxy runs.";

function isProblem([mark]: Row): boolean {
  return mark === "problem";
}

function reachable(failed: readonly HostFacts[]): string[] {
  if (failed.length === 0) return ["Reachable."];
  return [`Reachable, except for ${listHosts(failed)}. A host can be down for maintenance.`];
}

/** @param failed the hosts without which a driver does not work */
function notReachable(facts: Facts, failed: readonly HostFacts[], rows: readonly Row[]): string[] {
  const advice = rows.filter(isProblem).flatMap((row) => row[4] ?? []);
  const sentences = new Set([...advice, ...provenSentences(facts, failed)]);
  const first = ["Not reachable.", ...sentences].join(" ");
  const causes = usualCauses(facts, failed);
  return causes.length === 0 ? [first] : [first, `Usual causes: ${causes.join(" ")}`];
}

function tableLines(rows: readonly Row[]): string[] {
  const cells = rows.map(([mark, check, subject, finding]) =>
    [mark, check, subject, finding].map((text) => escapeText(shorten(text))),
  );
  const widths = cells[0]?.map((_, at) => Math.max(...cells.map((row) => row[at]?.length ?? 0)));
  const lines = cells.map((row) => row.map((text, at) => text.padEnd(widths?.[at] ?? 0)));
  return lines.map((line) => line.join("  ").trimEnd());
}

/** A certificate can have any number of names, and a name any number of addresses. No name in DNS is longer. */
const maxLength = 300;

function shorten(text: string): string {
  return text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
}

/** Control, format (bidirectional, zero-width) and separator characters, and lone surrogates. */
const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * Escapes the characters that a terminal would obey in text from DNS, certificates and the string. The provider has the
 * same function, but an application's container has only this package.
 *
 * @example escapeText("a\u001b[31mb") // "a\\u{1b}[31mb"
 */
function escapeText(text: string): string {
  return text.replace(
    unsafeCharacters,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}
