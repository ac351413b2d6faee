// @ts-check
/**
 * Keeps the coverage of processes that are ended by SIGTERM, such as Mocha's workers and the provider processes.
 * Otherwise, Node.js writes it only when a process exits. Loaded into each process by NODE_OPTIONS.
 */
const process = require("node:process");

process.on("SIGTERM", () => {
  // A process with another listener ends by itself.
  if (process.listenerCount("SIGTERM") === 1) process.exit(143);
});
