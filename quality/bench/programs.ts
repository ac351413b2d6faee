/** The programs that the benchmarks compare. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "clouddb-simulator";
import ts from "typescript";
import { account } from "../../tests/support/service";

/** The ID of the project with the clusters that the programs look up. */
const projectId = "64a0c0ffee0000000000a001";

/** Returns a project with clusters that have all kinds of connection strings. Every third one is sharded. */
export function seedOf(clusters: number): Seed {
  const organization = "bench";
  return {
    organizations: [
      { name: organization, serviceAccounts: [{ ...account, roles: [{ role: "owner" }] }] },
    ],
    projects: [
      {
        id: projectId,
        name: "bench",
        organization,
        privateIpMode: { enabled: true },
        clusters: Array.from({ length: clusters }, (_each, i) => ({
          name: `cluster-${i}`,
          type: i % 3 === 0 ? ("SHARDED" as const) : ("REPLICASET" as const),
          version: "7.0.12",
          createdAt: "2024-05-01T00:00:00Z",
          peering: true,
          privateEndpoints: [{ endpointId: `vpce-${i}`, region: "us-east-1" }],
        })),
      },
    ],
  };
}

const sdk = 'const pulumi = require("@pulumi/pulumi");';
const clouddb = 'const clouddb = require("pulumi-clouddb");';

const emptyResource = `
const provider = {
  check: async (_olds, news) => ({ inputs: news }),
  diff: async () => ({ changes: false }),
  create: async (inputs) => ({ id: inputs.projectId + "/" + inputs.clusterName, outs: inputs }),
  read: async (id, props) => ({ id, props }),
  update: async (_id, _olds, news) => ({ outs: news }),
  delete: async () => {},
};
class Lookup extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(provider, name, { recommended: undefined, ...args });
  }
}
const Mode = Lookup;`;

const pluginResources = `
class Lookup extends pulumi.CustomResource {
  constructor(name, args) {
    super("clouddb:index:ClusterConnectionStrings", name, { recommended: undefined, ...args });
  }
}
class Mode extends pulumi.CustomResource {
  constructor(name, args) {
    super("clouddb:index:PrivateIpMode", name, args);
  }
}`;

const packageResources = `${clouddb}
const { ClusterConnectionStrings: Lookup, PrivateIpMode: Mode } = clouddb;`;

/** How many clusters a program looks up, and whether it also declares the mode of their project. */
export interface Size {
  readonly lookups: number;
  readonly hasMode: boolean;
}

/** Creates resources of the classes `Lookup` and `Mode`. */
const withResources =
  (classes: string, output = ".recommended") =>
  ({ lookups, hasMode }: Size) =>
    `${classes}
const projectId = "${projectId}";
${hasMode ? 'new Mode("mode", { projectId, enabled: true });' : ""}
exports.recommended = Array.from({ length: ${lookups} }, (_, i) =>
  new Lookup(\`lookup-\${i}\`, { projectId, clusterName: \`cluster-\${i}\` })${output});
`;

/** Adds credentials to the string of each lookup. */
const resourcesWithUrls = `${clouddb}
class Lookup extends clouddb.ClusterConnectionStrings {
  constructor(name, args) {
    super(name, args);
    const credentials = { username: "app", password: "never-shown" };
    const connectionString = this.recommended;
    this.database = new clouddb.DatabaseUrl(name, { connectionString, ...credentials });
  }
}`;

interface Program {
  /** Returns JavaScript. */
  readonly source: (size: Size) => string;
  /** Further files, with their text. */
  readonly files?: () => Readonly<Record<string, string>>;
  /** Whether it runs without pulumi-clouddb, and so shows how fast the machine is. */
  readonly isControl?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

export type ProgramName =
  | "sdkOnly"
  | "empty"
  | "clouddb"
  | "withUrls"
  | "skipCheckpoints"
  | "getClusters"
  | "plugin"
  | "byHand";

export const programs: Readonly<Record<ProgramName, Program>> = {
  /** Loads @pulumi/pulumi, and creates no resources. */
  sdkOnly: {
    source: () => `${sdk}\nexports.version = pulumi.version;`,
    isControl: true,
  },
  /** A `pulumi.dynamic.Resource` with empty hooks. */
  empty: {
    source: withResources(sdk + emptyResource),
    isControl: true,
  },
  /** Lookups. */
  clouddb: {
    source: withResources(packageResources),
  },
  /** A `DatabaseUrl` for each lookup, so twice as many resources. */
  withUrls: {
    source: withResources(resourcesWithUrls, ".database.url"),
  },
  /** Lookups with `PULUMI_SKIP_CHECKPOINTS=true`. */
  skipCheckpoints: {
    source: withResources(packageResources),
    environment: { PULUMI_SKIP_CHECKPOINTS: "true" },
  },
  /** The function `getClusters` with `names`, instead of lookups. */
  getClusters: {
    source: ({ lookups }) => `${clouddb}
const names = Array.from({ length: ${lookups} }, (_, i) => \`cluster-\${i}\`);
exports.recommended = clouddb.getClusters({ projectId: "${projectId}", names }).then(({ clusters }) =>
  clusters.map(({ recommended }) => recommended));
`,
  },
  /** The plugin, with classes like those of a generated SDK. */
  plugin: {
    source: withResources(sdk + pluginResources),
  },
  /** The program of byHand.ts, without pulumi-clouddb. */
  byHand: {
    source: withResources('const { Lookup, Mode } = require("./byHand");'),
    files: () => ({ "byHand.js": compiled("byHand.ts") }),
    isControl: true,
  },
};

function compiled(file: string): string {
  const text = readFileSync(join(__dirname, file), "utf8");
  const compilerOptions = { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}
