/**
 * Runs a command, and ends this process with the exit code that it returns. If it fails, prints the message
 * of the error, and ends with 1.
 */
export function exitWith(main: () => Promise<number>): void {
  process.exitCode = 1; // Until everything is done: Node.js exits early if a promise never settles.
  void main().then(
    (code) => {
      process.exitCode = code;
    },
    (error: unknown) => {
      console.error(error instanceof Error ? error.message : error);
    },
  );
}
