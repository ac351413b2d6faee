/** The results of a run, as docs/internals/benchmarks.json holds them. */
import type { ReceivedRequest } from "clouddb-simulator";
import { z } from "zod";

const conditions = z.object({
  command: z.string(),
  machine: z.string(),
  /** The versions of the Pulumi CLI and of the Node.js releases that ran the programs. */
  versions: z.string(),
  revision: z.string(),
  minutes: z.number(),
  /** The one-minute load averages at the start and at the end. */
  loads: z.array(z.number()),
});

const measure = z.object({
  group: z.string(),
  label: z.string(),
  unit: z.enum(["s", "ms", "MB", "bytes", "requests/s"]),
  values: z.array(z.number()),
  /** Whether it measures no code of this repository, so that it shows how fast the machine is. */
  isControl: z.boolean().optional(),
});

/** The HTTP requests of one process. */
const phase = z.object({
  phase: z.string(),
  listings: z.number(),
  challenges: z.number(),
  others: z.number(),
  /** The listings that the phase may need: ceil(clusters / 500). */
  allowed: z.number(),
});

export const results = z.object({
  conditions,
  measures: z.array(measure),
  phases: z.array(phase),
});

export type Results = z.infer<typeof results>;
export type Measure = z.infer<typeof measure>;
export type Phase = z.infer<typeof phase>;

/** Returns the values of a measure; none if it was not measured. */
export function valuesOf({ measures }: Pick<Results, "measures">, group: string, label: string) {
  return measures.find((each) => each.group === group && each.label === label)?.values ?? [];
}

/** Counts requests that look up clusters of one project. */
export function countRequests(
  requests: readonly ReceivedRequest[],
  phase: string,
  clusters: number,
): Phase {
  const challenges = requests.filter(({ challenged }) => challenged).length;
  const listings = requests.filter(
    ({ operation, challenged }) => operation === "listClusters" && !challenged,
  ).length;
  const others = requests.length - challenges - listings;
  return { phase, listings, challenges, others, allowed: Math.ceil(clusters / 500) };
}

/** Returns whether a phase sent more requests than it may. */
export function isExcessive({ listings, challenges, others, allowed }: Phase): boolean {
  return listings > allowed || challenges > 1 || others > 0;
}
