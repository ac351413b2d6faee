/** `pulumi-clouddb strings --if-moved-to`: what happens to the strings of a cluster that moves, and what to do. */
import {
  type ClusterStrings,
  type MoveAdvice,
  type MoveFacts,
  type MovePlan,
  type MoveTarget,
  type StringChange,
  classify,
  clusterDomain,
  clusterStrings,
  planMove,
} from "clouddb-connection-strings";
import type { Cluster } from "../service/schemas";
import { escapeText } from "../messages/text";
import * as z from "../messages/zod";
import { ProviderError } from "../messages/errors";
import { suggestion } from "../messages/nearest";
import type { Session } from "../service/session";
import { UsageError, columns } from "./command";

/** A fact as text, and where it comes from. */
export interface Fact {
  readonly fact: keyof MoveFacts;
  readonly value: string;
  readonly source: "service" | "option" | "assumed";
}

/** A string of the cluster, and what happens to it. */
interface MovedString {
  /** The output that contains it, such as `privateSrv` or `privateEndpoints[0].srv`. */
  readonly name: string;
  readonly change: StringChange;
  readonly connectionString: string;
}

/** What `--json` prints. */
interface MoveResult extends Pick<MovePlan, "steps" | "warnings"> {
  readonly projectId: string;
  readonly clusterName: string;
  readonly targets: readonly MoveTarget[];
  readonly strings: readonly MovedString[];
  readonly facts: readonly Fact[];
  /** The facts on which the plan depends and that are not known, with the option that sets each. */
  readonly missing: readonly { readonly fact: keyof MoveFacts; readonly option: string }[];
}

const provider = z.enum(["A", "B", "C"], "A, B or C");
const yesOrNo = z.pipe(
  z.enum(["yes", "no"], "yes or no"),
  z.transform((text) => text === "yes"),
);
const date = z.pipe(
  z.union(
    [z.iso.date(), z.iso.datetime({ offset: true, local: true })],
    "a date such as 2019-06-03",
  ),
  // Without a time zone, it is in UTC (service document 2.5).
  z.transform((text) => new Date(/T[^Z+-]*$/.test(text) ? `${text}Z` : text)),
);

/** Reads each fact from text. The message of each names the possible values. */
const facts = {
  provider,
  tier: z.enum(["dedicated", "free", "flex"], "dedicated, free or flex"),
  createdAt: z.optional(date),
  regions: z.optional(
    z.pipe(
      z.string().check(z.regex(/^[^,]+(?:,[^,]+)*$/, "a list such as us-east-1,eu-west-1")),
      z.transform((text) => text.split(",")),
    ),
  ),
  version: z.optional(
    z.string().check(z.regex(/^\d+\.\d+(?:\.\d+(?:-[\w.]+)?)?$/, "a version such as 7.0")),
  ),
  sharded: z.optional(yesOrNo),
  peered: z.optional(yesOrNo),
  customDns: z.optional(yesOrNo),
  privateIpMode: z.optional(yesOrNo),
  privateEndpoints: z.optional(yesOrNo),
  regionalized: z.optional(yesOrNo),
  optimized: z.optional(yesOrNo),
  driver: z.optional(yesOrNo),
  legacyStrings: z.optional(yesOrNo),
  legacyBackups: z.optional(yesOrNo),
} satisfies Record<keyof MoveFacts, z.ZodMiniType>;
const factsSchema = z.object(facts);
export const factNames = z.keyof(factsSchema).options;

/** Reads `--if-moved-to`, such as `B` or `A:us-east-1,A:eu-west-1`. */
export function readTargets(text: string): MoveTarget[] {
  return text.split(",").map((each) => {
    const [, name, region] = /^(.*?)(?::(.+))?$/.exec(each) ?? [];
    const { data } = provider.safeParse(name);
    if (data !== undefined) return { provider: data, region };
    throw new UsageError(
      `--if-moved-to must be a list of providers (A, B or C), with or without a region, such as B or A:us-east-1,A:eu-west-1, not "${escapeText(text, 100)}"`,
    );
  });
}

/** Reads each `--fact NAME=VALUE`. */
export function readFacts(options: readonly string[]): Fact[] {
  return options.map((option) => {
    const [name = "", ...rest] = option.split("=");
    const fact = factNames.find((each) => each === name);
    if (fact === undefined) {
      const unknown = `unknown --fact ${escapeText(name, 100)}`;
      throw new UsageError(`${unknown}; ${suggestion(name, factNames)}`);
    }
    const value = rest.join("=");
    const expected = expectedOf(fact, value);
    if (expected === undefined) return { fact, value, source: "option" };
    throw new UsageError(`--fact ${fact} must be ${expected}, not "${escapeText(value, 100)}"`);
  });
}

/** Returns the possible values of a fact if a text is none of them. */
function expectedOf(fact: keyof MoveFacts, text: string): string | undefined {
  return facts[fact].safeParse(text).error?.issues[0]?.message;
}

/**
 * Plans the move of a cluster with the facts that the service and the options give. Throws a ProviderError if the
 * provider of the cluster is not known; an ApiError if the service fails.
 */
export async function planClusterMove(
  { client }: { readonly client: Pick<Session["client"], "getPrivateIpMode"> },
  projectId: string,
  cluster: Cluster,
  targets: readonly MoveTarget[],
  options: readonly Fact[],
): Promise<MoveResult> {
  const strings = clusterStrings(cluster.connectionStrings);
  const assumed: Fact = { fact: "tier", value: "dedicated", source: "assumed" };
  const known = [assumed, ...serviceFacts(recordedValues(cluster, strings)), ...options];
  const plan = () => planMove(valuesOf(known, cluster), targets);
  // Other plans do not depend on the mode.
  if (plan().missing.includes("privateIpMode")) {
    const mode = await client.getPrivateIpMode(projectId);
    const enabled = mode.kind === "observed" ? mode.enabled : undefined;
    known.push(...serviceFacts({ privateIpMode: answer(enabled) }));
  }
  const planned = plan();
  const { steps, warnings } = planned;
  const optionOf = (fact: keyof MoveFacts) => `--fact ${fact}=${expectedOf(fact, "") ?? ""}`;
  return {
    projectId,
    clusterName: cluster.name,
    targets,
    strings: movedStrings(strings, planned),
    steps,
    warnings,
    facts: [...new Map(known.map((each) => [each.fact, each])).values()],
    missing: planned.missing.map((fact) => ({ fact, option: optionOf(fact) })),
  };
}

function valuesOf(known: readonly Fact[], { name, placement }: Cluster): MoveFacts {
  const values = Object.fromEntries(known.map(({ fact, value }) => [fact, value]));
  const parsed = factsSchema.safeParse(values);
  if (parsed.success) return parsed.data;
  // The service's names of its providers may be others.
  const recorded =
    placement.provider === undefined
      ? "does not contain its cloud provider"
      : `contains the cloud provider ${escapeText(placement.provider, 100)}`;
  throw new ProviderError(
    `the service's record of cluster ${escapeText(name, 100)} ${recorded}. Add --fact provider=A, B or C, as the service's documentation calls it`,
  );
}

/** Omits facts that the service does not give, or in another form. */
function serviceFacts(values: { readonly [Name in keyof MoveFacts]?: string | undefined }): Fact[] {
  return factNames.flatMap((fact): Fact[] => {
    const value = values[fact];
    const isUsable = value !== undefined && expectedOf(fact, value) === undefined;
    return isUsable ? [{ fact, value, source: "service" }] : [];
  });
}

function answer(value: boolean | undefined): string | undefined {
  return value === undefined ? undefined : value ? "yes" : "no";
}

/** Returns the facts in the record of a cluster. A missing string means nothing until the cluster is ready. */
function recordedValues(
  { placement, state = "IDLE", ...cluster }: Cluster,
  strings: ClusterStrings,
) {
  const { privateEndpoints: endpoints } = strings;
  const isComplete = state === "IDLE" && (strings.standard ?? strings.standardSrv) !== undefined;
  const has = (exists: boolean) => (exists || isComplete ? answer(exists) : undefined);
  const domain = clusterDomain([strings.standard ?? "", strings.private ?? ""]);
  const named = endpoints
    .map(({ srv = "" }) => classify(srv, { domain }))
    .find((each) => each.kind === "privateEndpoint" && each.region !== undefined);
  const isSharded = { REPLICASET: "no", SHARDED: "yes", GEOSHARDED: "yes" };
  return {
    provider: placement.provider,
    tier: placement.tier?.toLowerCase(),
    createdAt: placement.createdAt,
    regions: placement.regions?.join(","),
    version: cluster.version ?? cluster.majorVersion,
    sharded: new Map(Object.entries(isSharded)).get(cluster.type ?? ""),
    peered: has((strings.private ?? strings.privateSrv) !== undefined),
    privateEndpoints: has(endpoints.length > 0),
    regionalized: answer(named && "cluster" in named && named.cluster !== undefined),
    optimized: has(endpoints.some(({ optimizedSrv }) => optimizedSrv !== undefined)),
    legacyStrings: (strings.legacy ?? strings.legacySrv) === undefined ? undefined : "yes",
  };
}

function movedStrings(strings: ClusterStrings, plan: MovePlan): MovedString[] {
  type Row = readonly [name: string, text: unknown, change: StringChange];
  const othersOf = (prefix: string, others: Readonly<Record<string, unknown>> = {}) =>
    Object.entries(others).map(([name, text]): Row => [`${prefix}others.${name}`, text, "unknown"]);
  const rows: Row[] = [
    ...(["standard", "private", "legacy"] as const).flatMap((name): Row[] => [
      [name, strings[name], plan.hosts],
      [`${name}Srv`, strings[`${name}Srv`], plan.srv],
    ]),
    ...strings.privateEndpoints.flatMap((endpoint, at): Row[] => [
      [`privateEndpoints[${at}].hosts`, endpoint.hosts, plan.privateEndpoint],
      [`privateEndpoints[${at}].srv`, endpoint.srv, plan.privateEndpoint],
      [`privateEndpoints[${at}].optimizedSrv`, endpoint.optimizedSrv, plan.optimized],
      ...othersOf(`privateEndpoints[${at}].`, endpoint.others),
    ]),
    ...othersOf("", strings.others),
  ];
  return rows.flatMap(([name, connectionString, change]) =>
    typeof connectionString === "string" ? [{ name, change, connectionString }] : [],
  );
}

const changeLabels: Readonly<Record<StringChange, string>> = {
  unchanged: "unchanged",
  unknown: "not documented",
  mayChange: "may change",
  changes: "changes",
  ends: "stops working",
};

const sourceLabels = {
  service: "from the service",
  option: "from --fact",
  assumed: "assumed, change it with --fact tier=free or flex",
};

const rulesUrl =
  "https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/internals/service.md#26-connection-strings";

/** Formats the result as text. The strings and facts are safe text, and the texts are the package's own. */
export function moveReport(result: MoveResult): string {
  const strings = result.strings.map(({ name, change, connectionString }) => {
    return ["", name, changeLabels[change], connectionString];
  });
  const known = result.facts.map(({ fact, value, source }) => {
    return ["", fact, escapeText(value), sourceLabels[source]];
  });
  const missing = result.missing.map(({ fact, option }) => [
    "",
    fact,
    "not known",
    `add ${option}`,
  ]);
  const section = (title: string, ...lines: readonly string[]) => {
    return [`${title}:`, ...(lines.join("") === "" ? ["  none"] : lines)];
  };
  return [
    ...section("Strings", columns(strings)),
    ...section("Steps", ...result.steps.map((step, at) => `  ${at + 1}. ${adviceText(step)}`)),
    ...section("Warnings", ...result.warnings.map((warning) => `  - ${adviceText(warning)}`)),
    ...section("Facts", columns([...known, ...missing])),
    `Rules and table: ${rulesUrl}`,
  ].join("\n");
}

function adviceText({ rule, text, conditions }: MoveAdvice): string {
  const clause = conditions?.join(", ") ?? "";
  const condition = clause === "" ? "" : `${clause.charAt(0).toUpperCase()}${clause.slice(1)}: `;
  return `${condition}${text} (${rule === "table" ? "table" : `rule ${rule}`})`;
}
