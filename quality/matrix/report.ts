/** Runs the matrix, and renders its results: which rows passed, and which failed for a known reason. */
import { stripVTControlCharacters } from "node:util";
import { temporaryFolder } from "../../tests/cleanup";
import { withReleases } from "../releases";
import {
  type Conditions as RunConditions,
  type Options,
  type Outcome,
  log,
  readConditions,
  table,
} from "../report";
import {
  type Format,
  type Row,
  allRows,
  formats,
  groupByInstallation,
  isOf,
  nameOf,
  selectRows,
} from "./rows";
import { type RowResult, allSteps, runRows } from "./run";
import { type Toolchain, cacheFolder, packageManagers, prepareToolchain } from "./toolchain";

/** The conditions of a run. */
interface Conditions extends RunConditions, Pick<Toolchain, "nodes" | "managers" | "sdks"> {
  readonly command: string;
  readonly minutes: number;
}

/** Runs the matrix, or some of its rows. */
export async function matrix({ number, text }: Options): Promise<Outcome> {
  const only = text("only");
  const rows = only === undefined ? allRows : selectRows(only);
  return await withReleases(async (release) => {
    log(`preparing ${rows.length} rows`);
    const toolchain = prepareToolchain(rows, temporaryFolder(release));
    const results: RowResult[] = [];
    const onResult = (result: RowResult) => {
      results.push(result);
      logResult(result);
    };
    const jobs = number("jobs");
    await runRows(rows, { toolchain, cacheFolder, steps: allSteps, jobs, onResult });
    const report = matrixReport(results, {
      ...toolchain,
      ...readConditions(),
      command: `npm run quality -- matrix${only === undefined ? "" : ` --only ${only}`}`,
      minutes: performance.now() / 60_000,
    });
    return { report, violations: violations(results) };
  });
}

/** Prints the result of a row, with the output of the failed step unless the failure is known. */
function logResult(result: RowResult): void {
  const verdict = judge(result);
  const known = verdict.kind === "knownFailure" ? "fails as expected" : verdict.kind;
  log(`${nameOf(result.row)}: ${known}, ${result.seconds.toFixed(1)} s`);
  if (verdict.kind === "violation" && result.failure) {
    log(stripVTControlCharacters(result.failure.output));
  }
}

/** The names of the module formats in the document. */
const formatTitles: Readonly<Record<Format, string>> = {
  typescript: "TypeScript",
  commonjs: "CommonJS",
  esm: "ES module",
};

/** Renders the results of a run. */
function matrixReport(results: readonly RowResult[], conditions: Conditions): string {
  const { command, minutes, cliVersion, revision } = conditions;
  const verdicts = results.map((result) => ({ result, verdict: judge(result) }));
  const notes = notesOf(results);
  const cell = (found: (typeof verdicts)[number] | undefined): string => {
    if (found === undefined) return "";
    const { verdict } = found;
    if (verdict.kind === "passed") return "yes";
    if (verdict.kind === "violation") return `**${verdict.message}**`;
    return `no (${notes.indexOf(verdict.known) + 1})`;
  };
  const lines = groupByInstallation(results.map(({ row }) => row)).map(({ installation }) => {
    const { manager, node, sdk } = installation;
    const own = verdicts.filter(({ result }) => isOf(installation, result.row));
    return [
      `${packageManagers[manager].title} (${conditions.managers.get(manager)?.version ?? "?"})`,
      conditions.nodes.get(node)?.version ?? String(node),
      conditions.sdks[sdk],
      ...formats.map((format) => cell(own.find(({ result }) => result.row.format === format))),
    ];
  });
  const passed = verdicts.filter(({ verdict }) => verdict.kind === "passed").length;
  return [
    `\`${command}\`: ${passed} of ${results.length} rows passed, ${minutes.toFixed(0)} minutes. Pulumi CLI ${cliVersion}, commit ${revision}.`,
    table(
      [
        ...["package manager", "Node.js", "`@pulumi/pulumi`"],
        ...formats.map((format) => formatTitles[format]),
      ],
      lines,
    ),
    ...(notes.length === 0 ? [] : [notes.map(noteText).join("\n")]),
  ].join("\n\n");
}

/** Returns a line for each row that contradicts the known failures. */
function violations(results: readonly RowResult[]): string[] {
  return results.flatMap((result) => {
    const verdict = judge(result);
    return verdict.kind === "violation" ? [`${nameOf(result.row)}: ${verdict.message}`] : [];
  });
}

/** Returns the known failures that occurred, in the order of the rows. */
function notesOf(results: readonly RowResult[]): readonly KnownFailure[] {
  const known = results.flatMap((result) => {
    const verdict = judge(result);
    return verdict.kind === "knownFailure" ? [verdict.known] : [];
  });
  return [...new Set(known)];
}

function noteText({ reason, remedy }: KnownFailure, i: number): string {
  return `${i + 1}. ${reason} ${remedy}`;
}

/** Why rows fail. */
export interface KnownFailure {
  /** The rows that fail. */
  readonly rows: (row: Row) => boolean;
  /** What the failing step prints. */
  readonly output: RegExp;
  /** Why they fail, in Markdown. */
  readonly reason: string;
  /** What a user does instead, in Markdown. */
  readonly remedy: string;
}

/** All known failures. */
const knownFailures: readonly KnownFailure[] = [
  {
    rows: ({ manager, node, sdk }) => manager === "yarn1" && node === 20 && sdk === "newest",
    output: /@pulumi\/pulumi@\S+ The engine "node" is incompatible with this module/,
    reason:
      "Yarn 1 refuses to install packages whose `engines` exclude the version of Node.js, and `@pulumi/pulumi` 3.249.0 and later declare Node.js 22 or later.",
    remedy:
      "Install a version of `@pulumi/pulumi` below 3.249.0, use Node.js 22 or later, or set `ignore-engines true` in `.yarnrc`.",
  },
  {
    rows: ({ manager, node }) => manager === "yarn4-pnp" && node === 22,
    output:
      /Cannot read properties of undefined \(reading '\.js'\)\s+at Object\.register .*ts-node/,
    reason:
      "Pulumi's SDK loads programs with ts-node, which fails on Node.js 22 with Plug'n'Play: `Cannot read properties of undefined (reading '.js')`.",
    remedy: "Use another version of Node.js, or set `nodeLinker: node-modules` in `.yarnrc.yml`.",
  },
];

/** What a result means. */
export type Verdict =
  | { readonly kind: "passed" }
  | { readonly kind: "knownFailure"; readonly known: KnownFailure }
  | { readonly kind: "violation"; readonly message: string };

/** Compares a result with the known failures. A row that passes although it has one is a violation, too. */
function judge({ row, failure }: RowResult, known = knownFailures): Verdict {
  const own = known.filter((each) => each.rows(row));
  if (failure === undefined) {
    if (own.length === 0) return { kind: "passed" };
    return { kind: "violation", message: "passed, but has a known failure" };
  }
  const match = own.find((each) => each.output.test(failure.output));
  if (match !== undefined) return { kind: "knownFailure", known: match };
  return { kind: "violation", message: `failed at ${failure.step}` };
}
