// Preloaded into the processes of an update: kills the provider's, at the point KILL_AT of all its
// requests. An odd point is when a request is about to be sent, the even one behind it when the
// answer has arrived and nothing has been done with it. No other process makes requests by undici.
const { subscribe } = require("node:diagnostics_channel");
const process = require("node:process");

let passed = 0;

function pass() {
  passed += 1;
  if (passed === Number(process.env.KILL_AT)) process.kill(process.pid, "SIGKILL");
}

subscribe("undici:request:create", pass);
subscribe("undici:request:headers", pass);
