/**
 * The lifecycle of ClusterConnectionStrings. The lookup happens in `check`, because the engine uses the inputs that it
 * returns as the outputs of a preview (docs/internals/decisions.md#0002-lookups-in-check).
 */
import {
  type ClusterStrings,
  type PrivateEndpointStrings,
  select,
} from "clouddb-connection-strings";
import { escapeText } from "../messages/text";
import * as z from "zod/mini";
import { readInputs, dropCopiedOutputs, withoutHidden, withoutNulls } from "../host/inputs";
import type { CheckResult, Lifecycle, PropertyBag, ReadResult } from "../host/lifecycle";
import { projectIsGone } from "../service/client";
import { type SchemasOf, readArguments } from "../schemas/validation";
import { ProviderError } from "../messages/errors";
import { saysNoProject } from "../service/failedResponses";
import { ResponseError } from "../service/requestErrors";
import type { Bound } from "../service/clusterLists";
import type { Session } from "../service/session";
import { type HiddenLookupInputs, type Query, argsSchema, defaults, querySchema } from "./args";
import {
  type FoundStrings,
  type FailedLookup,
  type Lookup,
  findConnectionStrings,
  findListed,
  findOrReread,
  waitForStrings,
  warnOfDeletion,
} from "./lookup";
import { outputs } from "./outputs";

const checkedArgs = z.object(argsSchema.shape);

const text = z.exactOptional(z.string());

const privateEndpoint = z.object({
  index: z.exactOptional(z.number()),
  region: text,
  regions: z.exactOptional(z.array(z.string())),
  cloud: text,
  endpoints: z.exactOptional(z.array(z.object({ endpointId: text, cloud: text, region: text }))),
  endpointIds: z.array(z.string()),
  hosts: text,
  srv: text,
  optimizedSrv: text,
  others: z.exactOptional(z.record(z.string(), z.unknown())),
} satisfies SchemasOf<PrivateEndpointStrings>);

/** What `check` found, from which the arguments select a string. */
const checkedInputs = z.object({
  ...querySchema.shape,
  __cluster: z.string(),
  ...({
    standard: text,
    standardSrv: text,
    private: text,
    privateSrv: text,
    legacy: text,
    legacySrv: text,
    privateEndpoints: z.array(privateEndpoint),
    others: z.exactOptional(z.record(z.string(), z.string())),
  } satisfies SchemasOf<ClusterStrings>),
});

const recordedQuery = z.object(querySchema.shape);

export function clusterConnectionStringsLifecycle(session: () => Session): Lifecycle {
  return {
    check: (olds, news) => checkLookup(session, olds, news),
    diff: (_id, olds, news) => Promise.resolve(diffLookups(olds, news)),
    async create(inputs, timeoutSeconds) {
      const outs = await resolveStrings(session, inputs, timeoutSeconds);
      return { id: idOf(checkedArgs.parse(inputs)), outs };
    },
    async update(_id, _olds, news, timeoutSeconds) {
      return { outs: await resolveStrings(session, news, timeoutSeconds) };
    },
    read: (id, props) => readLookup(session(), id, props),
    delete: () => Promise.resolve(),
  };
}

/** The inputs of `check`. The programs of the plugin pass no hidden ones. */
type GivenInputs = PropertyBag & Partial<Record<keyof HiddenLookupInputs, unknown>>;

async function checkLookup(
  openSession: () => Session,
  olds: PropertyBag,
  { __after, __isTransformed, ...given }: GivenInputs,
): Promise<CheckResult> {
  const news = dropCopiedOutputs(argsSchema, olds, given);
  const inputs = readInputs(argsSchema, news);
  if (inputs.kind === "invalid") return { inputs: news, failures: inputs.failures };
  if (inputs.kind === "unknown") return { inputs: news };
  const session = openSession();
  const mayWait = inputs.args.waitSeconds > 0;
  const bound = boundOf({ __after, __isTransformed });
  const find = mayWait ? findListed : findOrReread;
  const lookup = await find(session.listing, inputs.args, bound).catch((error: unknown) => {
    // Any other 404 can come from a wrong profile or path.
    if (!(error instanceof ResponseError) || !saysNoProject(error)) throw error;
    const problem = `${lossOf("project", olds, news)}${error.message}`;
    throw new ProviderError(problem, { code: error.code, cause: error });
  });
  if (lookup.kind === "found") {
    await warnOfDeletion(session, inputs.args.projectId, [lookup.cluster]);
    const hidden: Pick<HiddenLookupInputs, "__cluster"> = { __cluster: idOf(inputs.args) };
    return { inputs: { ...withOutputs(news, lookup.strings), ...hidden } };
  }
  const isMisspelled = "isMisspelled" in lookup && lookup.isMisspelled;
  if (mayWait && lookup.kind !== "unusable") {
    const wait = `The update waits for it for up to ${inputs.args.waitSeconds} s.`;
    if (isMisspelled) await session.log("warning", `${lookup.problem} ${wait}`, lookup.code);
    // Omitted outputs are unknown in a preview; create and update wait for them.
    return { inputs: news };
  }
  const { property, problem, code } = lookup;
  // With the property's name, the engine would print the value that the program omitted.
  const isDefault = property === "network" && (news[property] ?? undefined) === undefined;
  const missing = lookup.kind === "noString" ? "string" : "cluster";
  const loss = lookup.kind === "unusable" ? "" : lossOf(missing, olds, news);
  const advice = loss !== "" && missing === "cluster" ? deletionAdvice : lookupAdvice(lookup);
  const reason = loss + problem + (isDefault ? defaultNetwork : "") + advice;
  return { inputs: news, failures: [{ property: isDefault ? "" : property, reason, code }] };
}

/** Returns the lists that a lookup accepts. Without `__after`, it may depend on anything. */
function boundOf({ __after, __isTransformed }: GivenInputs): Bound {
  return typeof __after === "number"
    ? { after: __after, isRecent: __isTransformed === true }
    : "recent";
}

/** The arguments with which the last update found what may now be missing. */
const identity = {
  project: ["projectId"],
  cluster: ["projectId", "clusterName"],
  string: Object.keys(querySchema.shape),
};

/** Begins a problem if the last update found what is missing: alone, the nearest names suggest a misspelling. */
function lossOf(what: keyof typeof identity, olds: PropertyBag, news: PropertyBag): string {
  const changed = changedNames(withDefaults(olds), withDefaults(news));
  const isUnchanged = !identity[what].some((name) => changed.includes(name));
  if (!isUnchanged || olds["recommended"] === undefined) return "";
  return `the last update found this ${what}, but the service no longer returns it.\n`;
}

const defaultNetwork = " The default network is internet.";
const deletionAdvice = " If it was deleted, remove the lookup.";

function lookupAdvice(lookup: FailedLookup): string {
  if (lookup.kind === "unusable") return "";
  if (lookup.kind === "noString") return " To wait for it, set waitSeconds.";
  return lookup.isMisspelled
    ? ""
    : " If it was deleted, remove the lookup. To wait for it, set waitSeconds.";
}

function diffLookups(olds: PropertyBag, news: PropertyBag) {
  const replaces = ["projectId", "clusterName"].filter((key) => olds[key] !== news[key]);
  const changed = changedNames(withDefaults(olds), withDefaults(selectAgain(news) ?? news));
  return { changes: changed.length > 0, changed, replaces };
}

async function readLookup(session: Session, id: string, props: PropertyBag): Promise<ReadResult> {
  const { projectId, clusterName } = partsOf(id);
  const isFirst = props["recommended"] === undefined;
  const wanted = readArguments(recordedQuery, `ID "${escapeText(id)}"`, {
    ...props,
    projectId,
    clusterName,
  });
  const lookup = await findUnlessGone(session, wanted);
  if (lookup.kind === "found") {
    const args = { ...argumentsIn(props), projectId, clusterName };
    const current = withOutputs(args, lookup.strings);
    // An output that is missing instead of null is no drift.
    const recorded = withoutHidden(props);
    const found = isFirst || changedNames(recorded, current).length > 0 ? current : recorded;
    // The engine writes the inputs of an import into the user's program.
    return { id, props: found, inputs: isFirst ? argumentsIn(found) : { ...found } };
  }
  // The first read of a resource, by its ID, has no recorded state to fall back on.
  if (isFirst) throw new ProviderError(lookup.problem, { code: lookup.code });
  if (lookup.kind === "noCluster") {
    const { listAdvice } = lookup;
    if (listAdvice !== undefined) {
      throw new ProviderError(
        `${lookup.problem} The state is unchanged. Check clouddb:baseUrl and clouddb:apiPath, which lead to ${escapeText(session.client.apiRoot)}. ${listAdvice} If the cluster was deleted, remove the lookup:\n  pulumi state delete <URN>`,
        { code: "incomplete-list" },
      );
    }
    const removal =
      "Refreshing removes the lookup from the state. Remove it from the program as well; otherwise the next update fails.";
    await session.log("warning", `${lookup.problem} ${removal}`, "removed");
    return {};
  }
  // A failing refresh would also prevent a destroy; the next update reports what is missing.
  const kept = withoutHidden(props);
  const problem = `${lookup.problem} The recorded strings are kept.`;
  await session.log("warning", problem, "strings-kept");
  return { id, props: kept, inputs: { ...kept } };
}

/** Returns the outputs that `check` found, or else looks the strings up, or waits for them until the timeout. */
async function resolveStrings(
  openSession: () => Session,
  inputs: PropertyBag,
  timeoutSeconds: number | undefined,
): Promise<PropertyBag> {
  const selected = selectAgain(inputs);
  if (selected !== undefined) return selected;
  const wanted = checkedArgs.parse(inputs);
  const { waitSeconds, ...query } = wanted;
  const strings =
    waitSeconds === 0
      ? await findConnectionStrings(openSession(), query, "recent")
      : await waitForStrings(openSession(), wanted, timeoutSeconds);
  return withOutputs(argumentsIn(inputs), strings);
}

/** Selects again, because a policy can change arguments after `check`. `data` has both arguments and strings. */
function selectAgain(inputs: PropertyBag): PropertyBag | undefined {
  const { data } = checkedInputs.safeParse(withoutNulls(inputs));
  if (data === undefined || data.__cluster !== idOf(data)) return undefined;
  const selection = select(data, data);
  if (selection.kind !== "selected") return undefined;
  const { connectionString, connectionStringKind } = selection;
  return {
    ...withoutHidden(inputs),
    recommended: connectionString,
    recommendedKind: connectionStringKind,
  };
}

/** Looks up the strings. If the project does not exist, reports the cluster as missing. */
async function findUnlessGone({ client, listing }: Session, wanted: Query): Promise<Lookup> {
  try {
    return await findOrReread(listing, wanted, "recent");
  } catch (error) {
    if (!(await projectIsGone(client, wanted.projectId, error))) throw error;
    const problem = `project ${escapeText(wanted.projectId)} does not exist.`;
    const known = { listAdvice: undefined, property: "clusterName", isMisspelled: false } as const;
    return { kind: "noCluster", ...known, problem, code: "project-not-found" };
  }
}

function argumentsIn(properties: PropertyBag): PropertyBag {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => key in argsSchema.shape));
}

/**
 * Adds the result of a lookup to its arguments, with null for every output that the cluster does not have. If they were
 * omitted, the engine would show them as unknown in every preview (docs/internals/decisions.md#0013-absent-outputs).
 */
function withOutputs(args: PropertyBag, found: FoundStrings): PropertyBag {
  const absent = outputs.map((name) => [name, null] as const);
  return { ...Object.fromEntries(absent), ...args, ...found };
}

type ClusterOfProject = Pick<Query, "projectId" | "clusterName">;

function idOf({ projectId, clusterName }: ClusterOfProject): string {
  return `${projectId}/${clusterName}`;
}

function partsOf(id: string): ClusterOfProject {
  const slash = id.indexOf("/");
  const projectId = id.slice(0, slash);
  const clusterName = id.slice(slash + 1);
  if (slash === -1 || projectId === "" || clusterName === "") {
    throw new ProviderError(
      `"${escapeText(id)}" is not the ID of a lookup: expected <projectId>/<clusterName>`,
    );
  }
  return { projectId, clusterName };
}

export function changedNames(olds: PropertyBag, news: PropertyBag): string[] {
  return Object.keys({ ...olds, ...news }).filter((name) => !isSame(olds[name], news[name]));
}

/** Returns whether a value is an object or a list. */
function hasParts(value: unknown): value is PropertyBag {
  return typeof value === "object" && value !== null;
}

/** Compares at any depth. Null equals a missing key, because the plugin drops nulls. */
function isSame(before: unknown, after: unknown): boolean {
  if (!hasParts(before) || !hasParts(after)) return (before ?? null) === (after ?? null);
  return changedNames(before, after).length === 0;
}

function withDefaults(properties: PropertyBag): PropertyBag {
  const given = Object.entries(withoutHidden(properties)).filter(
    ([name, value]) => value !== null || !(name in defaults),
  );
  return { ...defaults, ...Object.fromEntries(given) };
}
