/** The programs and the set-ups that the benchmarks compare. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import type { NodeMajor } from "../matrix/rows";
import { projectOf } from "./service";

const dynamicResource = `
const provider: pulumi.dynamic.ResourceProvider = {
  check: async (_olds: unknown, news: any) => ({ inputs: news }),
  diff: async () => ({ changes: false }),
  create: async (inputs: any) => ({ id: inputs.projectId + "/" + inputs.clusterName, outs: inputs }),
  read: async (id: string, props: any) => ({ id, props }),
  update: async (_id: string, _olds: unknown, news: any) => ({ outs: news }),
  delete: async () => {},
};
class Lookup extends pulumi.dynamic.Resource {
  declare readonly recommended: pulumi.Output<string>;
  constructor(name: string, args: { projectId: string; clusterName: string }) {
    super(provider, name, { recommended: undefined, ...args });
  }
}`;

const sdk = 'import * as pulumi from "@pulumi/pulumi";';
const clouddb = 'import * as clouddb from "pulumi-clouddb";';

/** Creates resources of the class `Lookup`. */
const withLookups = (imports: string, lookup: string) => (lookups: number, projectId: string) =>
  `${imports}
${lookup}
export const recommended = Array.from({ length: ${lookups} }, (_, i) =>
  new Lookup(\`lookup-\${i}\`, { projectId: "${projectId}", clusterName: \`cluster-\${i}\` }).recommended);
`;

interface Program {
  /** In Markdown. */
  readonly does: string;
  /** Returns TypeScript that looks up a number of clusters of a project. */
  readonly source: (lookups: number, projectId: string) => string;
}

/** The programs that run without pulumi-clouddb, and so show how fast the machine is. */
const controls = {
  sdkOnly: {
    does: "loads @pulumi/pulumi, creates no resources",
    source: () => `${sdk}\nexport const version = pulumi.version;`,
  },
  empty: {
    does: "a `pulumi.dynamic.Resource` with empty hooks",
    source: withLookups(sdk, dynamicResource),
  },
} satisfies Readonly<Record<string, Program>>;

export const isControl = (program: ProgramName) => program in controls;

export const programs = {
  ...controls,
  clouddb: {
    does: "pulumi-clouddb",
    source: withLookups(clouddb, "const Lookup = clouddb.ClusterConnectionStrings;"),
  },
  getClusters: {
    does: "the function `getClusters` of pulumi-clouddb instead of lookups",
    source: (lookups: number, projectId: string) => `${clouddb}
export const recommended = clouddb.getClusters({ projectId: "${projectId}" }).then(({ clusters }) =>
  clusters.slice(0, ${lookups}).map(({ standardSrv }) => standardSrv));
`,
  },
  plugin: {
    does: "pulumi-resource-clouddb, the plugin, with a class like those of a generated SDK",
    source: withLookups(
      sdk,
      `
class Lookup extends pulumi.CustomResource {
  declare readonly recommended: pulumi.Output<string>;
  constructor(name: string, args: { projectId: string; clusterName: string }) {
    super("clouddb:index:ClusterConnectionStrings", name, { recommended: undefined, ...args });
  }
}`,
    ),
  },
} satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof programs;

/** The runtime options with which Pulumi runs the program, by their names in reports. */
const languages = {
  JavaScript: {},
  "TypeScript, types checked": { tsconfig: "tsconfig.json" },
  "TypeScript, not checked": { tsconfig: "tsconfig.pulumi.json" },
  "TypeScript, type stripping": { typescript: false },
} as const;

/** A program in a set-up. */
export interface Contender {
  readonly program: ProgramName;
  readonly language: keyof typeof languages;
  readonly node: NodeMajor;
  /** Whether `NODE_COMPILE_CACHE` names a folder with a warm compile cache. */
  readonly isWarm?: boolean;
}

export function inJavaScript(program: ProgramName): Contender {
  return { program, language: "JavaScript", node: 20 };
}

const checked = { language: "TypeScript, types checked", node: 24 } as const;
const transpiled = { language: "TypeScript, not checked", node: 24 } as const;
const stripped = { language: "TypeScript, type stripping", node: 24 } as const;

/** The setups of docs/guides/performance.md. */
export const inTypeScript: readonly Contender[] = [
  { ...checked, program: "empty" },
  { ...checked, program: "clouddb" },
  { ...transpiled, program: "clouddb" },
  { ...stripped, program: "clouddb" },
  { ...transpiled, program: "clouddb", isWarm: true },
  { ...stripped, program: "clouddb", isWarm: true },
  { ...stripped, program: "plugin", isWarm: true },
];

/** Returns the name of a contender in the table. */
export function labelOf({ program, language, isWarm = false }: Contender): string {
  const setup = language.replace(/^(JavaScript|TypeScript, )/, "");
  return [program, setup, isWarm ? "compile cache" : ""].filter(Boolean).join(", ");
}

/** Returns the options of the runtime as arguments of a language host that ignores those in Pulumi.yaml. */
export function hostArgumentsOf({ language }: Contender): string {
  return Object.entries(languages[language])
    .map(([name, value]) => `-${name}=${value}`)
    .join(" ");
}

/**
 * Returns the files of a contender's project, with the tsconfig files of the template.
 *
 * @param clusters the clusters of the project that the program looks up
 * @param plugin the folder of the plugin
 */
export function filesOf(
  { program, language }: Contender,
  lookups: number,
  clusters: number,
  plugin: string,
): Record<string, string> {
  const source = programs[program].source(lookups, projectOf(clusters));
  const template = (file: string) =>
    readFileSync(join(__dirname, "../../examples/template", file), "utf8");
  const compilerOptions = { module: ModuleKind.CommonJS, target: ScriptTarget.ES2022 };
  const files: Record<string, string> =
    language === "JavaScript"
      ? { "index.js": transpileModule(source, { compilerOptions }).outputText }
      : {
          "index.ts": source,
          "tsconfig.json": template("tsconfig.json"),
          "tsconfig.pulumi.json": template("tsconfig.pulumi.json"),
        };
  const plugins = { providers: [{ name: "clouddb", path: plugin }] };
  return {
    "Pulumi.yaml": JSON.stringify({
      name: "bench",
      runtime: { name: "nodejs", options: languages[language] },
      ...(program === "plugin" ? { plugins } : {}),
    }),
    "package.json": JSON.stringify({ main: Object.keys(files)[0] }),
    ...files,
  };
}
