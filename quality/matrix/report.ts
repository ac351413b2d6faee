/** Renders the results of the matrix as Markdown. */
import { stripVTControlCharacters } from "node:util";
import { temporaryFolder } from "../../tests/cleanup";
import { withReleases } from "../releases";
import {
  type Options,
  type Outcome,
  log,
  type Conditions as RunConditions,
  readConditions,
  table,
} from "../report";
import { type KnownFailure, judge } from "./knownFailures";
import { packageManagers } from "./packageManagers";
import {
  type Format,
  allRows,
  formats,
  groupByInstallation,
  isOf,
  nameOf,
  selectRows,
} from "./rows";
import { type RowResult, runRows } from "./run";
import { allSteps } from "./steps";
import { type Toolchain, cacheFolder, prepareToolchain } from "./toolchain";

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
