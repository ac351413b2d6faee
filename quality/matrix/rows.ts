/** The rows of the compatibility matrix. */

export type Manager = "npm" | "pnpm" | "yarn4";

/** A major version of Node.js, or Bun as the command `node`. */
export type Runtime = 20 | 22 | 24 | 26 | "bun";

/** The oldest or the newest version of Pulumi's SDK that pulumi-clouddb accepts, or the last one for Node.js 20. */
export type SdkVersion = "oldest" | "lastForNode20" | "newest";

/** The module format of the program. */
export type Format = "typescript" | "commonjs" | "esm";

/** A program, and what installs and runs it. */
export interface Row {
  readonly manager: Manager;
  readonly node: Runtime;
  readonly sdk: SdkVersion;
  readonly format: Format;
}

/** The rows that `npm run test:all` runs. Each value of each column occurs in one of them. */
export const mainRows: readonly Row[] = [
  { manager: "npm", node: 20, sdk: "lastForNode20", format: "typescript" },
  { manager: "pnpm", node: 26, sdk: "newest", format: "esm" },
  { manager: "yarn4", node: 22, sdk: "oldest", format: "commonjs" },
  { manager: "npm", node: 24, sdk: "newest", format: "typescript" },
];

/** Every pair of values from two columns occurs in at least one row, except with Bun, and for Node.js 20 with the newest SDK. */
export const allRows: readonly Row[] = [
  ...mainRows,
  { manager: "npm", node: "bun", sdk: "newest", format: "typescript" },
  { manager: "npm", node: 22, sdk: "lastForNode20", format: "esm" },
  { manager: "npm", node: 24, sdk: "oldest", format: "esm" },
  { manager: "npm", node: 26, sdk: "lastForNode20", format: "commonjs" },
  { manager: "pnpm", node: 20, sdk: "oldest", format: "commonjs" },
  { manager: "pnpm", node: 22, sdk: "newest", format: "typescript" },
  { manager: "pnpm", node: 24, sdk: "lastForNode20", format: "commonjs" },
  { manager: "yarn4", node: 20, sdk: "lastForNode20", format: "esm" },
  { manager: "yarn4", node: 24, sdk: "newest", format: "commonjs" },
  { manager: "yarn4", node: 26, sdk: "oldest", format: "typescript" },
];

/** Returns the name of a row for test titles. */
export function nameOf({ manager, node, sdk, format }: Row): string {
  const runtime = node === "bun" ? "Bun" : `Node.js ${node}`;
  return `${manager}, ${runtime}, ${sdk} SDK, ${format}`;
}
