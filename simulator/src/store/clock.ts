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
   * @throws RangeError if `seconds` is negative, or leads beyond the year 9998
   * @example service.clock.advanceSeconds(60);
   */
  advanceSeconds(seconds: number): void;
  /** Returns to real time. */
  reset(): void;
}

/** The latest time, in milliseconds since 1970. Dates in responses and the state file have years of four digits. */
const latestTime = Date.parse("9999-01-01T00:00:00Z");

export class OffsetClock implements Clock {
  private offsetMilliseconds = 0;

  now(): number {
    return Date.now() + this.offsetMilliseconds;
  }

  advanceSeconds(seconds: number): void {
    if (!(seconds >= 0 && this.now() + seconds * 1000 < latestTime)) {
      throw new RangeError(
        `The clock cannot advance by ${seconds} seconds: the value must be zero or more, and the year at most 9998.`,
      );
    }
    this.offsetMilliseconds += seconds * 1000;
  }

  reset(): void {
    this.offsetMilliseconds = 0;
  }
}
