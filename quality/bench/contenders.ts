/**
 * The ways to get connection strings in a stack that the benchmarks compare. Each is a JavaScript
 * program with a number of lookups. Pulumi's language host loads a compiler for all of them.
 */
import { runtime } from "@pulumi/pulumi";
import { projectId } from "../../tests/service";
import { packedPlugin } from "../../tests/lifecycles/packedPlugin";
import { providerText } from "../../provider/src/session/providerText";

export const keys = ["empty", "fetching", "clouddb", "clouddbWithSdk", "plugin"] as const;

export type Key = (typeof keys)[number];

export interface Contender {
  readonly name: string;
  /** Returns a Pulumi program that looks up `cluster-0` to `cluster-<lookups - 1>`. */
  readonly program: (lookups: number) => string;
  /** Returns further lines of Pulumi.yaml. Default: none */
  readonly settings?: () => string;
}

export const contenders: Readonly<Record<Key, Contender>> = {
  empty: {
    name: "a `pulumi.dynamic.Resource` with empty hooks",
    program: (lookups) => `${dynamicResource("{}")}${resources("Lookup", lookups)}`,
  },
  fetching: {
    name: "a `pulumi.dynamic.Resource` whose hooks fetch the cluster with digest-fetch",
    program: (lookups) => `${fetching}${dynamicResource("strings")}${resources("Lookup", lookups)}`,
  },
  clouddb: {
    name: "pulumi-clouddb",
    program: (lookups) => clouddbProgram(lookups),
  },
  clouddbWithSdk: {
    name: "pulumi-clouddb in a program that also loads all of @pulumi/pulumi",
    program: (lookups) => `require("@pulumi/pulumi");\n${clouddbProgram(lookups)}`,
  },
  plugin: {
    name: "pulumi-resource-clouddb, the plugin, with a class like those of a generated SDK",
    program: (lookups) => `${pluginResource}${resources("Lookup", lookups)}`,
    settings: () => `plugins:\n  providers:\n    - name: clouddb\n      path: ${packedPlugin()}\n`,
  },
};

function clouddbProgram(lookups: number): string {
  const clouddb = 'const clouddb = require("pulumi-clouddb");';
  return `${clouddb}\n${resources("clouddb.ClusterConnectionStrings", lookups)}`;
}

/** Returns the text of the provider of `empty`, as Pulumi serializes it into the state. */
export async function emptyProviderText(): Promise<string> {
  const provider = {
    check: (_olds: unknown, news: unknown) => Promise.resolve({ inputs: news }),
    diff: () => Promise.resolve({ changes: false }),
    create: (inputs: unknown) => Promise.resolve({ id: "id", outs: inputs }),
    read: (id: string, props: unknown) => Promise.resolve({ id, props }),
    update: (_id: string, _olds: unknown, news: unknown) => Promise.resolve({ outs: news }),
    delete: () => Promise.resolve(),
  };
  const { text } = await runtime.serializeFunction(() => provider);
  return text;
}

/** The text of the provider of `clouddb`. */
export const lookupProviderText = providerText("clusterConnectionStrings");

/** A typical dynamic resource: `check` finds the strings, so that a preview shows them. */
function dynamicResource(strings: "strings" | "{}"): string {
  const outs = strings === "{}" ? "news" : "{ ...news, ...(await strings(news)) }";
  return `
const pulumi = require("@pulumi/pulumi");
const provider = {
  check: async (olds, news) => ({ inputs: ${outs} }),
  diff: async (id, olds, news) => ({ changes: ${strings === "{}" ? "false" : "olds.recommended !== news.recommended"} }),
  create: async (inputs) => ({ id: inputs.projectId + "/" + inputs.clusterName, outs: inputs }),
  read: async (id, props) => ({ id, props${strings === "{}" ? "" : ": { ...props, ...(await strings(props)) }"} }),
  update: async (id, olds, news) => ({ outs: news }),
  delete: async () => {},
};
class Lookup extends pulumi.dynamic.Resource {
  constructor(name, args) {
    super(provider, name, { recommended: undefined, ...args });
  }
}
`;
}

const pluginResource = `
const pulumi = require("@pulumi/pulumi");
class Lookup extends pulumi.CustomResource {
  constructor(name, args) {
    super("clouddb:index:ClusterConnectionStrings", name, { recommended: undefined, ...args });
  }
}
`;

/** Serialized hooks create a client in each call, so every lookup needs a challenge. */
const fetching = `
async function strings({ projectId, clusterName }) {
  const { default: DigestClient } = await import("digest-fetch");
  const { CLOUDDB_BASE_URL, CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY } = process.env;
  const client = new DigestClient(CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY);
  const path = "/api/service/v1.0/groups/" + projectId + "/clusters/" + clusterName;
  const response = await client.fetch(CLOUDDB_BASE_URL + path);
  if (!response.ok) throw new Error(clusterName + ": " + response.status);
  const { connectionStrings } = await response.json();
  return { ...connectionStrings, recommended: connectionStrings.standardSrv };
}
`;

function resources(type: string, lookups: number): string {
  return `
for (let i = 0; i < ${lookups}; i++) {
  const lookup = new ${type}("lookup-" + i, { projectId: "${projectId}", clusterName: "cluster-" + i });
  exports["lookup" + i] = lookup.recommended;
}
`;
}
