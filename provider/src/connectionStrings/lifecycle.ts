/**
 * ClusterConnectionStrings as the engine runs it. The lookup happens in `check`, whose inputs the
 * engine shows as outputs in a preview (docs/decisions/0002-lookups-in-check.md).
 */
import * as z from "../zod";
import { escapeText } from "../api/escapeText";
import { ProviderError } from "../engine/errors";
import { readInputs, withoutProvider } from "../engine/inputs";
import type { CheckResult, Lifecycle, PropertyBag, ReadResult } from "../engine/lifecycle";
import { readState } from "../engine/state";
import { projectIsGone } from "../projectExistence";
import type { Session } from "../session";
import { type Args, args } from "./args";
import { kindChangeWarning } from "./kindChange";
import { type FoundStrings, type Lookup, lookUp, lookUpShared } from "./lookup";
import { isSameLookup, outputsOf, recordedLookup } from "./outputs";
import { waitForStrings } from "./waiting";

/** What was found, by `check` or earlier. */
const settled = z.looseObject({ recommended: z.string() });

/** A lookup that found its string. */
export type Found = Pick<Args, "projectId" | "clusterName"> & FoundStrings;

/** @param warning records every lookup of the process that finds its string */
export function clusterConnectionStringsLifecycle(
  open: () => Session,
  warning: { lookedUp(found: Found): void },
): Lifecycle {
  return {
    check: (olds, news) => checkLookup(open, warning, olds, news),
    diff: (_id, olds, news) => Promise.resolve().then(() => diffLookups(olds, news)),

    async create(inputs) {
      const outs = await settle(open, warning, inputs);
      const { projectId, clusterName } = z.looseObject(args.shape).parse(outs);
      return { id: `${projectId}/${clusterName}`, outs };
    },

    async update(_id, _olds, news) {
      return { outs: await settle(open, warning, news) };
    },

    read: (id, props) => readLookup(open(), id, props),

    /** Nothing in the service belongs to a lookup; a damaged state must not stand in the way. */
    async delete(_id, props) {
      const parsed = recordedLookup.safeParse(props);
      if (parsed.success) return;
      try {
        readRecorded(props);
      } catch (error) {
        await open().log("warning", error instanceof Error ? error.message : String(error));
      }
    },
  };
}

async function checkLookup(
  open: () => Session,
  warning: { lookedUp(found: Found): void },
  olds: PropertyBag,
  news: PropertyBag,
): Promise<CheckResult> {
  const inputs = readInputs(args, news);
  if (inputs.kind === "wrong") return { inputs: news, failures: inputs.failures };
  if (inputs.kind === "unknown") return { inputs: news };
  readRecorded(olds);
  const session = open();
  const mayWait = inputs.args.waitSeconds > 0;
  const lookup = await (mayWait ? lookUpShared : lookUp)(session.listing, inputs.args);
  if (lookup.kind === "found") {
    warning.lookedUp({ ...inputs.args, ...lookup.strings });
    const found = { ...news, ...outputsOf(lookup.strings) };
    const change = kindChangeWarning(inputs.args.clusterName, olds, found);
    if (change !== undefined) await session.log("warning", change);
    return { inputs: found };
  }
  // Outputs left out are unknown to a preview; create and update look again, and wait for them.
  if (mayWait && lookup.kind !== "unclear") return { inputs: news };
  const canWait = lookup.kind !== "unclear" && lookup.mayAppear;
  const hint = canWait ? " To wait for it, set waitSeconds." : "";
  const { property, problem } = lookup;
  return { inputs: news, failures: [{ property, reason: `${problem}${hint}` }] };
}

function diffLookups(olds: PropertyBag, news: PropertyBag) {
  readRecorded(olds);
  const replaces = ["projectId", "clusterName"].filter((key) => olds[key] !== news[key]);
  return { changes: !isSameLookup(olds, news), replaces };
}

async function readLookup(session: Session, id: string, props: PropertyBag): Promise<ReadResult> {
  const { projectId, clusterName } = partsOf(id);
  const recorded = readRecorded(props);
  const wanted = z.object(args.shape).parse({ ...props, projectId, clusterName });
  const lookup = await lookUpUnlessGone(session, wanted);
  if (lookup.kind === "found") {
    const found = { ...argumentsIn(props), projectId, clusterName, ...outputsOf(lookup.strings) };
    return { id, props: found, inputs: { ...found } };
  }
  // A first read, of a resource that the program names by its id, has nothing recorded to fall back on.
  if (recorded.recommended === undefined) throw new ProviderError(lookup.problem);
  if (lookup.kind === "noCluster") {
    if (!lookup.listIsComplete)
      throw new ProviderError(`${lookup.problem} ${nothingRemoved(session)}`);
    await session.log(
      "warning",
      `${lookup.problem} Its connection strings are removed from the state.`,
    );
    return {};
  }
  // A refresh that fails would also stop a destroy: the next update says what is missing.
  const kept = withoutProvider(props);
  await session.log("warning", `${lookup.problem} The strings recorded before are kept.`);
  return { id, props: kept, inputs: { ...kept } };
}

function nothingRemoved({ client }: Session): string {
  return `Nothing is removed from the state. Compare the service's paging with the documentation of pulumi-clouddb (docs/services.md), and check that baseUrl and apiPath are those of the service: the API is expected at ${client.apiRoot}.`;
}

/** The outputs: as `check` found them, else looked up until they are there or the wait is over. */
async function settle(
  open: () => Session,
  warning: { lookedUp(found: Found): void },
  inputs: PropertyBag,
): Promise<PropertyBag> {
  const given = withoutProvider(inputs);
  if (settled.safeParse(given).success) return given;
  const [session, wanted] = [open(), args.parse(given)];
  const strings = await waitForStrings(session, wanted);
  warning.lookedUp({ ...wanted, ...strings });
  return { ...given, ...outputsOf(strings) };
}

/** A project that is gone took its clusters with it. */
async function lookUpUnlessGone(
  { client, listing }: Session,
  wanted: Parameters<typeof lookUp>[1],
): Promise<Lookup> {
  try {
    return await lookUp(listing, wanted);
  } catch (error) {
    if (!(await projectIsGone(client, wanted.projectId, error))) throw error;
    const missing = `project ${escapeText(wanted.projectId)}`;
    const problem = `${missing} does not exist.`;
    const property = "clusterName";
    return {
      kind: "noCluster",
      listIsComplete: true,
      property,
      missing,
      problem,
      mayAppear: false,
    };
  }
}

/** The arguments among the properties, as they were given: defaults are not recorded. */
function argumentsIn(properties: PropertyBag): PropertyBag {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => key in args.shape));
}

function readRecorded(properties: PropertyBag) {
  return readState(recordedLookup, properties, "these ClusterConnectionStrings");
}

function partsOf(id: string): { projectId: string; clusterName: string } {
  const [projectId, clusterName, ...more] = id.split("/");
  if (!projectId || !clusterName || more.length > 0) {
    throw new ProviderError(
      `"${escapeText(id)}" is not the id of a lookup, which is <projectId>/<clusterName>`,
    );
  }
  return { projectId, clusterName };
}
