/** The programs of the stacks. */
import { dynamicPreamble } from "../../tests/engine/stack";

/** How a stack runs the provider. */
export type ProviderKind = "dynamic" | "plugin";

/** What a program declares. */
export interface SoakProgram {
  readonly projectId: string;
  /** Private IP mode. */
  readonly enabled: boolean;
  readonly onDelete: "retain" | "restore";
  /** The number of lookups of connection strings. */
  readonly lookups: number;
}

const lookups = [
  { clusterName: "orders", network: { kind: "peering" } },
  { clusterName: "analytics", network: { kind: "privateEndpoint", region: "us-east-1" } },
  { clusterName: "orders", network: { kind: "internet" } },
] as const;

/** The highest number of lookups of a program. */
export const maxLookups = lookups.length;

/** Returns the text of a program. */
export function programText({ projectId, enabled, onDelete, lookups: count }: SoakProgram): string {
  const mode = { projectId, enabled, onDelete };
  return [
    `new clouddb.PrivateIpMode("mode", ${JSON.stringify(mode)});`,
    ...lookups.slice(0, count).map((lookup, i) => {
      const args = JSON.stringify({ projectId, ...lookup });
      return `exports.string${i} = new clouddb.ClusterConnectionStrings("lookup${i}", ${args}).recommended;`;
    }),
  ].join("\n");
}

/** Returns the code that loads `pulumi` and `clouddb` in a program. */
export function preambleOf(kind: ProviderKind): string {
  return kind === "dynamic" ? dynamicPreamble : pluginPreamble;
}

/** Declares the plugin's resources without its SDK, because generating an SDK requires Go. */
const pluginPreamble = `const pulumi = require("@pulumi/pulumi");
const resource = (type, outputs) => class extends pulumi.CustomResource {
  constructor(name, args, options) {
    super("clouddb:index:" + type, name, { ...outputs, ...args }, options);
  }
};
const clouddb = {
  PrivateIpMode: resource("PrivateIpMode", { enabledAtAdoption: undefined }),
  ClusterConnectionStrings: resource("ClusterConnectionStrings", { recommended: undefined }),
};
`;
