/**
 * What a report says of each kind of receiver of a string, for each change that can reach it, with both kinds of provider.
 * Whatever it says besides makes a cell fail, so that no sentence is false.
 */
import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { withCredentials } from "pulumi-clouddb/connection-strings";
import { buildReport } from "../../../provider/src/report/decide/buildReport";
import { markdown } from "../../../provider/src/report/write/markdown";
import { eventLog, eventsOf, secret, stateOf, urnOf } from "./recorded";

const kinds = { npm: "pulumi-nodejs:dynamic/clouddb:", plugin: "clouddb:index:" } as const;
type Kind = keyof typeof kinds;

/** The arguments and outputs of a lookup and of the DatabaseUrl that gets its string. */
interface Strings {
  readonly lookup: Readonly<Record<string, unknown>> & { readonly recommended: string };
  readonly url: { readonly username: string; readonly password: string; readonly database: string };
}

const before: Strings = {
  lookup: {
    clusterName: "orders",
    form: "srv",
    network: { kind: "peering" },
    recommendedKind: "privateSrv",
    recommended: "db+srv://orders-pri.ab1cd.db.example",
  },
  url: { username: "app", password: "hunter2", database: "shop" },
};

interface Change {
  readonly lookup?: Partial<Strings["lookup"]>;
  readonly url?: object;
  /** Whether the program changes the cluster. */
  readonly cluster?: true;
  /** What a policy changes in the DatabaseUrl. */
  readonly policy?: object;
  /** What the report says of the lookup and the URL. */
  readonly titles: readonly [lookup: string | undefined, url: string | undefined];
  /** What it says of the URL with the plugin, if that is something else. */
  readonly ofPlugin?: string;
}

const changes: Readonly<Record<string, Change>> = {
  "the service changes the string": {
    lookup: { recommended: "db+srv://orders-pri.zz9zz.db.example" },
    titles: ["`peering`, changed in the service", "`peering`, string changes"],
  },
  "the service changes the scheme": {
    lookup: { recommended: "mongodb+srv://orders-pri.ab1cd.db.example" },
    titles: ["`peering`, changed in the service", "`peering`, string changes"],
  },
  "the network changes": {
    lookup: {
      network: { kind: "internet" },
      recommendedKind: "standardSrv",
      recommended: "db+srv://orders.ab1cd.db.example",
    },
    titles: ["`peering` to `internet`", "`peering` to `internet`"],
  },
  "the form changes": {
    lookup: {
      form: "hosts",
      recommendedKind: "private",
      recommended: "db://orders-shard-00-00-pri.ab1cd.db.example:27017",
    },
    titles: ["`peering` to `peering (hosts)`", "`peering` to `peering (hosts)`"],
  },
  "the user changes": { url: { username: "b" }, titles: [undefined, "`peering`, user changes"] },
  "the database changes": {
    url: { database: "cart" },
    titles: [undefined, "`peering`, database changes"],
  },
  "an option is added": {
    url: { options: { w: 1 } },
    titles: [undefined, "`peering`, options change"],
  },
  "the password changes": {
    url: { password: "hunter3" },
    titles: [undefined, "`peering`, a secret part changes"],
    ofPlugin: "`peering`, a secret part (`password`) changes",
  },
  "the program changes the cluster": { cluster: true, titles: [undefined, undefined] },
  "a policy changes the database": {
    policy: { database: "cart" },
    titles: [undefined, "`peering`, database changes"],
  },
};

type Value = (strings: Strings) => unknown;
/** A stack output with a value, a resource of another package, or neither. */
const receivers = {
  "a plain output": ({ lookup }) => lookup.recommended,
  "a secret output": () => secret,
  "an object with a plain string and a secret URL": ({ lookup }) => {
    return { cs: lookup.recommended, url: secret };
  },
  "an output with the URL in plain text": ({ lookup, url }) =>
    withCredentials(lookup.recommended, url),
  "a resource": "resource",
  "a resource inside apply": "inside",
  "another stack": "stack",
  nothing: "nothing",
} as const satisfies Readonly<Record<string, Value | string>>;
type Receiver = (typeof receivers)[keyof typeof receivers];

/** A cell of the matrix, with the strings that the preview has. */
interface Cell {
  readonly change: Change;
  readonly kind: Kind;
  readonly receiver: Receiver;
  readonly after: Strings;
  /** Whether the preview has another URL than before. With the npm package, it has that of before a policy. */
  readonly isUrlNew: boolean;
}

function cellOf(change: Change, receiver: Receiver, kind: Kind): Cell {
  const { lookup, url, policy } = change;
  const shown = kind === "plugin" ? { ...url, ...policy } : { ...url };
  const after = { lookup: { ...before.lookup, ...lookup }, url: { ...before.url, ...shown } };
  const isUrlNew = lookup !== undefined || Object.keys(shown).length > 0;
  return { change, kind, receiver, after, isUrlNew };
}

const [clusterUrn, secretUrn] = [
  urnOf("main", "shop:index:Cluster"),
  urnOf("s", "app:index:Secret"),
];

/** Returns the events of a preview of a cell. */
function eventsOfCell({ change, kind, receiver, after, isUrlNew }: Cell) {
  // It reads the outputs of the last update of this one.
  if (receiver === "stack") {
    const reference = { op: "read", urn: urnOf("infra", "pulumi:pulumi:StackReference") };
    return eventsOf({ steps: [reference, { op: "same", urn: secretUrn }] });
  }
  const { lookupUrn, urlUrn } = urnsOf(kind);
  const argsOf = ({ lookup, url }: Strings, more?: object) => {
    return { connectionString: lookup.recommended, ...url, ...more, password: secret };
  };
  const opOf = (isChanged: boolean) => (isChanged ? "update" : "same");
  const outputs = (strings: Strings) => (isOutput(receiver) ? { o: receiver(strings) } : {});
  const step = (urn: string, isChanged: boolean, old: object = {}, changed: object = {}) => {
    return { urn, op: opOf(isChanged), old, new: changed };
  };
  const url = { outputs: { url: secret } };
  const steps = [
    step(
      clusterUrn,
      change.cluster === true,
      { inputs: { tags: "a" } },
      { inputs: { tags: change.cluster === true ? "b" : "a" } },
    ),
    step(
      lookupUrn,
      change.lookup !== undefined,
      { inputs: before.lookup },
      { inputs: after.lookup },
    ),
    {
      ...step(
        urlUrn,
        isUrlNew || change.policy !== undefined,
        { inputs: argsOf(before), ...url },
        { inputs: argsOf(after, change.policy), ...url },
      ),
      diffs: kind === "plugin" ? Object.keys({ ...change.url, ...change.policy }) : [],
    },
    step(secretUrn, isUrlNew && isResource(receiver)),
    step(
      urnOf("infra-dev", "pulumi:pulumi:Stack"),
      false,
      { outputs: outputs(before) },
      { outputs: outputs(after) },
    ),
  ];
  const checked = {
    ...argsOf({ ...after, url: before.url }),
    ...(kind === "npm" ? { url: secret } : {}),
  };
  const policyRemediationEvent = {
    policyName: "p",
    resourceUrn: urlUrn,
    before: checked,
    after: { ...checked, ...change.policy },
  };
  const remediations = change.policy === undefined ? [] : [{ sequence: 0, policyRemediationEvent }];
  return [...remediations, ...eventsOf({ steps })];
}

function urnsOf(kind: Kind) {
  const [lookupUrn = "", urlUrn = ""] = ["ClusterConnectionStrings", "DatabaseUrl"].map((type) =>
    urnOf("orders", `${kinds[kind]}${type}`),
  );
  return { lookupUrn, urlUrn };
}

function isResource(receiver: Receiver): boolean {
  return receiver === "resource" || receiver === "inside";
}

function isOutput(receiver: Receiver): receiver is Extract<Receiver, Value> {
  return typeof receiver === "function";
}

/** Returns the lines of a report, of its tables only what receives a string, and not what is folded. */
function saidIn(cell: Cell): string[] {
  const { lookupUrn, urlUrn } = urnsOf(cell.kind);
  // Inside `apply`, it has plain values, and Pulumi does not know where they come from.
  const sources = cell.receiver === "resource" ? [urlUrn] : [];
  const resources = [
    { urn: clusterUrn },
    { urn: lookupUrn, dependencies: [clusterUrn], inputs: before.lookup },
    { urn: urlUrn, propertyDependencies: { connectionString: [lookupUrn] } },
    { urn: secretUrn, propertyDependencies: { data: sources } },
  ];
  const report = buildReport({
    preview: eventLog(eventsOfCell(cell)),
    state: stateOf(...resources.map((resource) => ({ custom: true, ...resource }))),
  });
  const [text = ""] = markdown(report).split("\n<details>", 1);
  const isRow = (line: string) => line.startsWith("| `");
  return text
    .split("\n")
    .filter((line) => isRow(line) || !/^(?:<!--.*|\|.*|> \[!WARNING\]|)$/.test(line))
    .flatMap((line) => (isRow(line) ? line.slice(0, -2).split(" | ").slice(3) : line));
}

describe("a report of a string", () => {
  for (const [what, change] of Object.entries(changes)) {
    for (const [name, receiver] of Object.entries(receivers)) {
      for (const kind of ["npm", "plugin"] as const) {
        it(`says what is true if ${what} and ${name} receives it, with the ${kind === "npm" ? "npm package" : kind}`, () => {
          const cell = cellOf(change, receiver, kind);
          assert.deepEqual(saidIn(cell), expectedOf(cell));
        });
      }
    }
  }
});

const policySentence =
  "A policy changes its arguments, so this preview does not show the URL, nor what changes with it. ";
const restart = (what: string) => `Running applications ${what} until they restart.`;
const mayContain = (what: string) =>
  `Secret outputs (\`o\`) may contain the new ${what}; this report cannot see into them, nor which stacks read them.`;
const later = (receivedBy: string) =>
  `After Cluster \`main\` changes (\`tags\`), \`orders\` is looked up again in this update, so its string can differ from the one shown here. It is used by ${receivedBy}.`;
const leaked = (user: string) =>
  `> Output \`o\` has a password for database user \`${user}\` in plain text.`;

/** Returns what is true in a cell. */
function expectedOf({ change, kind, receiver, after, isUrlNew }: Cell): string[] {
  if (receiver === "stack") return ["### `infra/dev`: no changes"];
  const when = (isTrue: boolean, ...lines: readonly string[]) => (isTrue ? lines : []);
  const [lookup, url] = changedStrings(change, kind);
  const valueIn = (strings: Strings) => (isOutput(receiver) ? receiver(strings) : "");
  const isOutputNew = !isDeepStrictEqual(valueIn(before), valueIn(after));
  const isLeak = receiver === receivers["an output with the URL in plain text"];
  const hasSecret = JSON.stringify(valueIn(before)).includes("ciphertext");
  const isPlain = isOutput(receiver) && receiver !== receivers["a secret output"];
  const isOtherNew = change.cluster === true || (isResource(receiver) && isUrlNew);
  const ofLookup = [
    "DatabaseUrl `orders`",
    ...when(receiver === "resource", ", then Secret `s`"),
    ...when(isPlain, "; output `o`"),
  ].join("");
  const counts = [
    ...when(lookup !== undefined, "1 lookup"),
    ...when(url !== undefined, "1 database URL"),
    ...when(isOutputNew, "1 stack output"),
    ...when(isOtherNew, "1 other resource"),
  ];
  const isOfPolicy = change.policy !== undefined && kind === "npm";
  const old =
    url === changes["the password changes"]?.ofPlugin
      ? "keep the old password"
      : "use the old string";
  return [
    "### `infra/dev`: changes",
    `Changes to ${new Intl.ListFormat("en").format(counts)}.`,
    ...when(isLeak && isOutputNew, leaked(after.url.username)),
    ...when(change.policy !== undefined, "> `policy p changes database of DatabaseUrl orders.`"),
    ...when(change.cluster === true, later(ofLookup)),
    ...when(lookup !== undefined, `#### 1 lookup: ${lookup}`, ofLookup),
    ...when(url !== undefined, `#### 1 database URL: ${url}`),
    ...when(url !== undefined && receiver === "resource", "Secret `s`"),
    ...when(url !== undefined && isLeak, "output `o`"),
    ...when(url !== undefined, `${isOfPolicy ? policySentence : ""}${restart(old)}`),
    ...when(
      hasSecret && url !== undefined,
      mayContain(lookup === undefined ? "URL" : "string or URL"),
    ),
    ...when(
      hasSecret && url === undefined,
      "The values of these secret outputs were not compared: `o`.",
    ),
  ];
}

/** Returns the titles of the strings that change. */
function changedStrings({ titles: [lookup, url], ofPlugin }: Change, kind: Kind) {
  return [lookup, kind === "plugin" ? (ofPlugin ?? url) : url] as const;
}
