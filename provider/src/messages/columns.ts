/** Aligns the columns of a table. The texts must be escaped. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const lines = rows.map((row) => row.map((text, at) => text.padEnd(widths?.[at] ?? 0)).join("  "));
  return lines.map((line) => line.trimEnd()).join("\n");
}
