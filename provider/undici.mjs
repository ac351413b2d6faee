// @ts-check
// The parts of undici in the bundles of provider/ and plugin/ (docs/decisions/0014-start-up.md).

/**
 * The parts of undici that api/transport.ts uses. A process loads only one of them, on its first
 * request. A part adds the listed methods to the agent, as undici's index.js does. The rest of
 * undici, which includes fetch and WebSocket, would more than double the load time.
 */
export const undiciParts = {
  Agent: { file: "agent", methods: ["request"] },
  // `connect` opens a tunnel through the proxy.
  EnvHttpProxyAgent: { file: "env-http-proxy-agent", methods: ["request", "connect"] },
};

/**
 * Returns a module that contains one part of undici.
 * @param {{ file: string, methods: string[] }} part
 */
export function undiciSource({ file, methods }) {
  const added = methods.map((method) => `${method}: require("undici/lib/api/api-${method}")`);
  return `
    const { prototype } = require("undici/lib/dispatcher/dispatcher");
    Object.assign(prototype, { ${added.join(", ")} });
    module.exports = require("undici/lib/dispatcher/${file}");`;
}
