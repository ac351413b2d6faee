/** What the benchmarks compare: programs with lookups, and the set-ups that run them. */
import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { ModuleKind, ScriptTarget, transpileModule } from "typescript";
import { parse } from "yaml";
import { z } from "zod";
import { packedPlugin } from "../../tests/lifecycles/packedPlugin";
import type { NodeMajor } from "../matrix/rows";
import { projectIdOf } from "./service";

/** A program that is not measured with pulumi-clouddb shows how fast the machine is. */
interface Program {
  readonly name: string;
  /** TypeScript. Creates the class `Lookup`; undefined: the program creates no resources. */
  readonly lookup?: string;
  readonly imports: string;
  readonly isControl?: true;
}

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
const clouddbLookup = "const Lookup = clouddb.ClusterConnectionStrings;";

export const programs = {
  sdkOnly: {
    name: "loads @pulumi/pulumi, creates no resources",
    imports: `${sdk}\nexport const version = pulumi.version;`,
    isControl: true,
  },
  empty: {
    name: "a `pulumi.dynamic.Resource` with empty hooks",
    imports: sdk,
    lookup: dynamicResource(""),
    isControl: true,
  },
  fetching: {
    name: "a `pulumi.dynamic.Resource` whose hooks fetch the cluster with digest-fetch",
    imports: sdk,
    lookup: `${fetching}${dynamicResource("...(await strings(news)), ")}`,
    isControl: true,
  },
  clouddb: { name: "pulumi-clouddb", imports: clouddb, lookup: clouddbLookup },
  clouddbWithSdk: {
    name: "pulumi-clouddb in a program that also loads all of @pulumi/pulumi",
    imports: `import "@pulumi/pulumi";\n${clouddb}`,
    lookup: clouddbLookup,
  },
  plugin: {
    name: "pulumi-resource-clouddb, the plugin, with a class like those of a generated SDK",
    imports: sdk,
    lookup: `
class Lookup extends pulumi.CustomResource {
  declare readonly recommended: pulumi.Output<string>;
  constructor(name: string, args: { projectId: string; clusterName: string }) {
    super("clouddb:index:ClusterConnectionStrings", name, { recommended: undefined, ...args });
  }
}`,
  },
} as const satisfies Readonly<Record<string, Program>>;

export type ProgramName = keyof typeof programs;

/** How Pulumi runs the program, by the names in reports, and the options of its runtime. */
const languages = {
  JavaScript: {},
  "TypeScript, types checked": { tsconfig: "tsconfig.json" },
  "TypeScript, not checked": { tsconfig: "tsconfig.pulumi.json" },
  "TypeScript, type stripping": { typescript: false },
} as const;

export type Language = keyof typeof languages;

/** The arguments of the language host that replace the options, for a host that ignores those in Pulumi.yaml. */
export const hostArguments: Readonly<Partial<Record<Language, string>>> = {
  "TypeScript, not checked": "-tsconfig=tsconfig.pulumi.json",
  "TypeScript, type stripping": "-typescript=false",
};

const template = (file: string) =>
  readFileSync(join(__dirname, "../../examples/template", file), "utf8");

/** Returns how the template of this repository runs its program. */
export function templateLanguage(): Language {
  const project = z.object({ runtime: z.object({ options: z.unknown() }) });
  const { options } = project.parse(parse(template("Pulumi.yaml"))).runtime;
  const names = Object.keys(languages) as Language[];
  const found = names.find((each) => isDeepStrictEqual(languages[each], options));
  if (found === undefined) throw new Error("The template has a set-up that is not measured.");
  return found;
}

/** A program in a set-up. */
export interface Contender {
  readonly program: ProgramName;
  readonly language: Language;
  readonly node: NodeMajor;
  /** Whether `NODE_COMPILE_CACHE` names a folder with a warm compile cache. */
  readonly isWarm?: boolean;
  readonly lookups: number;
  /** The projects of the looked up clusters. Default: 1 */
  readonly projects?: number;
}

/** Returns the name of a contender in the results. */
export function labelOf({ program, language, node, isWarm = false }: Contender): string {
  return `${program}, ${language}, Node.js ${node}${isWarm ? ", compile cache" : ""}`;
}

/** Returns the files of a contender's project, with the tsconfig files of the template. */
export function filesOf(contender: Contender): Record<string, string> {
  const { program, language } = contender;
  const source = sourceOf(contender);
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

/** Returns a program whose lookups are distributed evenly over the projects. */
function sourceOf({ program, lookups, projects = 1 }: Contender): string {
  const { imports, lookup }: Program = programs[program];
  if (lookup === undefined) return imports;
  const ids = Array.from({ length: projects }, (_, i) => projectIdOf(i));
  return `${imports}
${lookup}
const projects = ${JSON.stringify(ids)};
export const recommended = Array.from({ length: ${lookups} }, (_, i) => {
  const projectId = projects[i % projects.length]!;
  const clusterName = \`cluster-\${Math.floor(i / projects.length)}\`;
  return new Lookup(\`lookup-\${i}\`, { projectId, clusterName }).recommended;
});
`;
}
