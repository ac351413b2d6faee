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
   * @throws RangeError if `seconds` is negative
   * @example service.clock.advanceSeconds(60);
   */
  advanceSeconds(seconds: number): void;
  /** Returns to real time. */
  reset(): void;
}

export class OffsetClock implements Clock {
  private offsetMilliseconds = 0;

  now(): number {
    return Date.now() + this.offsetMilliseconds;
  }

  advanceSeconds(seconds: number): void {
    if (!(seconds >= 0)) throw new RangeError(`The clock cannot advance by ${seconds} seconds.`);
    this.offsetMilliseconds += seconds * 1000;
  }

  reset(): void {
    this.offsetMilliseconds = 0;
  }
}
