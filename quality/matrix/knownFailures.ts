/** The rows that cannot pass, and what a user does instead. */
import type { RowResult } from "./run";
import type { Row } from "./rows";

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
export function judge({ row, failure }: RowResult, known = knownFailures): Verdict {
  const own = known.filter((each) => each.rows(row));
  if (failure === undefined) {
    if (own.length === 0) return { kind: "passed" };
    return { kind: "violation", message: "passed, but has a known failure" };
  }
  const match = own.find((each) => each.output.test(failure.output));
  if (match !== undefined) return { kind: "knownFailure", known: match };
  return { kind: "violation", message: `failed at ${failure.step}` };
}
