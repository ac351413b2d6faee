// Preloaded into a provider process. Throws an uncaught exception when it receives SIGHUP.
const process = require("node:process");

process.once("SIGHUP", () => {
  throw new Error("the crash of a test");
});
