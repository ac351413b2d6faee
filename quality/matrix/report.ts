/** Runs the matrix, and renders which rows passed and which failed for a known reason. */
import { stripVTControlCharacters } from "node:util";
import { temporaryFolder } from "../../tests/support/cleanup";
import { withReleases } from "../releases";
import { type Options, type Outcome, conditionsText, log } from "../report";
import { type Row, nameOf, selectRows } from "./rows";
import { type RowResult, allSteps, runRows } from "./run";
import { type Toolchain, packageManagers, prepareToolchain } from "./toolchain";

/** Why rows fail. */
interface KnownFailure {
  /** Whether a row fails. */
  readonly fails: (row: Row) => boolean;
  /** The output of the failing step. */
  readonly output: RegExp;
  /** Why it fails and what to do instead, in Markdown. */
  readonly note: string;
}

const knownFailures: readonly KnownFailure[] = [
  {
    fails: ({ manager, node, sdk }) => manager === "yarn1" && node === 20 && sdk === "newest",
    output: /@pulumi\/pulumi@\S+ The engine "node" is incompatible with this module/,
    note: "Yarn 1 on Node.js 20 with the newest SDK. It refuses to install packages whose `engines` exclude the version of Node.js, and `@pulumi/pulumi` 3.249.0 and later declare Node.js 22 or later. Install a version of `@pulumi/pulumi` below 3.249.0, use Node.js 22 or later, or set `ignore-engines true` in `.yarnrc`.",
  },
  {
    fails: ({ manager, node }) => manager === "yarn4-pnp" && node === 22,
    output:
      /Cannot read properties of undefined \(reading '\.js'\)\s+at Object\.register .*ts-node/,
    note: "Plug'n'Play on Node.js 22. Pulumi's SDK loads programs with ts-node, which fails on Node.js 22 with Plug'n'Play: `Cannot read properties of undefined (reading '.js')`. Use another version of Node.js, or set `nodeLinker: node-modules` in `.yarnrc.yml`.",
  },
];

/** Runs the matrix, or some of its rows. */
export async function matrix({ number, text }: Options): Promise<Outcome> {
  const only = text("only");
  const rows = selectRows(only);
  return await withReleases(async (release) => {
    log(`preparing ${rows.length} rows`);
    const toolchain = prepareToolchain(rows, temporaryFolder(release));
    const results: RowResult[] = [];
    const onResult = (result: RowResult) => {
      results.push(result);
      log(`${nameOf(result)}: ${verdictOf(result)}, ${result.seconds.toFixed(1)} s`);
      if (isViolation(result)) log(stripVTControlCharacters(result.failure?.output ?? ""));
    };
    await runRows(rows, { toolchain, steps: allSteps, jobs: number("jobs"), onResult });

    const passed = results.filter(({ failure }) => failure === undefined).length;
    const command = `npm run quality -- matrix${only === undefined ? "" : ` --only ${only}`}`;
    const report = [
      `\`${command}\`: ${passed} of ${rows.length} rows passed, ${conditionsText()}`,
      `The rows combine ${combinedText(rows, toolchain)}.`,
      exceptionsText(results),
    ];
    const violations = results.filter(isViolation).map((each) => {
      return `${nameOf(each)}: ${verdictOf(each)}`;
    });
    return { report: report.join("\n\n"), violations };
  });
}

/** Lists the versions and module formats in the rows. */
function combinedText(rows: readonly Row[], { managers, nodes, sdks }: Toolchain): string {
  const each = (values: readonly string[]) => [...new Set(values)].join(", ");
  return [
    each(
      rows.map(
        ({ manager }) =>
          `${packageManagers[manager].title} (${managers.get(manager)?.version ?? "?"})`,
      ),
    ),
    `Node.js ${each(rows.map(({ node }) => nodes.get(node)?.version ?? String(node)))}`,
    `\`@pulumi/pulumi\` ${each(rows.map(({ sdk }) => sdks[sdk]))}`,
    each(rows.map(({ format }) => formatTitles[format])),
  ].join("; ");
}

const formatTitles = { typescript: "TypeScript", commonjs: "CommonJS", esm: "ES modules" } as const;

/** Lists the rows that failed, with the reason if it is known, and those that passed despite a known failure. */
function exceptionsText(results: readonly RowResult[]): string {
  const known = knownFailures.flatMap((failure) => {
    const own = results.filter((each) => failure.fails(each) && verdictOf(each) === "known");
    return own.length === 0 ? [] : [`- ${own.length} rows: ${failure.note}`];
  });
  const unexpected = results
    .filter(isViolation)
    .map((each) => `- ${nameOf(each)}: **${verdictOf(each)}**`);
  const lines = [...known, ...unexpected];
  return lines.length === 0
    ? "All of them passed."
    : `All of them passed except:\n\n${lines.join("\n")}`;
}

/** Returns whether a row passed, failed for a known reason, or contradicts the known failures, and how. */
function verdictOf(result: RowResult): string {
  const known = knownFailures.find(({ fails }) => fails(result));
  if (result.failure === undefined) {
    return known === undefined ? "passed" : "passed, but has a known failure";
  }
  return known?.output.test(result.failure.output) === true
    ? "known"
    : `failed at ${result.failure.step}`;
}

function isViolation(result: RowResult): boolean {
  return !["passed", "known"].includes(verdictOf(result));
}
