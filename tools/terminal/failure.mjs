// @ts-check
// Errors that a person can act on: shown as their message alone, without a stack trace.

/** A condition the person at the terminal caused or can mend. */
export class Failure extends Error {
  /**
   * @param {string} message what failed, on what, why, and what to do next
   * @param {number} exitCode of the command that failed
   */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** The command was asked to stop, by Ctrl-C or by a signal. */
export class Interruption extends Failure {
  /** @param {"SIGINT" | "SIGTERM" | "SIGHUP"} signal */
  constructor(signal) {
    const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
    super("Interrupted.", 128 + numbers[signal]);
  }
}
