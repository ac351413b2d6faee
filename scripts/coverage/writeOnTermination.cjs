// @ts-check
/** Keeps the coverage of processes that SIGTERM ends, for which Node.js writes none. */
const process = require("node:process");

process.on("SIGTERM", () => {
  // A process with another listener ends by itself.
  if (process.listenerCount("SIGTERM") === 1) process.exit(143);
});
