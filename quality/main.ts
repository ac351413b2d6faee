/** Runs one of the long-running tests of `npm run quality`. */
import { parseArgs } from "node:util";
import { bench } from "./bench/bench";
import { fuzz } from "./fuzz";
import { playHistories } from "./histories";
import { matrix } from "./matrix/report";
import { mutation } from "./mutation/mutation";
import { type Options, type Outcome, log, writeReport } from "./report";
import { killAll } from "./soak/kills";

interface LongTest {
  readonly does: string;
  /** The document of the report, and its section. */
  readonly document: readonly [string, string?];
  /** Options with a number, and their defaults. */
  readonly numbers?: Readonly<Record<string, number>>;
  readonly flags?: readonly string[];
  readonly texts?: readonly string[];
  /** The accepted positional arguments. */
  readonly positionals?: readonly string[];
  readonly run: (options: Options) => Outcome | Promise<Outcome>;
}

const subjects = ["guard", "digest", "lists", "selection", "lifecycles", "masking"];

const longTests: Readonly<Record<string, LongTest>> = {
  bench: {
    does: `compares pulumi-clouddb with dynamic providers in each set-up (half an hour; --quick: some goals, 3 minutes;
             --compare <results.json>: lists what changed). Run nothing else on the machine at the same time`,
    document: ["docs/internals/benchmarks.md"],
    flags: ["quick"],
    texts: ["compare"],
    run: bench,
  },
  kills: {
    does: `kills the provider, the language host, the engine or the plugin after some requests of an update, and
             recovers (10 minutes)`,
    document: ["docs/internals/reliability.md", "kills"],
    numbers: { seed: 1, points: 20 },
    run: killAll,
  },
  matrix: {
    does: `installs the packed packages with each package manager, Node.js and SDK, and runs a program of each
             module format on the real engine (40 minutes); --only npm,20,newest,esm selects rows`,
    document: ["docs/internals/compatibility.md", "matrix"],
    numbers: { jobs: 2 },
    texts: ["only"],
    run: matrix,
  },
  mutation: {
    does: `mutates the sources with Stryker and runs their tests; fails below the accepted score (30 minutes; some subjects:
             ${subjects.join(", ")})`,
    document: ["docs/internals/reliability.md", "mutation"],
    positionals: subjects,
    run: (options) => mutation(options.positionals),
  },
  histories: {
    does: `plays histories in virtual time and checks their invariants (an hour; --minutes 10); stops at the first
             violation and prints its shortest history, its seed and its path`,
    document: ["docs/internals/reliability.md", "histories"],
    numbers: { minutes: 60 },
    run: (options) => playHistories(options.number("minutes")),
  },
  fuzz: {
    does: "runs the fuzz tests with many inputs for each property (25 minutes)",
    document: ["docs/internals/reliability.md", "fuzzing"],
    numbers: { runs: 20_000 },
    run: (options) => fuzz(options.number("runs")),
  },
};

const help = `
npm run quality -- <name> [options] [--write]    prints a report; --write also writes a complete report to its document

${Object.entries(longTests)
  .map(([name, { does, numbers = {}, document }]) => {
    const options = Object.entries(numbers).map(([each, value]) => `--${each} ${value}`);
    return `${name.padEnd(10)} ${does}\n${" ".repeat(13)}${[...options, document[0]].join(", ")}`;
  })
  .join("\n")}

The exit code is 1 if an expectation is violated.`;

interface ParsedOptions extends Options {
  readonly test: LongTest;
  /** Whether the report is partial; a partial report must not replace a complete one. */
  readonly isPartial: boolean;
}

/** Returns the test and its options, or undefined if the arguments are wrong. */
function parse(args: readonly string[]): ParsedOptions | undefined {
  const test = longTests[args[0] ?? ""];
  if (test === undefined) return undefined;
  const { numbers = {}, flags = [], texts = [] } = test;
  const named = (names: readonly string[], type: "string" | "boolean") =>
    Object.fromEntries(names.map((name) => [name, { type }]));
  try {
    const { values, positionals } = parseArgs({
      args: args.slice(1),
      allowPositionals: true,
      options: {
        ...named([...Object.keys(numbers), ...texts], "string"),
        ...named([...flags, "write"], "boolean"),
      },
    });
    const text = (name: string) => {
      const value = values[name];
      return typeof value === "string" ? value : undefined;
    };
    const areNumbers = Object.keys(numbers).every((name) =>
      /^[1-9]\d{0,8}$/.test(text(name) ?? "1"),
    );
    const areKnown = positionals.every((each) => test.positionals?.includes(each));
    if (!areNumbers || !areKnown) return undefined;
    const number = (name: string) => Number(text(name) ?? numbers[name]);
    const flag = (name: string) => values[name] === true;
    const isPartial = positionals.length > 0 || texts.some(text) || flags.some(flag);
    return { test, number, text, flag, positionals, isPartial };
  } catch {
    return undefined;
  }
}

async function main(): Promise<number> {
  const options = parse(process.argv.slice(2));
  if (options === undefined) {
    console.error(help.trim());
    return 2;
  }
  const { report, violations, documents = [] } = await options.test.run(options);
  console.log(report);
  for (const violation of violations) log(`VIOLATION: ${violation}`);
  if (options.flag("write") && !options.isPartial) {
    const [file, section] = options.test.document;
    writeReport(file, section, report);
    for (const document of documents) writeReport(...document);
  }
  return violations.length === 0 ? 0 : 1;
}

process.exitCode = 1; // Reset at the end, because Node.js exits early if a promise never settles.
void main().then(
  (code) => {
    process.exitCode = code;
  },
  (error: unknown) => {
    console.error(error instanceof Error ? error.message : error);
  },
);
