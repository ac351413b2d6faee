/** The simulator's clock: real time plus an offset that tests can move forward. */

/** The time that the simulator uses for cluster states, rate limits, nonces and tokens. */
export interface Clock {
  /**
   * Returns the current simulated time.
   *
   * @returns milliseconds since 1970
   */
  now(): number;
  /**
   * Moves the clock forward, for example past a minute of the rate limit.
   *
   * @param seconds zero or more; fractions are allowed
   * @throws RangeError if `seconds` is negative or not finite
   * @example service.clock.advanceSeconds(60);
   */
  advanceSeconds(seconds: number): void;
  /** Returns to real time. */
  reset(): void;
}

/**
 * Creates a clock that starts at real time.
 *
 * @returns the clock
 */
export function createClock(): Clock {
  let offsetMilliseconds = 0;
  return {
    now: () => Date.now() + offsetMilliseconds,
    advanceSeconds: (seconds) => {
      if (!Number.isFinite(seconds) || seconds < 0) {
        throw new RangeError(
          `The clock cannot advance by ${seconds} seconds: the value must be zero or more.`,
        );
      }
      offsetMilliseconds += seconds * 1000;
    },
    reset: () => {
      offsetMilliseconds = 0;
    },
  };
}
