/** What a misspelled word means. */

/** A word within this many edits of a known one is considered a misspelling of it, as `monogdb` is. */
const maxEdits = 2;

/**
 * Returns the known word with the same first letter that a misspelled one resembles most. Undefined if there is none, or
 * the word itself is known.
 *
 * @example nearestWord("mongodb+svr", ["mongodb", "mongodb+srv"]) // "mongodb+srv"
 */
export function nearestWord(word: string, known: readonly string[]): string | undefined {
  if (known.includes(word)) return undefined;
  const [nearest] = known
    .filter((other) => other[0] === word[0] && Math.abs(other.length - word.length) <= maxEdits)
    .map((other) => ({ other, edits: editDistance(word, other) }))
    .sort((a, b) => a.edits - b.edits);
  return nearest !== undefined && nearest.edits <= maxEdits ? nearest.other : undefined;
}

/**
 * Returns the least number of insertions, deletions and substitutions that change one text into another (Levenshtein
 * distance). The provider uses a library for it, but this package has no dependencies.
 */
function editDistance(from: string, to: string): number {
  // The edits from the characters read so far to each beginning of the other text.
  let edits = Array.from({ length: to.length + 1 }, (_, length) => length);
  for (const [at, character] of Array.from(from).entries()) {
    const next = [at + 1];
    for (const [position, other] of Array.from(to).entries()) {
      const substitution = (edits[position] ?? 0) + (character === other ? 0 : 1);
      const deletion = (edits[position + 1] ?? 0) + 1;
      const insertion = (next[position] ?? 0) + 1;
      next.push(Math.min(substitution, deletion, insertion));
    }
    edits = next;
  }
  return edits[to.length] ?? 0;
}
