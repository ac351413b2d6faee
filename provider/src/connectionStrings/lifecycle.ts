/**
 * ClusterConnectionStrings as the engine runs it. The lookup happens in `check`, whose inputs the
 * engine shows as outputs in a preview (docs/decisions/0002-lookups-in-check.md).
 */
import { isDeepStrictEqual } from "node:util";
import * as z from "../zod";
import { saysNotFound } from "../api/errors";
import { ProviderError } from "../engine/errors";
import { readInputs, withoutProvider } from "../engine/inputs";
import type { Lifecycle, PropertyBag } from "../engine/lifecycle";
import type { Session } from "../session";
import { type Args, args } from "./args";
import { type FoundStrings, type Lookup, lookUp, lookUpShared } from "./lookup";
import { waitForStrings } from "./waiting";

/** What was found, by `check` or earlier. */
const settled = z.looseObject({ recommended: z.string() });

/** A lookup that found its string. */
export type Found = Pick<Args, "projectId" | "clusterName"> & FoundStrings;

/** @param onFound called for every lookup of the process that finds its string */
export function clusterConnectionStringsLifecycle(
  open: () => Session,
  onFound: (found: Found) => Promise<void>,
): Lifecycle {
  return {
    async check(_olds, news) {
      const inputs = readInputs(args, news);
      if (inputs.kind === "wrong") return { inputs: news, failures: inputs.failures };
      if (inputs.kind === "unknown") return { inputs: news };
      const session = open();
      const mayWait = inputs.args.waitSeconds > 0;
      const lookup = await (mayWait ? lookUpShared : lookUp)(session.listing, inputs.args);
      if (lookup.kind === "found") {
        await onFound({ ...inputs.args, ...lookup.strings });
        return { inputs: { ...news, ...lookup.strings } };
      }
      // Outputs left out are unknown to a preview; create and update look again, and wait for them.
      if (mayWait && lookup.kind !== "unclear") return { inputs: news };
      const { property, problem } = lookup;
      const hint = lookup.kind === "unclear" ? "" : " If it is still being made, set waitSeconds.";
      return { inputs: news, failures: [{ property, reason: `${problem}${hint}` }] };
    },

    diff(_id, olds, news) {
      const [before, after] = [withoutProvider(olds), withoutProvider(news)];
      const replaces = ["projectId", "clusterName"].filter((key) => before[key] !== after[key]);
      return Promise.resolve({ changes: !isDeepStrictEqual(before, after), replaces });
    },

    async create(inputs) {
      const outs = await settle(open, onFound, inputs);
      const { projectId, clusterName } = z.looseObject(args.shape).parse(outs);
      return { id: `${projectId}/${clusterName}`, outs };
    },

    async update(_id, _olds, news) {
      return { outs: await settle(open, onFound, news) };
    },

    async read(id, props) {
      const { projectId, clusterName } = partsOf(id);
      const wanted = z.object(args.shape).parse({ ...props, projectId, clusterName });
      const session = open();
      const lookup = await lookUpUnlessGone(session, wanted);
      if (lookup.kind === "noCluster") {
        await session.log("warning", `${lookup.problem} Its connection strings leave the state.`);
        return {};
      }
      if (lookup.kind === "found") {
        const found = { ...argumentsIn(props), projectId, clusterName, ...lookup.strings };
        return { id, props: found, inputs: { ...found } };
      }
      // A refresh that fails would also stop a destroy: the next update says what is missing.
      const recorded = withoutProvider(props);
      if (!settled.safeParse(recorded).success) throw new ProviderError(lookup.problem);
      await session.log("warning", `${lookup.problem} The strings recorded before are kept.`);
      return { id, props: recorded, inputs: { ...recorded } };
    },

    delete: () => Promise.resolve(),
  };
}

/** The outputs: as `check` found them, else looked up until they are there or the wait is over. */
async function settle(
  open: () => Session,
  onFound: (found: Found) => Promise<void>,
  inputs: PropertyBag,
): Promise<PropertyBag> {
  const given = withoutProvider(inputs);
  if (settled.safeParse(given).success) return given;
  const [session, wanted] = [open(), args.parse(given)];
  const strings = await waitForStrings(session, wanted);
  await onFound({ ...wanted, ...strings });
  return { ...given, ...strings };
}

/** A project that is gone took its clusters with it. */
async function lookUpUnlessGone(
  { listing }: Session,
  wanted: Parameters<typeof lookUp>[1],
): Promise<Lookup> {
  try {
    return await lookUp(listing, wanted);
  } catch (error) {
    if (!saysNotFound(error)) throw error;
    const problem = `project ${wanted.projectId} does not exist.`;
    const missing = `project ${wanted.projectId}`;
    return { kind: "noCluster", property: "clusterName", missing, problem };
  }
}

/** The arguments among the properties, as they were given: defaults are not recorded. */
function argumentsIn(properties: PropertyBag): PropertyBag {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => key in args.shape));
}

function partsOf(id: string): { projectId: string; clusterName: string } {
  const [projectId, clusterName, ...more] = id.split("/");
  if (!projectId || !clusterName || more.length > 0) {
    throw new ProviderError(
      `"${id}" is not the id of a lookup, which is <projectId>/<clusterName>`,
    );
  }
  return { projectId, clusterName };
}
