/** The simulator's time: real time plus what a test has turned it forward by. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Turns the clock forward, e.g. past a minute of the rate limit or the creation of a cluster. */
  advanceSeconds(seconds: number): void;
  /** Back to real time. */
  reset(): void;
}

export function createClock(): Clock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    advanceSeconds: (seconds) => {
      if (!Number.isFinite(seconds) || seconds < 0) {
        throw new RangeError(`The clock turns forward only: ${seconds} seconds is not possible.`);
      }
      ahead += seconds * 1000;
    },
    reset: () => {
      ahead = 0;
    },
  };
}
