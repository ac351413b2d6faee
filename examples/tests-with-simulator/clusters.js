/** The code under test, a small client of the service that authenticates as a service account. */
const { setTimeout: sleep } = require("node:timers/promises");
const { Agent, fetch } = require("undici");

/** Creates a client. `ca` is for a service whose certificate is not signed by a public authority. */
function createClient({ url, clientId, clientSecret, ca }) {
  const dispatcher = new Agent({ connect: { ca } });
  let token;

  async function signIn() {
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
    const response = await fetch(`${url}/api/oauth/token`, {
      dispatcher,
      method: "POST",
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
    });
    if (!response.ok) throw new Error(`Signing in failed with status ${response.status}.`);
    return (await response.json()).access_token;
  }

  async function get(link, attempts = 3) {
    token ??= await signIn();
    const response = await fetch(new URL(link, url), {
      dispatcher,
      headers: { authorization: `Bearer ${token}` },
    });
    if (response.ok) return response.json();
    await response.body?.cancel();
    // The token expired, or the service is unavailable.
    if (response.status === 401) token = undefined;
    if (attempts > 1 && [401, 503].includes(response.status)) return get(link, attempts - 1);
    throw new Error(`GET ${link} failed with status ${response.status}.`);
  }

  const clustersPath = (projectId) => `/api/service/v1.0/groups/${projectId}/clusters`;

  return {
    /** Returns the clusters of a project from all pages. */
    async listClusters(projectId) {
      const clusters = [];
      let link = `${clustersPath(projectId)}?itemsPerPage=500`;
      while (link) {
        const page = await get(link);
        clusters.push(...page.results);
        link = page.links.find(({ rel }) => rel === "next")?.href;
      }
      return clusters;
    },

    /** Waits until a cluster is IDLE, and returns it. */
    async waitUntilIdle(projectId, name, pollMilliseconds = 1000) {
      for (;;) {
        const cluster = await get(`${clustersPath(projectId)}/${name}`);
        if (cluster.stateName === "IDLE") return cluster;
        await sleep(pollMilliseconds);
      }
    },

    /** Closes the connections. */
    close: () => dispatcher.close(),
  };
}

module.exports = { createClient };
