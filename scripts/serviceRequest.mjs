// @ts-check
/** Sends requests to the simulator. */
import fs from "node:fs";
import https from "node:https";

const timeout = 5_000;

/**
 * Sends a request. The body of a POST is an empty JSON object.
 * @param {import("./demoSimulator.mjs").Service} service
 * @param {"GET" | "POST"} method
 * @param {string} path
 * @returns {Promise<number | undefined>} the status of the response
 * @throws if there is no response, or the server's certificate is not signed by the CA
 */
export async function requestStatus({ url, caFile }, method, path) {
  const ca = fs.readFileSync(caFile);
  const headers = { "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const request = https.request(new URL(path, url), { method, ca, headers, timeout });
    request.once("response", (response) => {
      response.resume();
      response.once("end", () => resolve(response.statusCode));
    });
    request.once("timeout", () => request.destroy(new Error(`No response within ${timeout} ms.`)));
    request.once("error", reject);
    request.end(method === "POST" ? "{}" : undefined);
  });
}
