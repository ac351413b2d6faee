// @ts-check
/** Makes every download fail in the processes that load it through NODE_OPTIONS. */
Object.assign(globalThis, { fetch: () => Promise.reject(new TypeError("fetch failed")) });
