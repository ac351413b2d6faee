/** Suggests the correct name for a misspelled one. */
import { distance } from "fastest-levenshtein";

/** The maximum number of edits (insertions, deletions, substitutions) for a suggestion. */
const maxEdits = 2;

/**
 * Returns the known name that is nearest to a misspelled one, ignoring case, `_` and `-`; undefined if none is
 * within two edits.
 *
 * @example nearestName("baseURL", ["baseUrl", "caFile"]) // "baseUrl"
 */
export function nearestName<Name extends string>(
  name: string,
  known: readonly Name[],
): Name | undefined {
  const target = simplified(name);
  const [nearest] = known
    .map((each) => ({ each, compared: simplified(each) }))
    // An external name may have any length, and the distance is expensive for long ones.
    .filter(({ compared }) => Math.abs(compared.length - target.length) <= maxEdits)
    .map(({ each, compared }) => ({ each, edits: distance(compared, target) }))
    .filter(({ edits }) => edits <= maxEdits)
    .sort((a, b) => a.edits - b.edits);
  return nearest?.each;
}

/**
 * Returns what to write instead of a misspelled name, as the end of a sentence.
 *
 * @example suggestion("clustername", ["projectId", "clusterName"]) // "did you mean clusterName?"
 */
export function suggestion(name: string, known: readonly string[], prefix: string = ""): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `did you mean ${prefix}${nearest}?`;
  const names = known.map((each) => `${prefix}${each}`).join(", ");
  return known.length === 1 ? `expected only ${names}` : `expected one of ${names}`;
}

function simplified(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}
