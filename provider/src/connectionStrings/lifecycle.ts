/**
 * ClusterConnectionStrings as the engine runs it. The lookup happens in `check`, whose inputs the
 * engine shows as outputs in a preview (docs/decisions/0002-lookups-in-check.md).
 */
import { isDeepStrictEqual } from "node:util";
import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";
import { ResponseError, errorCodes } from "../api/errors";
import { ProviderError } from "../engine/errors";
import { readInputs, withoutProvider } from "../engine/inputs";
import type { Lifecycle, PropertyBag } from "../engine/lifecycle";
import type { Session } from "../session";
import { type FoundStrings, type Lookup, type Query, lookUp, lookUpNow } from "./lookup";

const name = (what: string) => z.string(`must be ${what}`).min(1, `must be ${what}, not empty`);

const args = z.strictObject({
  projectId: name("a project ID"),
  clusterName: name("the name of a cluster"),
  network: z
    .discriminatedUnion(
      "kind",
      [
        z.strictObject({ kind: z.literal("internet") }),
        z.strictObject({ kind: z.literal("peering") }),
        z.strictObject({
          kind: z.literal("privateEndpoint"),
          endpointId: name("an endpoint id").optional(),
          region: name("a region").optional(),
        }),
      ],
      'must be { kind: "internet" }, { kind: "peering" } or { kind: "privateEndpoint" }',
    )
    .default({ kind: "internet" }),
  form: z.enum(["srv", "hosts"], 'must be "srv" or "hosts"').default("srv"),
  optimized: z.boolean("must be true or false").optional(),
  waitSeconds: z
    .number("must be a number of seconds")
    .nonnegative("must not be negative")
    .max(7200, "must be at most 7200")
    .default(0),
});

type Args = z.output<typeof args>;

/** The inputs of a `check` that found the strings: its arguments and, besides, all outputs. */
const settled = z.looseObject({ recommended: z.string() });

/** Seconds between two looks while a string is waited for. */
const pollSeconds = 5;

export function clusterConnectionStringsLifecycle(open: () => Session): Lifecycle {
  return {
    async check(_olds, news) {
      const inputs = readInputs(args, news);
      if (inputs.kind === "wrong") return { inputs: news, failures: inputs.failures };
      if (inputs.kind === "unknown") return { inputs: news };
      const wanted = inputs.args;
      const lookup = await lookUp(open().listing, wanted);
      if (lookup.kind === "found") return { inputs: { ...news, ...lookup.strings } };
      // Outputs left out are unknown to a preview; create and update wait for them.
      if (wanted.waitSeconds > 0) return { inputs: news };
      const property = lookup.kind === "noCluster" ? "clusterName" : "network";
      return { inputs: news, failures: [{ property, reason: lookup.problem }] };
    },

    diff(_id, olds, news) {
      const [before, after] = [withoutProvider(olds), withoutProvider(news)];
      const replaces = ["projectId", "clusterName"].filter((key) => before[key] !== after[key]);
      return Promise.resolve({ changes: !isDeepStrictEqual(before, after), replaces });
    },

    async create(inputs) {
      const outs = await settle(open, inputs);
      const { projectId, clusterName } = args.loose().parse(outs);
      return { id: `${projectId}/${clusterName}`, outs };
    },

    async update(_id, _olds, news) {
      return { outs: await settle(open, news) };
    },

    async read(id, props) {
      const { projectId, clusterName } = partsOf(id);
      const wanted = z.object(args.shape).parse({ ...props, projectId, clusterName });
      try {
        const lookup = await lookUp(open().listing, wanted);
        if (lookup.kind === "noCluster") return {};
        if (lookup.kind === "noString") throw new ProviderError(lookup.problem);
        const found = { ...argumentsIn(props), projectId, clusterName, ...lookup.strings };
        return { id, props: found, inputs: { ...found } };
      } catch (error) {
        const projectIsGone = error instanceof ResponseError && error.code === errorCodes.notFound;
        if (projectIsGone) return {};
        throw error;
      }
    },

    delete: () => Promise.resolve(),
  };
}

/** The outputs: as `check` found them, else looked up until they are there or the wait is over. */
async function settle(open: () => Session, inputs: PropertyBag): Promise<PropertyBag> {
  const given = withoutProvider(inputs);
  if (settled.safeParse(given).success) return given;
  return { ...given, ...(await waitFor(open(), args.parse(given))) };
}

async function waitFor({ listing, log }: Session, wanted: Args): Promise<FoundStrings> {
  const start = Date.now();
  for (;;) {
    const lookup = await lookUpNow(listing, wanted);
    if (lookup.kind === "found") return lookup.strings;
    const waited = Math.round((Date.now() - start) / 1000);
    const left = wanted.waitSeconds - waited;
    if (left <= 0) {
      throw new ProviderError(`${lookup.problem} Gave up after ${waited} s (waitSeconds).`);
    }
    await log("progress", `waiting up to ${left} s more: ${missingOf(lookup, wanted)}`);
    await sleep(Math.min(pollSeconds, left) * 1000);
  }
}

function missingOf(lookup: Exclude<Lookup, { kind: "found" }>, { clusterName }: Query): string {
  return lookup.kind === "noCluster" ? `there is no cluster ${clusterName} yet` : lookup.problem;
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
