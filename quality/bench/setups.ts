/** The programs and the set-ups that the benchmarks compare. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import { packedPlugin } from "../../tests/lifecycles/packedPlugin";
import { type NodeMajor, nodeMajors } from "../matrix/rows";
import { projectOf } from "./service";

const dynamicResource = (strings: "" | "...(await strings(news)), ") => `
const provider: pulumi.dynamic.ResourceProvider = {
  check: async (_olds: unknown, news: any) => ({ inputs: { ...news, ${strings}} }),
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

/** Serialized hooks create a client in each call, so every lookup needs a challenge. */
const fetching = `
async function strings({ projectId, clusterName }: any) {
  const { default: DigestClient } = await import("digest-fetch");
  const { CLOUDDB_BASE_URL, CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY } = process.env;
  const client = new DigestClient(CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY);
  const path = "/api/service/v1.0/groups/" + projectId + "/clusters/" + clusterName;
  const response = await client.fetch(CLOUDDB_BASE_URL + path);
  if (!response.ok) throw new Error(clusterName + ": " + response.status);
  const { connectionStrings } = await response.json();
  return { ...connectionStrings, recommended: connectionStrings.standardSrv };
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
  readonly name: string;
  /** Returns TypeScript that looks up a number of clusters of a project. */
  readonly source: (lookups: number, projectId: string) => string;
}

/** The programs that run without pulumi-clouddb, and so show how fast the machine is. */
const controls = {
  sdkOnly: {
    name: "loads @pulumi/pulumi, creates no resources",
    source: () => `${sdk}\nexport const version = pulumi.version;`,
  },
  empty: {
    name: "a `pulumi.dynamic.Resource` with empty hooks",
    source: withLookups(sdk, dynamicResource("")),
  },
  fetching: {
    name: "a `pulumi.dynamic.Resource` whose hooks fetch the cluster with digest-fetch",
    source: withLookups(sdk, `${fetching}${dynamicResource("...(await strings(news)), ")}`),
  },
} satisfies Readonly<Record<string, Program>>;

export const isControl = (program: ProgramName) => program in controls;

export const programs = {
  ...controls,
  clouddb: {
    name: "pulumi-clouddb",
    source: withLookups(clouddb, "const Lookup = clouddb.ClusterConnectionStrings;"),
  },
  getClusters: {
    name: "the function `getClusters` of pulumi-clouddb instead of lookups",
    source: (lookups: number, projectId: string) => `${clouddb}
export const recommended = clouddb.getClusters({ projectId: "${projectId}" }).then(({ clusters }) =>
  clusters.slice(0, ${lookups}).map(({ standardSrv }) => standardSrv));
`,
  },
  plugin: {
    name: "pulumi-resource-clouddb, the plugin, with a class like those of a generated SDK",
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

export const javaScript = { language: "JavaScript", node: 20 } as const;

/** The programs in the set-ups of TypeScript. */
export const typeScript: readonly Contender[] = nodeMajors.flatMap((node) => {
  const checked = { language: "TypeScript, types checked", node } as const;
  const clouddb = { program: "clouddb", language: "TypeScript, not checked", node } as const;
  const stripped = { ...clouddb, language: "TypeScript, type stripping" } as const;
  const all: readonly Contender[] = [
    { ...checked, program: "empty" },
    { ...checked, program: "clouddb" },
    clouddb,
    stripped,
    { ...clouddb, isWarm: true },
    { ...stripped, isWarm: true },
    { ...stripped, program: "plugin", isWarm: true },
  ];
  // Node.js strips types in 22.18 and later.
  return node === 20 ? all.slice(0, 3) : all;
});

/** Returns the name of a contender in the results. */
export function labelOf({ program, language, node, isWarm = false }: Contender): string {
  return `${program}, ${language}, Node.js ${node}${isWarm ? ", compile cache" : ""}`;
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
 */
export function filesOf(
  { program, language }: Contender,
  lookups: number,
  clusters: number,
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
  const plugins = { providers: [{ name: "clouddb", path: packedPlugin() }] };
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
