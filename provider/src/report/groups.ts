/** Items that have the same key, at least one. */
export type Group<T> = readonly [T, ...T[]];

/** Groups values by their keys, in the order in which the keys first appear. */
export function grouped<K, T>(pairs: Iterable<readonly [key: K, value: T]>): Map<K, Group<T>> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const [key, value] of pairs) {
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
