/** The rows of the compatibility matrix. */

/** The values of each column. "yarn4-pnp" is Yarn 4 with Plug'n'Play instead of node_modules. */
const columns = {
  manager: ["npm", "pnpm", "yarn1", "yarn4", "yarn4-pnp"],
  /** The major versions of Node.js. */
  node: [20, 22, 24],
  /** The oldest and the newest version of Pulumi's SDK that pulumi-clouddb accepts. */
  sdk: ["oldest", "newest"],
  /** The module formats of the program. */
  format: ["typescript", "commonjs", "esm"],
} as const;

/** The major versions of Node.js. */
export const nodeMajors = columns.node;

export type NodeMajor = (typeof nodeMajors)[number];

export type Manager = (typeof columns.manager)[number];

export type Format = (typeof columns.format)[number];

/** What a package manager installs for the programs of all formats. */
export interface Installation {
  readonly manager: Manager;
  readonly node: NodeMajor;
  readonly sdk: (typeof columns.sdk)[number];
}

/** A row is one program in one installation. */
export interface Row extends Installation {
  readonly format: Format;
}

/** All rows. Rows of the same installation are adjacent. */
const allRows: readonly Row[] = columns.manager.flatMap((manager) =>
  columns.node.flatMap((node) =>
    columns.sdk.flatMap((sdk) => columns.format.map((format) => ({ manager, node, sdk, format }))),
  ),
);

/** The rows that `npm test` runs. Each value of each column occurs in one of them, except Plug'n'Play. */
export const mainRows: readonly Row[] = [
  { manager: "npm", node: 20, sdk: "newest", format: "typescript" },
  { manager: "pnpm", node: 24, sdk: "oldest", format: "esm" },
  { manager: "yarn1", node: 22, sdk: "oldest", format: "commonjs" },
  { manager: "yarn4", node: 24, sdk: "newest", format: "commonjs" },
];

/**
 * Selects rows, for example `npm,pnpm,20` for npm and pnpm on Node.js 20.
 *
 * @param filter values of the columns, separated by commas; values of the same column are alternatives.
 *   undefined: all rows
 * @throws if a value is unknown
 */
export function selectRows(filter: string | undefined): readonly Row[] {
  const wanted = filter?.split(",").map((value) => value.trim()) ?? [];
  const known = Object.values(columns).map((values) => values.map(String));
  const unknown = wanted.filter((value) => !known.flat().includes(value));
  if (unknown.length > 0) {
    throw new Error(
      `Unknown value of --only: ${unknown.join(", ")}. Known values: ${known.flat().join(", ")}.`,
    );
  }
  return allRows.filter((row) =>
    known.every((values) => {
      const alternatives = values.filter((value) => wanted.includes(value));
      const own = Object.values(row).map(String);
      return alternatives.length === 0 || alternatives.some((value) => own.includes(value));
    }),
  );
}

/** Groups rows by their installation. */
export function groupByInstallation<T extends Installation>(rows: readonly T[]): T[][] {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const { manager, node, sdk } = row;
    const name = `${manager} ${node} ${sdk}`;
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return [...groups.values()];
}

/** Returns the name of a row for progress lines and test titles. */
export function nameOf({ manager, node, sdk, format }: Row): string {
  return `${manager}, Node.js ${node}, ${sdk} SDK, ${format}`;
}
