/**
 * Sorts the strings of one private endpoint into host list, SRV form and optimized SRV form. The host
 * name takes precedence over the field that a string arrived in: services put the optimized string into
 * different fields, but its host name always contains `lb` (service document 2.6).
 */
import { classify, isOptimized } from "./kinds";
import { parseOrProblem } from "./parsing";

/** The outputs for the strings of a private endpoint. */
export type Slot = "hosts" | "srv" | "optimizedSrv";

/** A string of a private endpoint as the service returned it. */
export interface Candidate {
  readonly text: string;
  /** The output that its field is meant for; undefined for a field of unknown meaning. */
  readonly meantFor: Slot | undefined;
}

/** The sorted strings. */
export type Slots<From extends Candidate> = Readonly<Record<Slot, From | undefined>>;

/**
 * Sorts the strings of one private endpoint by their host names.
 *
 * @param candidates all strings of the endpoint. If several fit one output, a string whose field is
 * meant for that output takes precedence, then the first in the list.
 * @returns the string for each output
 */
export function sortStrings<From extends Candidate>(candidates: readonly From[]): Slots<From> {
  const sorted = candidates.map((candidate) => ({ candidate, slot: slotOf(candidate) }));
  const pick = (wanted: Slot) => {
    const fitting = sorted.flatMap(({ candidate, slot }) => (slot === wanted ? [candidate] : []));
    return fitting.find(({ meantFor }) => meantFor === wanted) ?? fitting[0];
  };
  return { hosts: pick("hosts"), srv: pick("srv"), optimizedSrv: pick("optimizedSrv") };
}

/** Returns the output for a string; undefined if its meaning is unknown. */
function slotOf({ text, meantFor }: Candidate): Slot | undefined {
  const parsed = parseOrProblem(text);
  const isSrv = "hosts" in parsed && parsed.form === "srv";
  const { kind } = classify(text);
  if (meantFor === undefined) {
    if (isSrv && isOptimized(text)) return "optimizedSrv";
    if (kind !== "privateEndpoint") return undefined;
    return isSrv ? "srv" : "hosts";
  }
  if (meantFor === "hosts" && !isSrv) return "hosts";
  if (isOptimized(text)) return "optimizedSrv";
  // If the form of the host name is unknown, trust the field.
  return meantFor === "optimizedSrv" && kind === "unknown" ? "optimizedSrv" : "srv";
}
