/** Stops a run on Ctrl-C and other signals, and if its output is closed. */

/** How a run is interrupted. */
export interface Interruption {
  /** Aborts on the first signal: no further stack is started. */
  readonly stop: AbortSignal;
  /** Aborts if the running engines must be interrupted. */
  readonly interrupt: AbortSignal;
}

/**
 * Stops the run on the first SIGINT, SIGTERM or SIGHUP: interrupts running operations, which Pulumi ends
 * cleanly. Ends the process on the second signal. Also stops the run if its output is closed.
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
    // On a terminal, Ctrl-C has already reached the engines; a second signal would kill them.
    const reachedEngines = signal === "SIGINT" && process.stdin.isTTY;
    if (!reachedEngines) interrupt.abort();
  };
  process.on("SIGINT", listener);
  process.on("SIGTERM", listener);
  process.on("SIGHUP", listener);
  // Without a listener, the Automation API would report each failed write with another write, endlessly.
  for (const output of [process.stdout, process.stderr]) {
    output.on("error", () => {
      stop.abort();
      interrupt.abort();
    });
  }
  return { stop: stop.signal, interrupt: interrupt.signal };
}
