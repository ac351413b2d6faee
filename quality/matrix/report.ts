/** Renders the results of the matrix as Markdown. */
import { table } from "../bench/table";
import { type KnownFailure, judge } from "./knownFailures";
import { packageManagers } from "./packageManagers";
import { type Format, formats, groupByInstallation, isOf, nameOf } from "./rows";
import type { RowResult } from "./run";
import type { Toolchain } from "./toolchain";

/** The conditions of a run. */
export interface Conditions extends Pick<Toolchain, "nodes" | "managers" | "sdks"> {
  readonly cliVersion: string;
  /** The tested commit, as printed by `git describe`. */
  readonly revision: string;
  readonly command: string;
  readonly minutes: number;
}

/** The names of the module formats in the document. */
const formatTitles: Readonly<Record<Format, string>> = {
  typescript: "TypeScript",
  commonjs: "CommonJS",
  esm: "ES module",
};

/** Renders the results of a run. */
export function matrixReport(results: readonly RowResult[], conditions: Conditions): string {
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
export function violations(results: readonly RowResult[]): string[] {
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
