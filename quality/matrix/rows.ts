/** The rows of the compatibility matrix. */

/** The package managers. "yarn4-pnp" is Yarn 4 with Plug'n'Play instead of node_modules. */
const managers = ["npm", "pnpm", "yarn1", "yarn4", "yarn4-pnp"] as const;

/** A package manager. */
export type Manager = (typeof managers)[number];

/** The major versions of Node.js. */
export const nodeMajors = [20, 22, 24] as const;

/** A major version of Node.js. */
export type NodeMajor = (typeof nodeMajors)[number];

/** The oldest and the newest version of Pulumi's SDK that pulumi-clouddb accepts. */
const sdkAges = ["oldest", "newest"] as const;

/** Which version of Pulumi's SDK. */
export type SdkAge = (typeof sdkAges)[number];

/** The module formats of the program. */
export const formats = ["typescript", "commonjs", "esm"] as const;

/** A module format. */
export type Format = (typeof formats)[number];

/** What a package manager installs. The programs of all formats share it. */
export interface Installation {
  readonly manager: Manager;
  readonly node: NodeMajor;
  readonly sdk: SdkAge;
}

/** A row: one program in one installation. */
export interface Row extends Installation {
  readonly format: Format;
}

/** All installations. */
const installations: readonly Installation[] = managers.flatMap((manager) =>
  nodeMajors.flatMap((node) => sdkAges.map((sdk) => ({ manager, node, sdk }))),
);

/** All rows. */
export const allRows: readonly Row[] = installations.flatMap((installation) =>
  formats.map((format) => ({ ...installation, format })),
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
 * @param filter values of the columns, separated by commas; values of the same column are alternatives
 * @throws if a value is unknown
 */
export function selectRows(filter: string): readonly Row[] {
  const columns: readonly (readonly string[])[] = [
    managers,
    nodeMajors.map(String),
    sdkAges,
    formats,
  ];
  const values = filter.split(",").map((value) => value.trim());
  const unknown = values.filter((value) => !columns.some((column) => column.includes(value)));
  if (unknown.length > 0) {
    const known = columns.flat().join(", ");
    throw new Error(`Unknown value of --only: ${unknown.join(", ")}. Known values: ${known}.`);
  }
  const wanted = columns.map((column) => values.filter((value) => column.includes(value)));
  return allRows.filter(({ manager, node, sdk, format }) =>
    [manager, String(node), sdk, format].every((value, i) => {
      const alternatives = wanted[i] ?? [];
      return alternatives.length === 0 || alternatives.includes(value);
    }),
  );
}

/** Groups rows by their installation. */
export function groupByInstallation(
  rows: readonly Row[],
): readonly { readonly installation: Installation; readonly formats: readonly Format[] }[] {
  return installations.flatMap((installation) => {
    const own = rows.filter((row) => isOf(installation, row));
    return own.length === 0 ? [] : [{ installation, formats: own.map(({ format }) => format) }];
  });
}

/** Returns whether a row uses an installation. */
export function isOf({ manager, node, sdk }: Installation, row: Row): boolean {
  return row.manager === manager && row.node === node && row.sdk === sdk;
}

/** Returns the name of a row for progress lines and test titles. */
export function nameOf({ manager, node, sdk, format }: Row): string {
  return `${manager}, Node.js ${node}, ${sdk} SDK, ${format}`;
}
