/** What Ctrl-C does. */

/** How a run is interrupted. */
export interface Interruption {
  /** Aborts on the first signal: no further stack is started. */
  readonly stop: AbortSignal;
  /** Aborts if the running engines must be interrupted. */
  readonly interrupt: AbortSignal;
}

/**
 * Stops the run on the first SIGINT or SIGTERM: running operations are interrupted, which Pulumi does
 * cleanly. Ends the process on the second one.
 *
 * @param say prints a line
 */
export function listenForSignals(say: (line: string) => void): Interruption {
  const stop = new AbortController();
  const interrupt = new AbortController();
  const listener = (signal: NodeJS.Signals) => {
    if (stop.signal.aborted) process.exit(130);
    say("Stopping: the running stacks end cleanly. Press Ctrl-C again to kill them.");
    stop.abort();
    // On a terminal, Ctrl-C has reached the engines already; a second signal would kill them.
    const reachedEngines = signal === "SIGINT" && process.stdin.isTTY;
    if (!reachedEngines) interrupt.abort();
  };
  process.on("SIGINT", listener);
  process.on("SIGTERM", listener);
  return { stop: stop.signal, interrupt: interrupt.signal };
}
