// @ts-check
/** Errors that are printed as their message alone, without a stack trace. */

/** An error that the user caused or can fix. */
export class Failure extends Error {
  /**
   * @param {string} message what failed, on what, why, and what to do next
   * @param {number} exitCode the exit code of the command
   */
  constructor(message, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Thrown when Ctrl-C or a signal stops the command. */
export class Interruption extends Failure {
  /** @param {"SIGINT" | "SIGTERM" | "SIGHUP"} signal */
  constructor(signal) {
    const numbers = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 };
    super("Interrupted.", 128 + numbers[signal]);
  }
}
