/** Prints progress to stderr; stdout is for the report. */
export function log(line: string): void {
  console.error(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${line}`);
}
