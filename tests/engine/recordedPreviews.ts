/** The programs whose previews tests/unit/report reads, and the changes of the service before them. */
import type { Seed, Simulator } from "clouddb-simulator";

const orders = "64a0c0ffee0000000000a001";
export const staging = "64a0c0ffee0000000000a002";

export interface Scenario {
  /** The program of an update before the preview. Default: none */
  readonly before?: string;
  /** The program of a second update before the preview, which fails. Default: none */
  readonly failing?: string;
  /** The previewed program. */
  readonly program: string;
  /** Changes the service before the preview. */
  readonly change?: (project: ReturnType<Simulator["project"]>) => void;
  /** The command of Pulumi. Default: preview */
  readonly command?: readonly string[];
  /** Further arguments of the preview. */
  readonly args?: readonly string[];
  /** The code of a policy pack. Default: none */
  readonly policies?: string;
  /** Whether the engine finds the plugin. Default: false */
  readonly usesPlugin?: boolean;
  /** Settings of the preview. */
  readonly settings?: Readonly<Record<string, string>>;
}

/** Returns a seed with a second project that has the same clusters. */
export function withStaging(seed: Seed): Seed {
  const roles = seed.organizations?.[0]?.apiKeys?.[0]?.roles;
  const [project] = seed.projects ?? [];
  if (roles === undefined || project === undefined) throw new Error("the seed has no project");
  roles.push({ projectId: staging, role: "owner" });
  seed.projects?.push({ ...project, id: staging, name: "orders-staging" });
  return seed;
}

const program = (...lines: readonly string[]) =>
  [
    'import * as pulumi from "@pulumi/pulumi";',
    'import * as clouddb from "pulumi-clouddb";',
    "",
    `const projectId = pulumi.getStack() === "staging" ? "${staging}" : "${orders}";`,
    ...lines,
    "",
  ].join("\n");

const mode = (enabled: boolean, project = "projectId") =>
  `const mode = new clouddb.PrivateIpMode("orders", { projectId: ${project}, enabled: ${enabled} });`;

const protectedMode = (project: string) =>
  `const mode = new clouddb.PrivateIpMode("orders", { projectId: ${project}, enabled: true }, { protect: true });`;

const lookup = (network = "peering", options = "{}") =>
  `const orders = new clouddb.ClusterConnectionStrings("orders", { projectId, clusterName: "orders", network: { kind: "${network}" } }, ${options});
export const ordersUrl = orders.recommended;`;

const other = `
class Other extends pulumi.CustomResource {
  constructor(type: string, name: string, inputs: pulumi.Inputs, options: pulumi.CustomResourceOptions = {}) {
    const handler = "exports.handler = () => ({ create: async (inputs) => ({ id: 'id', outs: inputs }), diff: async (id, olds, news) => ({ changes: JSON.stringify(olds) !== JSON.stringify(news) }), update: async (id, olds, news) => ({ outs: news }) })";
    super(\`pulumi-nodejs:dynamic/app:\${type}\`, name, { __provider: handler, ...inputs }, options);
  }
}`;

/** A URL of an application, and the resources that use it. */
const receivers = `${other}
const { url } = new clouddb.DatabaseUrl("orders", { connectionString: orders.recommended, username: "app", password: "never-shown" });
const secret = new Other("Secret", "orders-db", { url });
new Other("Deployment", "api", { secret: secret.id });
export const DATABASE_URL = url;`;

/** The setup that Getting started recommends, with the output as this expression. */
const recommended = (username: string, output: string) =>
  program(
    lookup(),
    `const database = new clouddb.DatabaseUrl("orders", { connectionString: orders.recommended, username: "${username}", password: "never-shown" });`,
    `export const DATABASE_URL = ${output};`,
    "export const cs = database.connectionString;",
  );

/** Three buckets, whose provider has this method. */
const buckets = (method: string) => [
  `const handler = "exports.handler = () => ({ create: async (inputs) => ({ id: 'id', outs: inputs }), ${method} })";`,
  `for (const name of ["a", "b", "c"]) new Other("Bucket", name, { __provider: handler });`,
];

/**
 * The steps to deletions of four kinds: what a failed update left of a bucket, a bucket that stays, a task that nothing
 * declares when the database is replaced on which it depends, and one that is replaced with it.
 */
const steppedDeletions = (step: number) => `
const handler = "exports.handler = () => ({ create: async (inputs) => ({ id: 'id', outs: inputs }), diff: async (id, olds, news) => ({ changes: olds.value !== news.value, replaces: olds.value !== news.value ? ['value'] : [], deleteBeforeReplace: news.isFirst === true }), delete: async (id, { isStuck }) => { if (isStuck) throw new Error('it is not empty'); } })";
class Stepped extends pulumi.CustomResource {
  declare readonly value: pulumi.Output<number>;
  constructor(type: string, name: string, inputs: pulumi.Inputs, options?: pulumi.CustomResourceOptions) {
    super(\`pulumi-nodejs:dynamic/app:\${type}\`, name, { __provider: handler, value: undefined, ...inputs }, options);
  }
}
new Stepped("Bucket", "logs", { value: ${Math.min(step, 2)}, isStuck: true });
const { value } = new Stepped("Database", "main", { value: ${Math.max(step, 2)}, isFirst: true });
new Stepped("Task", "api", { value });
${step === 3 ? "" : 'new Stepped("Task", "worker", { value });\nnew Stepped("Bucket", "archive", { value: 1 }, { retainOnDelete: true });'}`;

const versions = (network: string): Scenario => {
  const text = program(
    mode(true),
    lookup(network),
    `new clouddb.ClusterConnectionStrings("hidden", { projectId, clusterName: "orders" }, { additionalSecretOutputs: ["databaseVersion"] });`,
  );
  return {
    before: text,
    program: text,
    change: (project) => project.updateCluster("orders", { version: "8.0.0" }),
  };
};

/** A provider with the credentials of the stack, and this setting. */
const partner = (requestTimeoutSeconds: number) =>
  `const partner = new clouddb.Provider("partner", { publicKey: "demo", privateKey: "demo-secret", requestTimeoutSeconds: ${requestTimeoutSeconds} });`;

const policiesWithCodes = `const { PolicyPack } = require("@pulumi/policy");
new PolicyPack("tests", { policies: [
  {
    name: "mode", description: "d", enforcementLevel: "advisory",
    validateResource: ({ type }, report) => {
      if (!type.endsWith(":PrivateIpMode")) return;
      report("do not disable it [clouddb-drift]");
      report("it cannot be disabled [clouddb-refused]");
    },
  },
  {
    name: "network", description: "d", enforcementLevel: "mandatory",
    validateResource: ({ type }, report) => {
      if (type.endsWith(":ClusterConnectionStrings")) report("use a private network [clouddb-refused]");
    },
  },
] });`;

const base = program(mode(true), lookup());
/** Without the dependency, the engine may check the lookup before it stops. */
const lookupAfterMode = lookup("peering", "{ dependsOn: [mode] }");
const disable = {
  before: program(mode(true), lookupAfterMode),
  program: program(mode(false), lookupAfterMode),
};
const unchanged = { before: base, program: base };
const urnOf = (type: string, name: string) =>
  `urn:pulumi:production::infra::pulumi-nodejs:dynamic/clouddb:${type}::${name}`;
/** Lookups by their names, with the other arguments. */
const lookups = (all: Readonly<Record<string, string>>) =>
  Object.entries(all).map(
    ([name, args]) => `new clouddb.ClusterConnectionStrings("${name}", { projectId, ${args} });`,
  );
/** A lookup whose string is only in a secret output. */
const secretUrl = (network: string) =>
  `const orders = new clouddb.ClusterConnectionStrings("orders", { projectId, clusterName: "orders", network: { kind: "${network}" } });
export const DATABASE_URL = pulumi.secret(orders.recommended);`;
const secretOutput = (value: string) =>
  program(mode(true), `export const KEY = pulumi.secret("${value}");`);
const whole = program(mode(true), lookup(), "export const resources = { mode, all: [orders] };");
const used = (network: string, enabled = true) =>
  program(mode(enabled), lookup(network), receivers);
const secretLookup = (network: string) =>
  program(mode(true), lookup(network, '{ additionalSecretOutputs: ["recommended"] }'));

export const scenarios: Readonly<Record<string, Scenario>> = {
  "first-stack": { program: base },
  "no-change": { before: whole, program: whole },
  "string-changed": { before: used("peering"), program: used("internet") },
  "secret-string": { before: secretLookup("peering"), program: secretLookup("internet") },
  "disable-allowed": { before: used("peering"), program: used("peering", false) },
  "refused-by-one": {
    ...disable,
    change: (project) => project.updateCluster("billing", { version: "5.0.1" }),
  },
  drift: {
    ...unchanged,
    change: (project) => {
      project.setPrivateIpMode(false);
    },
  },
  // A template literal converts the output to text.
  "output-as-text": {
    before: recommended("app", "database.url"),
    program: recommended("app2", "`${database.url}/shop`"),
  },
  "replaced-project": { before: base, program: program(mode(true, `"${staging}"`), lookup()) },
  "secret-output": { before: secretOutput("one"), program: secretOutput("two") },
  // The mode and a lookup are replaced without a change; one lookup moves to another cluster; two wait.
  replaced: {
    before: program(
      mode(true),
      ...lookups({
        moved: 'clusterName: "orders"',
        same: 'clusterName: "orders"',
        waiting: 'clusterName: "sessions"',
      }),
    ),
    program: program(
      mode(true),
      ...lookups({
        moved: 'clusterName: "billing"',
        same: 'clusterName: "orders"',
        waiting: 'clusterName: "sessions", network: { kind: "peering" }, waitSeconds: 60',
        added: 'clusterName: "archive", waitSeconds: 60',
      }),
    ),
    args: [
      "--replace",
      urnOf("PrivateIpMode", "orders"),
      "--replace",
      urnOf("ClusterConnectionStrings", "same"),
    ],
  },
  "removed-by-refresh": {
    before: program(mode(true), ...lookups({ sessions: 'clusterName: "sessions"' })),
    program: program(mode(true)),
    args: ["--refresh"],
    change: (project) => {
      project.removeCluster("sessions");
    },
  },
  "refused-after-change": {
    before: program(mode(true), secretUrl("peering")),
    program: program(
      secretUrl("internet"),
      'new clouddb.PrivateIpMode("orders", { projectId, enabled: false }, { dependsOn: [orders] });',
    ),
    change: (project) => project.updateCluster("billing", { version: "5.0.1" }),
  },
  // Pulumi refuses to delete two resources, which it finds after everything else.
  "protected-deletion": {
    before: program(
      protectedMode("projectId"),
      other,
      'new Other("Bucket", "kept", {}, { protect: true });',
      'new Other("Bucket", "dropped", {});',
    ),
    program: program(lookup()),
  },
  // Pulumi refuses to replace the mode, and then goes on.
  "protected-replacement": {
    before: program(protectedMode("projectId")),
    program: program(protectedMode(`"${staging}"`), lookupAfterMode),
  },
  "misspelled-cluster": {
    before: base,
    program: base.replace('clusterName: "orders"', 'clusterName: "order"'),
  },
  "failed-login": { ...unchanged, settings: { CLOUDDB_PRIVATE_KEY: "wrong-secret" } },
  "program-error": { program: program(mode(true), 'throw new Error("no such environment");') },
  "explicit-provider": {
    before: program(partner(30), lookup("internet", "{ provider: partner }")),
    program: program(partner(60), lookup("internet", "{ provider: partner }")),
  },
  // An advisory policy and a warning of the program end with codes of this package; three resources violate another.
  policies: {
    before: program(mode(true)),
    program: program(
      mode(false),
      ...lookups({
        a: 'clusterName: "orders"',
        b: 'clusterName: "orders"',
        c: 'clusterName: "orders"',
      }),
      'pulumi.log.warn("the mode stays on [clouddb-drift]");',
    ),
    policies: policiesWithCodes,
  },
  // The process of the dynamic provider ends while it reads three resources.
  "killed-provider": {
    before: program(
      mode(true),
      other,
      ...buckets("read: async () => process.kill(process.pid, 'SIGKILL')"),
    ),
    program: program(mode(true)),
    args: ["--refresh"],
  },
  // The update before could not delete a bucket that it replaced.
  deletions: {
    before: program(mode(true), steppedDeletions(1)),
    failing: program(mode(true), steppedDeletions(2)),
    program: program(mode(true), steppedDeletions(3)),
  },
  // A version, which is secret in one of the lookups, differs in the service.
  "refresh-only": {
    ...versions("peering"),
    command: ["refresh", "--preview-only"],
  },
  "moved-after-refresh": {
    ...versions("peering"),
    program: versions("internet").program,
    args: ["--refresh"],
  },
  // The engine starts the plugin, because dynamic providers import nothing.
  imported: {
    program: program(
      `new (class extends pulumi.CustomResource {})("clouddb:index:PrivateIpMode", "orders", { projectId, enabled: true }, { import: projectId });`,
    ),
    usesPlugin: true,
  },
  // The cluster of a renamed lookup changes.
  renamed: {
    before: used("peering"),
    program: used("internet").replace(
      /"orders", (\{ projectId, clusterName.*?\}), \{\}\)/,
      '"main", $1, { aliases: [{ name: "orders" }] })',
    ),
  },
};
