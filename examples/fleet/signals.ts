/** What Ctrl-C does, and the loss of the terminal. */

/** How a run is interrupted. */
export interface Interruption {
  /** Aborts on the first signal: no further stack is started. */
  readonly stop: AbortSignal;
  /** Aborts if the running engines must be interrupted. */
  readonly interrupt: AbortSignal;
}

/**
 * Stops the run on the first SIGINT, SIGTERM or SIGHUP: running operations are interrupted, which Pulumi
 * does cleanly. Ends the process on the second one. Also stops the run if nobody reads its output any more.
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
  process.on("SIGHUP", listener);
  // Without a listener, Pulumi's automation reports each failed write with another write, without end.
  for (const output of [process.stdout, process.stderr]) {
    output.on("error", () => {
      stop.abort();
      interrupt.abort();
    });
  }
  return { stop: stop.signal, interrupt: interrupt.signal };
}
