// @ts-check
// Loaded into the processes of a test by NODE_OPTIONS: a network that has no downloads, so that
// what happens then is the same on every machine.
globalThis.fetch = () => Promise.reject(new TypeError("fetch failed"));
