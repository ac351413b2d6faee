// Preloaded into the processes of an update. Kills the provider process at a numbered point: 1 is before
// the first request is sent, 2 is when its response arrives, 3 is before the second request is sent, and
// so on. Only the provider process sends requests with undici.
const { subscribe } = require("node:diagnostics_channel");
const process = require("node:process");

let passed = 0;

function pass() {
  passed += 1;
  if (passed === Number(process.env.KILL_AT)) process.kill(process.pid, "SIGKILL");
}

subscribe("undici:request:create", pass);
subscribe("undici:request:headers", pass);
