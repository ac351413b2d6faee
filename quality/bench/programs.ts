/** The programs that the benchmarks compare. */
import type { Seed } from "clouddb-simulator";
import { key } from "../../tests/support/service";

/** The ID of the project with the clusters that the programs look up. */
const projectId = "64a0c0ffee0000000000a001";

/** Returns a project with clusters that have all kinds of connection strings. Every third one is sharded. */
export function seedOf(clusters: number): Seed {
  const organization = "bench";
  return {
    organizations: [{ name: organization, apiKeys: [{ ...key, roles: [{ role: "owner" }] }] }],
    projects: [
      {
        id: projectId,
        name: "bench",
        organization,
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

const dynamicResource = `
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
}`;

const pluginResource = `
class Lookup extends pulumi.CustomResource {
  constructor(name, args) {
    super("clouddb:index:ClusterConnectionStrings", name, { recommended: undefined, ...args });
  }
}`;

/** Creates resources of the class `Lookup`. */
const withLookups = (imports: string, lookup: string) => (lookups: number) =>
  `${imports}
${lookup}
exports.recommended = Array.from({ length: ${lookups} }, (_, i) =>
  new Lookup(\`lookup-\${i}\`, { projectId: "${projectId}", clusterName: \`cluster-\${i}\` }).recommended);
`;

const lookupsSource = withLookups(clouddb, "const Lookup = clouddb.ClusterConnectionStrings;");

interface Program {
  /** In Markdown. */
  readonly does: string;
  /** Returns JavaScript that looks up a number of clusters of the project. */
  readonly source: (lookups: number) => string;
  /** Whether it runs without pulumi-clouddb, and so shows how fast the machine is. */
  readonly isControl?: boolean;
  readonly environment?: Readonly<Record<string, string>>;
}

export type ProgramName =
  | "sdkOnly"
  | "empty"
  | "clouddb"
  | "skipCheckpoints"
  | "getClusters"
  | "plugin";

export const programs: Readonly<Record<ProgramName, Program>> = {
  sdkOnly: {
    does: "loads @pulumi/pulumi, creates no resources",
    source: () => `${sdk}\nexports.version = pulumi.version;`,
    isControl: true,
  },
  empty: {
    does: "a `pulumi.dynamic.Resource` with empty hooks",
    source: withLookups(sdk, dynamicResource),
    isControl: true,
  },
  clouddb: {
    does: "pulumi-clouddb",
    source: lookupsSource,
  },
  skipCheckpoints: {
    does: "pulumi-clouddb with `PULUMI_SKIP_CHECKPOINTS=true`",
    source: lookupsSource,
    environment: { PULUMI_SKIP_CHECKPOINTS: "true" },
  },
  getClusters: {
    does: "the function `getClusters` of pulumi-clouddb with `names`, instead of lookups",
    source: (lookups: number) => `${clouddb}
const names = Array.from({ length: ${lookups} }, (_, i) => \`cluster-\${i}\`);
exports.recommended = clouddb.getClusters({ projectId: "${projectId}", names }).then(({ clusters }) =>
  clusters.map(({ recommended }) => recommended));
`,
  },
  plugin: {
    does: "pulumi-resource-clouddb, the plugin, with a class like those of a generated SDK",
    source: withLookups(sdk, pluginResource),
  },
};
