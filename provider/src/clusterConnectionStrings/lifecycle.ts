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
import { dropCopiedOutputs, readCheckedArgs, readInputs, withoutHidden } from "../host/inputs";
import type {
  CheckFailure,
  CheckResult,
  DiffResult,
  Lifecycle,
  PropertyBag,
  ReadResult,
} from "../host/lifecycle";
import { confirmProjectDeletion } from "../service/client";
import { type SchemasOf, readArguments } from "../validation/arguments";
import { withoutNulls } from "../validation/values";
import { ProviderError } from "../messages/errors";
import { hasProjectNotFoundCode } from "../service/failedResponses";
import { ResponseError } from "../service/requestErrors";
import type { Session } from "../service/session";
import { type HiddenLookupInputs, type Query, argsSchema, defaults, querySchema } from "./args";
import {
  type FoundStrings,
  type Lookup,
  type NoCluster,
  type NoString,
  findConnectionStrings,
  findListed,
  findOrReread,
  warnOfDeletion,
} from "./lookup";
import { outputs } from "./outputs";
import { waitForStrings } from "./waitForStrings";

/** The arguments among the inputs that `check` returned. */
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

/** The inputs that `check` returned, with strings from which the arguments select one. */
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

/** The lists of clusters that a lookup accepts, as its class passes them. */
const boundSchema = z.object({
  after: z.number(),
  mustBeRecent: z.boolean(),
} satisfies SchemasOf<HiddenLookupInputs["__bound"]>);

/** The arguments among recorded outputs, which have more. */
const recordedQuery = z.object(querySchema.shape);

export function clusterConnectionStringsLifecycle(session: () => Session): Lifecycle {
  return {
    check: (olds, news) => checkLookup(session, olds, news),
    diff: (_id, olds, news) => Promise.resolve(diffLookups(olds, news)),
    async create(inputs, timeoutSeconds) {
      const outs = await resolveStrings(session, inputs, timeoutSeconds);
      return { id: idOf(readCheckedArgs(checkedArgs, inputs)), outs };
    },
    async update(_id, _olds, news, timeoutSeconds) {
      return { outs: await resolveStrings(session, news, timeoutSeconds) };
    },
    read: (id, props) => readLookup(session(), id, props),
    delete: () => Promise.resolve(),
  };
}

/** The inputs that a program passes. A program of the plugin passes no hidden ones. */
type ProgramInputs = PropertyBag & Partial<Record<keyof HiddenLookupInputs, unknown>>;

async function checkLookup(
  openSession: () => Session,
  olds: PropertyBag,
  { __bound, ...visible }: ProgramInputs,
): Promise<CheckResult> {
  const news = dropCopiedOutputs(argsSchema, olds, withoutNulls(visible));
  const inputs = readInputs(argsSchema, news);
  if (inputs.kind === "invalid") return { inputs: news, failures: inputs.failures };
  if (inputs.kind === "unknown") return { inputs: news };
  const { waitSeconds, ...query } = inputs.args;
  const session = openSession();
  const find = waitSeconds > 0 ? findListed : findOrReread;
  // A program of the plugin passes no bound, and neither does an SDK in which no transformation can add it.
  const bound = boundSchema.safeParse(__bound).data ?? "recent";
  const lookup = await find(session.listing, query, bound).catch((error: unknown) => {
    throw withLossOfProject(error, olds, news);
  });
  if (lookup.kind === "found") {
    await warnOfDeletion(session, query.projectId, [lookup.cluster]);
    const hidden: Pick<HiddenLookupInputs, "__cluster"> = { __cluster: idOf(query) };
    return { inputs: { ...withOutputs(news, lookup.strings), ...hidden } };
  }
  if (lookup.kind === "unusable") {
    const { property, problem, code } = lookup;
    return { inputs: news, failures: [{ property, reason: problem, code }] };
  }
  if (waitSeconds > 0) {
    await warnOfMisspelling(session, lookup, waitSeconds);
    // Omitted outputs are unknown in a preview; create and update wait for them.
    return { inputs: news };
  }
  const failure =
    lookup.kind === "noString"
      ? missingString(lookup, olds, news)
      : missingCluster(lookup, olds, news);
  return { inputs: news, failures: [failure] };
}

/** Warns about a wait for a cluster that may never exist. */
async function warnOfMisspelling(
  { log }: Pick<Session, "log">,
  lookup: NoString | NoCluster,
  waitSeconds: number,
): Promise<void> {
  if (lookup.kind === "noString" || !lookup.isMisspelled) return;
  const wait = `The update waits for it for up to ${waitSeconds} s.`;
  await log("warning", `${lookup.problem} ${wait}`, lookup.code);
}

function missingString(lookup: NoString, olds: PropertyBag, news: PropertyBag): CheckFailure {
  const { property, problem, mayAppear, code } = lookup;
  const loss = lossOf("string", olds, news);
  const advice = mayAppear ? waitAdvice : "";
  if (property === "network" && (news[property] ?? undefined) === undefined) {
    // With the property's name, the engine would print the value that the program omitted.
    const reason = `${loss}${problem} The default network is internet.${advice}`;
    return { property: "", reason, code };
  }
  return { property, reason: loss + problem + advice, code };
}

function missingCluster(
  { property, problem, isMisspelled, code }: NoCluster,
  olds: PropertyBag,
  news: PropertyBag,
): CheckFailure {
  const loss = lossOf("cluster", olds, news);
  if (loss !== "") return { property, reason: loss + problem + deletionAdvice, code };
  const advice = isMisspelled ? "" : deletionAdvice + waitAdvice;
  return { property, reason: problem + advice, code };
}

const deletionAdvice = " If it was deleted, remove the lookup.";
const waitAdvice = " To wait for it, set waitSeconds.";

/** Returns an error that says so if the last update found the missing project. */
function withLossOfProject(error: unknown, olds: PropertyBag, news: PropertyBag): unknown {
  // Any other 404 can come from a wrong profile or path.
  if (!(error instanceof ResponseError) || !hasProjectNotFoundCode(error)) return error;
  const { message, code } = error;
  return new ProviderError(lossOf("project", olds, news) + message, { code, cause: error });
}

/** The arguments with which the last update found what may now be missing. */
const identity = {
  project: ["projectId"],
  cluster: ["projectId", "clusterName"],
  string: Object.keys(querySchema.shape),
};

/**
 * Returns the start of a problem, which says that the last update found what is missing; empty if it did not. Without
 * this, the nearest names suggest a misspelling.
 */
function lossOf(missing: keyof typeof identity, olds: PropertyBag, news: PropertyBag): string {
  const changed = changedNames(withDefaults(olds), withDefaults(news));
  const isUnchanged = !identity[missing].some((name) => changed.includes(name));
  if (!isUnchanged || olds["recommended"] === undefined) return "";
  return `the last update found this ${missing}, but the service no longer returns it.\n`;
}

/** Compares the recorded outputs with those that an update would record. */
function diffLookups(olds: PropertyBag, news: PropertyBag): DiffResult {
  const replaces = ["projectId", "clusterName"].filter((key) => olds[key] !== news[key]);
  const changed = changedNames(withDefaults(olds), withDefaults(selectAgain(news) ?? news));
  return { changes: changed.length > 0, changed, replaces };
}

/** Looks up again for a refresh, or for the first time for an import or `.get`, which pass only the ID. */
async function readLookup(session: Session, id: string, props: PropertyBag): Promise<ReadResult> {
  const cluster = partsOf(id);
  const isFirst = props["recommended"] === undefined;
  const recordedArgs = { ...withoutNulls(props), ...cluster };
  const query = readArguments(recordedQuery, `ID "${escapeText(id)}"`, recordedArgs);
  const lookup = await findUnlessGone(session, query);
  const recorded = withoutHidden(props);
  if (lookup.kind === "found") {
    const current = withOutputs({ ...argumentsIn(props), ...cluster }, lookup.strings);
    // The engine writes the inputs of an import into the user's program.
    if (isFirst) return { id, props: current, inputs: argumentsIn(current) };
    // An output that is missing instead of null is no drift.
    const outs = changedNames(recorded, current).length > 0 ? current : recorded;
    return { id, props: outs, inputs: { ...outs } };
  }
  // A first read has no recorded strings to keep.
  if (isFirst) throw new ProviderError(lookup.problem, { code: lookup.code });
  if (lookup.kind === "noCluster") return await removeFromState(session, lookup);
  // A failing refresh would also prevent a destroy; the next update reports what is missing.
  const problem = `${lookup.problem} The recorded strings are kept.`;
  await session.log("warning", problem, "strings-kept");
  return { id, props: recorded, inputs: { ...recorded } };
}

/** Removes a lookup from the state, with a warning. Throws if the cluster may still exist. */
async function removeFromState(session: Session, lookup: NoCluster): Promise<ReadResult> {
  const { problem, listAdvice } = lookup;
  if (listAdvice !== undefined) {
    throw new ProviderError(
      `${problem} The state is unchanged. Check clouddb:baseUrl and clouddb:apiPath, which lead to ${escapeText(session.client.apiRoot)}. ${listAdvice} If the cluster was deleted, remove the lookup:\n  pulumi state delete <URN>`,
      { code: "incomplete-list" },
    );
  }
  const removal =
    "Refreshing removes the lookup from the state. Remove it from the program as well; otherwise the next update fails.";
  await session.log("warning", `${problem} ${removal}`, "removed");
  return {};
}

/**
 * Returns the outputs that `check` found, or waits for the strings until the timeout. Looks them up if `check` did not
 * know all arguments, or if a policy changed the cluster afterwards.
 */
async function resolveStrings(
  openSession: () => Session,
  inputs: PropertyBag,
  timeoutSeconds: number | undefined,
): Promise<PropertyBag> {
  const selected = selectAgain(inputs);
  if (selected !== undefined) return selected;
  const wanted = readCheckedArgs(checkedArgs, inputs);
  const { waitSeconds, ...query } = wanted;
  const strings =
    waitSeconds === 0
      ? await findConnectionStrings(openSession(), query, "recent")
      : await waitForStrings(openSession(), wanted, timeoutSeconds);
  return withOutputs(argumentsIn(inputs), strings);
}

/** Selects again from what `check` found, because a policy can change arguments after it; undefined if it cannot. */
function selectAgain(inputs: PropertyBag): PropertyBag | undefined {
  const { data } = checkedInputs.safeParse(withoutNulls(inputs));
  if (data === undefined || data.__cluster !== idOf(data)) return undefined;
  const selection = select(data, data);
  if (selection.kind !== "selected") return undefined;
  return {
    ...withoutHidden(inputs),
    recommended: selection.connectionString,
    recommendedKind: selection.connectionStringKind,
  };
}

/** Looks up the strings. If the project does not exist, reports the cluster as missing. */
async function findUnlessGone({ client, listing }: Session, query: Query): Promise<Lookup> {
  try {
    return await findOrReread(listing, query, "recent");
  } catch (error) {
    if (!(await confirmProjectDeletion(client, query.projectId, error))) throw error;
    return {
      kind: "noCluster",
      property: "clusterName",
      problem: `project ${escapeText(query.projectId)} does not exist.`,
      code: "project-not-found",
      isMisspelled: false,
      listAdvice: undefined,
    };
  }
}

/** Returns the arguments among inputs or outputs. */
function argumentsIn(properties: PropertyBag): PropertyBag {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => key in argsSchema.shape));
}

/**
 * Adds the result of a lookup to its arguments, with null for every output that the cluster does not have. If they were
 * omitted, the engine would show them as unknown in every preview (docs/internals/decisions.md#0013-absent-outputs).
 */
function withOutputs(args: PropertyBag, strings: FoundStrings): PropertyBag {
  const absent = outputs.map((name) => [name, null] as const);
  return { ...Object.fromEntries(absent), ...args, ...strings };
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

/** Returns the names of the properties that differ at any depth. */
export function changedNames(olds: PropertyBag, news: PropertyBag): string[] {
  return Object.keys({ ...olds, ...news }).filter((name) => !isSame(olds[name], news[name]));
}

/** Returns whether a value is an object or a list. Unlike `isObject`, which refuses lists. */
function hasParts(value: unknown): value is PropertyBag {
  return typeof value === "object" && value !== null;
}

/** Compares at any depth. Null equals a missing key, because the plugin drops nulls. */
function isSame(before: unknown, after: unknown): boolean {
  if (!hasParts(before) || !hasParts(after)) return (before ?? null) === (after ?? null);
  return changedNames(before, after).length === 0;
}

/** Adds the defaults of arguments, which may be missing or null, so that a diff does not show them as changes. */
function withDefaults(properties: PropertyBag): PropertyBag {
  const visible = Object.entries(withoutHidden(properties));
  const passed = visible.filter(([name, value]) => value !== null || !(name in defaults));
  return { ...defaults, ...Object.fromEntries(passed) };
}
