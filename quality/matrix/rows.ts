/** The rows of the compatibility matrix. */

/** The values of each column. */
const columns = {
  manager: ["npm", "pnpm", "yarn4"],
  /** The major versions of Node.js. */
  node: [20, 22, 24],
  /** The oldest and the newest version of Pulumi's SDK that pulumi-clouddb accepts. */
  sdk: ["oldest", "newest"],
  /** The module formats of the program. */
  format: ["typescript", "commonjs", "esm"],
} as const;

export type NodeMajor = (typeof columns.node)[number];

export type Manager = (typeof columns.manager)[number];

export type Format = (typeof columns.format)[number];

export type SdkVersion = (typeof columns.sdk)[number];

/** A program, and what installs and runs it. */
export interface Row {
  readonly manager: Manager;
  readonly node: NodeMajor;
  readonly sdk: SdkVersion;
  readonly format: Format;
}

export const allRows: readonly Row[] = columns.manager.flatMap((manager) =>
  columns.node.flatMap((node) =>
    columns.sdk.flatMap((sdk) => columns.format.map((format) => ({ manager, node, sdk, format }))),
  ),
);

/** The rows that `npm run test:all` runs. Each value of each column occurs in one of them. */
export const mainRows: readonly Row[] = [
  { manager: "npm", node: 20, sdk: "newest", format: "typescript" },
  { manager: "pnpm", node: 24, sdk: "oldest", format: "esm" },
  { manager: "yarn4", node: 22, sdk: "newest", format: "commonjs" },
];

/** Returns the name of a row for test titles. */
export function nameOf({ manager, node, sdk, format }: Row): string {
  return `${manager}, Node.js ${node}, ${sdk} SDK, ${format}`;
}
