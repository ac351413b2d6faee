/** What the benchmarks found: all medians as CSV, and the page with the rows that a user decides by. */
import type { ProgramName } from "./programs";
import type { Command, Measure, Run } from "./stacks";

/** The medians of one command of one program. */
export interface Result {
  readonly command: Command;
  readonly lookups: number;
  readonly hasMode: boolean;
  readonly program: ProgramName;
  /** Whether it is of the checkout that `--against` names. */
  readonly isOther: boolean;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly stateKilobytes: number;
  readonly requests: number;
}

export function resultsOf(measures: readonly Measure[]): Result[] {
  return measures.map(({ benchmark: { lookups, hasMode }, command, program, isOther, runs }) => {
    const medianOf = (unit: keyof Run) => median(runs.map((run) => run[unit]));
    return {
      command,
      lookups,
      hasMode,
      program,
      isOther,
      seconds: rounded(medianOf("seconds"), 2),
      cpuSeconds: rounded(medianOf("cpuSeconds"), 2),
      stateKilobytes: rounded(medianOf("stateBytes") / 1000, 0),
      requests: medianOf("requests"),
    };
  });
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((x, y) => x - y);
  const middle = sorted.length / 2;
  const [low = NaN, high = NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

/** Renders all results as CSV. */
export function csvOf(results: readonly Result[]): string {
  const head = "command,lookups,has mode,program,seconds,CPU seconds,state in kB,requests";
  const lines = results.map(({ isOther: _isOther, ...values }) => Object.values(values).join(","));
  return `${[head, ...lines].join("\n")}\n`;
}

interface PageRow {
  readonly label: string;
  readonly program: ProgramName;
  readonly lookups: number;
  readonly hasMode?: boolean;
}

/** The rows of the page: what a user can choose between. */
const rows: readonly PageRow[] = [
  { label: "20 lookups", program: "clouddb", lookups: 20 },
  { label: "200 lookups", program: "clouddb", lookups: 200 },
  { label: "the same, each with a `DatabaseUrl`", program: "withUrls", lookups: 200 },
  { label: "`getClusters` of 200 names instead", program: "getClusters", lookups: 200 },
  { label: "1,000 lookups", program: "clouddb", lookups: 1000 },
  {
    label: "the same with `PULUMI_SKIP_CHECKPOINTS=true`",
    program: "skipCheckpoints",
    lookups: 1000,
  },
  { label: "`getClusters` of 1,000 names instead", program: "getClusters", lookups: 1000 },
  { label: "200 lookups and the mode", program: "clouddb", lookups: 200, hasMode: true },
  { label: "the same with the plugin", program: "plugin", lookups: 200, hasMode: true },
  {
    label: "the same [by hand](comparison.md#with-a-dynamic-provider-of-your-own)",
    program: "byHand",
    lookups: 200,
    hasMode: true,
  },
];

const columns = ["preview", "up", "up without changes", "refresh", "destroy"] as const;

/** Renders docs/internals/benchmarks.md. */
export function pageOf(results: readonly Result[], circumstances: string): string {
  const head = ["seconds", "preview", "first up", ...columns.slice(2), "state", "requests"];
  const table = [head, head.map(() => "---"), ...rows.map((row) => cellsOf(results, row))];
  return `# Benchmark results

\`npm run bench\` writes this page and [all medians](../../quality/bench/benchmarks.csv), which are attached to each release. Each
figure is the wall time of a command, the size of the state, or the number of requests in the first update. All clusters are in one
project of a simulator on the same machine, without a rate limit.

${table.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}

An update of n lookups is slow because the engine writes the state of all resources again after each one, which is n²/2 times the
state of one lookup. \`pulumi-clouddb preview\` takes ${reportRatio(results)} times as long as \`pulumi preview --json\`.

${circumstances}
`;
}

function cellsOf(results: readonly Result[], row: PageRow): string[] {
  const find = (command: Command) =>
    results.find((each) => !each.isOther && isSame(each, { hasMode: false, ...row, command }));
  const seconds = columns.map((command) => find(command)?.seconds.toFixed(1) ?? "");
  const update = find("up");
  if (update === undefined) throw new Error(`"up" of "${row.label}" was not measured`);
  return [row.label, ...seconds, `${update.stateKilobytes} kB`, String(update.requests)];
}

type Identity = Pick<Result, "command" | "lookups" | "hasMode" | "program">;

function isSame(a: Identity, b: Identity): boolean {
  return (
    a.command === b.command &&
    a.program === b.program &&
    a.lookups === b.lookups &&
    a.hasMode === b.hasMode
  );
}

/** Compares the command of the report with the preview that it runs. */
function reportRatio(results: readonly Result[]): string {
  const of = (command: Command) =>
    results.find((each) => each.command === command && !each.isOther)?.seconds ?? NaN;
  return (of("report") / of("preview --json")).toFixed(2);
}

/** Returns the results for a terminal, with those of the other checkout in further columns. */
export function compared(results: readonly Result[]): object[] {
  return results
    .filter(({ isOther }) => !isOther)
    .map(({ isOther: _isOther, ...result }) => {
      const other = results.find((each) => each.isOther && isSame(each, result));
      if (other === undefined) return result;
      return {
        ...result,
        otherSeconds: other.seconds,
        ratio: rounded(result.seconds / other.seconds, 2),
      };
    });
}
