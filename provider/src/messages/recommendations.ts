/**
 * What messages recommend: the correct name for a misspelled one, and commands for the shell of their reader. A process
 * cannot tell PowerShell from cmd, so on Windows they name both, except in Git Bash, which sets MSYSTEM.
 */
import { distance } from "fastest-levenshtein";

/** A name within this many edits (insertions, deletions, substitutions) is considered a misspelling. */
export const maxMisspelledEdits = 2;

/** Sorts candidates by their edits from a name, ignoring case. Keeps the order of those that are equally near. */
export function byDistance<Name extends string>(
  name: string,
  candidates: readonly Name[],
  simplify: (text: string) => string = (text) => text.toLowerCase(),
): { readonly name: Name; readonly edits: number }[] {
  const target = simplify(name);
  return candidates
    .map((candidate) => ({ name: candidate, edits: distance(simplify(candidate), target) }))
    .sort((a, b) => a.edits - b.edits);
}

/**
 * Returns the candidate that is nearest to a misspelled name, ignoring case, `_` and `-`; undefined if none is within
 * two edits.
 *
 * @example nearestName("baseURL", ["baseUrl", "caFile"]) // "baseUrl"
 */
export function nearestName<Name extends string>(
  name: string,
  candidates: readonly Name[],
): Name | undefined {
  const [nearest] = byDistance(name, candidates, (text) => text.toLowerCase().replace(/[_-]/g, ""));
  return nearest !== undefined && nearest.edits <= maxMisspelledEdits ? nearest.name : undefined;
}

/**
 * Returns what to write instead of a misspelled name, as the end of a sentence.
 *
 * @example suggestion("clustername", ["projectId", "clusterName"]) // "did you mean clusterName?"
 */
export function suggestion(
  name: string,
  candidates: readonly string[],
  prefix: string = "",
): string {
  const nearest = nearestName(name, candidates);
  if (nearest !== undefined) return `did you mean ${prefix}${nearest}?`;
  const names = candidates.map((candidate) => `${prefix}${candidate}`).join(", ");
  return candidates.length === 1 ? `expected only ${names}` : `expected one of ${names}`;
}

const isPosix = process.platform !== "win32" || Boolean(process.env["MSYSTEM"]);

/** Returns the command that sets an environment variable. */
export function setVariable(name: string, value: string): string {
  return isPosix
    ? `export ${name}=${value}`
    : `$env:${name}="${value}" (in cmd: set ${name}=${value})`;
}

/** Returns the assignment of a command's output to an environment variable. */
export function setToOutput(name: string, command: string): string {
  return isPosix ? `${name}=$(${command})` : `$env:${name}=$(${command}) (in PowerShell)`;
}

/** Returns the command that removes an environment variable. */
export function unsetVariable(name: string): string {
  return isPosix ? `unset ${name}` : `Remove-Item Env:${name} (in cmd: set ${name}=)`;
}

/**
 * The sentence after the names of settings that can be wrong. Commands replace it, because they know their settings.
 */
export const doctorAdvice =
  "To check them, run npx --no pulumi-clouddb doctor --stack NAME in the program's folder.";
