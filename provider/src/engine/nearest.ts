/** Finds the name that a misspelled one was probably meant to be. */
import { distance } from "fastest-levenshtein";

/** The most edits (insertions, deletions, substitutions) between a misspelled name and the right one. */
const mostEdits = 2;

/**
 * Returns the known name that is nearest to a misspelled one. Case, `_` and `-` do not count.
 *
 * @param name the misspelled name
 * @param known the right names
 * @returns the nearest right name, or undefined if none is within two edits
 * @example nearestName("baseURL", ["baseUrl", "caFile"]) // "baseUrl"
 */
export function nearestName<Name extends string>(
  name: string,
  known: readonly Name[],
): Name | undefined {
  const wanted = simplified(name);
  const [nearest] = known
    .map((each) => ({ each, compared: simplified(each) }))
    // Not only to save time: a name from outside may be of any length.
    .filter(({ compared }) => Math.abs(compared.length - wanted.length) <= mostEdits)
    .map(({ each, compared }) => ({ each, edits: distance(compared, wanted) }))
    .filter(({ edits }) => edits <= mostEdits)
    .sort((a, b) => a.edits - b.edits);
  return nearest?.each;
}

/**
 * Returns what to write instead of a misspelled name, as the end of a sentence.
 *
 * @param name the misspelled name
 * @param known the right names
 * @param prefix written in front of each right name. Default: nothing.
 * @returns `did you mean <name>?`, or the list of right names if none is near
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
