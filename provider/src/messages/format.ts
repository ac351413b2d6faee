/** Formats counts and tables for people. Texts from outside must be escaped before. */

/**
 * Inserts a number into a phrase, and chooses the singular or plural in `{one|many}`.
 *
 * @example counted("# {lookup|lookups}", 2) // "2 lookups"
 */
export function counted(phrase: string, count: number): string {
  const chosen = phrase.replace(/\{(.*)\|(.*)\}/, count === 1 ? "$1" : "$2");
  return chosen.replace("#", String(count));
}

/** Lists the counts that are not zero, such as "2 lookups and 1 database URL"; empty if all are zero. */
export function listOfCounts(
  counts: readonly (readonly [phrase: string, count: number])[],
): string {
  const present = counts.filter(([, count]) => count !== 0);
  return new Intl.ListFormat("en").format(present.map(([phrase, count]) => counted(phrase, count)));
}

/** Aligns the columns of a table, with two spaces between them. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => row.map((text, at) => text.padEnd(widths?.[at] ?? 0)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}
