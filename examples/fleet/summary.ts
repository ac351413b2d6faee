/** The summary of a run. */
import type { Action, Result } from "./result";

/** A run that has ended. */
export interface Summary {
  readonly action: Action;
  /** The number of stacks in the list. */
  readonly total: number;
  readonly succeeded: number;
  readonly drifted: number;
  readonly failed: number;
  /** Stacks without a result, because the run was interrupted. */
  readonly remaining: number;
  /** Wall clock time of this process. */
  readonly seconds: number;
  /** The peak memory of this process, in MB. */
  readonly peakMemoryMb: number;
  readonly results: readonly Result[];
}

/** Sums up the results of a run. */
export function summarize(
  action: Action,
  total: number,
  results: readonly Result[],
  seconds: number,
): Summary {
  const count = (status: Result["status"]) =>
    results.filter((result) => result.status === status).length;
  return {
    action,
    total,
    succeeded: count("succeeded"),
    drifted: count("drifted"),
    failed: count("failed"),
    remaining: total - results.length,
    seconds: Math.round(seconds),
    peakMemoryMb: Math.round(process.resourceUsage().maxRSS / 1024),
    results,
  };
}

/** Formats a summary: a line for each stack that needs attention, and the counts. */
export function formatSummary({ results, ...summary }: Summary): string {
  const { action, total, succeeded, drifted, failed, remaining, seconds } = summary;
  const listed = results.filter(({ status }) => status !== "succeeded");
  const width = Math.max(0, ...listed.map(({ stack }) => stack.length));
  const lines = listed.map(
    (result) => `${result.stack.padEnd(width)}  ${result.status.padEnd(7)}  ${detailOf(result)}`,
  );
  const counts = [
    `${succeeded}/${total} ${action === "drift" ? "without drift" : action}`,
    ...(drifted > 0 ? [`${drifted} drifted`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(remaining > 0 ? [`${remaining} not done; run the same command again to resume`] : []),
  ];
  return [...lines, `${counts.join(", ")} (${seconds} s)`].join("\n");
}

/** Returns the reason of a result, or else the number of resources by operation. */
export function detailOf({ reason, changes }: Result): string {
  const changed = Object.entries(changes).map(([operation, count]) => `${count} ${operation}`);
  return reason ?? changed.join(", ");
}
