/** Whether a string is reachable, counted from the marks of the rows, and the report about it. */
import type { Facts, HostFacts } from "./facts";
import { listHosts, provenSentences } from "./proofs";
import { type Row, hostRows, rowsBeforeHosts } from "./rows";
import { hasReplicaSet } from "./rules";
import { columns, escapeText } from "./text";
import { usualCauses } from "./usualCauses";

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
  const isReachable = isEnough && !before.some(isProblem);
  const verdict = isReachable ? reachable(failed) : notReachable(facts, isEnough ? [] : failed);
  const rows = [...before, ...rowsOfHosts.flat()];
  const table = columns(rows.map((row) => row.map(escapeText)));
  return { isReachable, rows, report: `${table}\n${verdict}` };
}

function isProblem([mark]: Row): boolean {
  return mark === "problem";
}

function reachable(failed: readonly HostFacts[]): string {
  if (failed.length === 0) return "Reachable.";
  return `Reachable, except for ${listHosts(failed)}. A host can be down for maintenance.`;
}

/** @param failed the hosts without which a driver does not work */
function notReachable(facts: Facts, failed: readonly HostFacts[]): string {
  const first = ["Not reachable.", ...provenSentences(facts, failed)].join(" ");
  const causes = usualCauses(facts, failed);
  return causes.length === 0 ? first : `${first}\nUsual causes: ${causes.join(" ")}`;
}
