/** Random choices that a seed determines. */
import { createHash } from "node:crypto";
import { uniformFloat64 } from "pure-rand/distribution/uniformFloat64";
import { uniformInt } from "pure-rand/distribution/uniformInt";
import { xoroshiro128plus } from "pure-rand/generator/xoroshiro128plus";

/** A sequence of random choices. */
export interface Random {
  /** Returns an integer; both limits are included. */
  integer(from: number, to: number): number;
  /** Returns a number from 0 to 1. */
  fraction(): number;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  /** Returns one of the items. */
  pick<const T>(items: readonly [T, ...T[]]): T;
}

/**
 * Creates a sequence of random choices.
 *
 * @param parts the seed, and the purpose of the choices: the same parts result in the same choices
 */
export function seededRandom(...parts: readonly (string | number)[]): Random {
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest();
  const generator = xoroshiro128plus(hash.readInt32LE());
  const integer = (from: number, to: number) => uniformInt(generator, from, to);
  const fraction = () => uniformFloat64(generator);
  return {
    integer,
    fraction,
    chance: (probability) => fraction() < probability,
    pick: (items) => items[integer(0, items.length - 1)] ?? items[0],
  };
}
