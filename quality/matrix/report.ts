/** Runs the matrix, and renders its results: which rows passed, and which failed for a known reason. */
import { stripVTControlCharacters } from "node:util";
import { temporaryFolder } from "../../tests/support/cleanup";
import { withReleases } from "../releases";
import { type Options, type Outcome, conditionsText, log, table } from "../report";
import { type Row, formats, groupByInstallation, nameOf, selectRows } from "./rows";
import { type RowResult, allSteps, runRows } from "./run";
import { packageManagers, prepareToolchain } from "./toolchain";

/** Why rows fail. */
interface KnownFailure {
  /** Whether a row fails. */
  readonly fails: (row: Row) => boolean;
  /** What the failing step prints. */
  readonly output: RegExp;
  /** Why it fails, and what a user does instead, in Markdown. */
  readonly note: string;
}

const knownFailures: readonly KnownFailure[] = [
  {
    fails: ({ manager, node, sdk }) => manager === "yarn1" && node === 20 && sdk === "newest",
    output: /@pulumi\/pulumi@\S+ The engine "node" is incompatible with this module/,
    note: "Yarn 1 refuses to install packages whose `engines` exclude the version of Node.js, and `@pulumi/pulumi` 3.249.0 and later declare Node.js 22 or later. Install a version of `@pulumi/pulumi` below 3.249.0, use Node.js 22 or later, or set `ignore-engines true` in `.yarnrc`.",
  },
  {
    fails: ({ manager, node }) => manager === "yarn4-pnp" && node === 22,
    output:
      /Cannot read properties of undefined \(reading '\.js'\)\s+at Object\.register .*ts-node/,
    note: "Pulumi's SDK loads programs with ts-node, which fails on Node.js 22 with Plug'n'Play: `Cannot read properties of undefined (reading '.js')`. Use another version of Node.js, or set `nodeLinker: node-modules` in `.yarnrc.yml`.",
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

    const { managers, nodes, sdks } = toolchain;
    const lines = groupByInstallation(rows).flatMap((group) =>
      group.slice(0, 1).map(({ manager, node, sdk }) => [
        `${packageManagers[manager].title} (${managers.get(manager)?.version ?? "?"})`,
        nodes.get(node)?.version ?? String(node),
        sdks[sdk],
        ...formats.map((format) => {
          const row = group.find((each) => each.format === format);
          const result = results.find((each) => row && nameOf(each) === nameOf(row));
          return result === undefined ? "" : verdictOf(result);
        }),
      ]),
    );
    const passed = results.filter((each) => verdictOf(each) === "yes").length;
    const command = `npm run quality -- matrix${only === undefined ? "" : ` --only ${only}`}`;
    const report = [
      `\`${command}\`: ${passed} of ${rows.length} rows passed, ${conditionsText()}`,
      table(
        ["package manager", "Node.js", "`@pulumi/pulumi`", "TypeScript", "CommonJS", "ES module"],
        lines,
      ),
      knownFailures.map(({ note }, i) => `${i + 1}. ${note}`).join("\n"),
    ];
    const violations = results.filter(isViolation).map((each) => {
      return `${nameOf(each)}: ${verdictOf(each)}`;
    });
    return { report: report.join("\n\n"), violations };
  });
}

/** Returns what the table says of a row. */
function verdictOf(result: RowResult): string {
  const number = knownFailures.findIndex(({ fails }) => fails(result));
  const known = knownFailures[number];
  if (result.failure === undefined) {
    return known === undefined ? "yes" : "**passed, but has a known failure**";
  }
  return known?.output.test(result.failure.output) === true
    ? `no (${number + 1})`
    : `**failed at ${result.failure.step}**`;
}

/** Returns whether a result contradicts the known failures. */
function isViolation(result: RowResult): boolean {
  return verdictOf(result).startsWith("**");
}
