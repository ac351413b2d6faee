/** The counts that clients used with each nonce, so that no request can be replayed (RFC 7616). */
import type { Clock } from "../store/clock";

/** Number of nonces whose counts are kept. Nonces that were dropped count as expired. */
const nonceCapacity = 10_000;

/** How far a new count may be below the highest one: parallel requests arrive out of order. */
const countWindow = 1000;

interface NonceUse {
  /** Expiry of the nonce: milliseconds since 1970. */
  readonly expires: number;
  /** Highest count so far. */
  highest: number;
  /** Counts in the window below the highest one. */
  readonly seen: Set<number>;
}

/** The counts used with each nonce. */
export class NonceCounts {
  /** Roughly in the order of expiry. */
  private readonly uses = new Map<string, NonceUse>();
  /** Unknown nonces that expire before this time are stale: counts of valid nonces were dropped. */
  private droppedUntil = 0;

  /**
   * Creates an empty set of counts.
   *
   * @param clock the time source
   */
  constructor(private readonly clock: Clock) {}

  /**
   * Records a count of a valid nonce.
   *
   * @param nonce the nonce
   * @param expires expiry of the nonce: milliseconds since 1970
   * @param count the count of the request
   * @returns false if the count was used before, is too old or was dropped
   */
  use(nonce: string, expires: number, count: number): boolean {
    let use = this.uses.get(nonce);
    if (!use) {
      if (expires <= this.droppedUntil) return false;
      this.dropExpired();
      use = { expires, highest: 0, seen: new Set() };
      this.uses.set(nonce, use);
    }
    const { seen } = use;
    if (seen.has(count) || count <= use.highest - countWindow) return false;
    seen.add(count);
    use.highest = Math.max(use.highest, count);
    if (seen.size > 2 * countWindow) {
      for (const old of seen) if (old <= use.highest - countWindow) seen.delete(old);
    }
    return true;
  }

  /**
   * Returns the expiry time of a nonce that was used before.
   *
   * @param nonce the nonce
   * @returns milliseconds since 1970; undefined if the nonce was not used, or its counts were dropped
   */
  expiryOf(nonce: string): number | undefined {
    return this.uses.get(nonce)?.expires;
  }

  /** Forgets all counts. */
  reset(): void {
    this.uses.clear();
    this.droppedUntil = 0;
  }

  /** Drops expired nonces, and the oldest ones beyond the capacity. */
  private dropExpired(): void {
    const now = this.clock.now();
    for (const [nonce, { expires }] of this.uses) {
      if (expires > now && this.uses.size < nonceCapacity) break;
      this.uses.delete(nonce);
      if (expires > now) this.droppedUntil = Math.max(this.droppedUntil, expires);
    }
  }
}
