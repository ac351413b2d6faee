// Calls the service with mongodb-atlas-api-client, and prints the results as JSON: client.js <url> <project>.
const createClient = require("mongodb-atlas-api-client");

const [, , url, projectId] = process.argv;
const key = { publicKey: "demo", privateKey: "demo-secret" };
const { cluster } = createClient({ ...key, baseUrl: `${url}/api/atlas/v2`, projectId });
const Accept = "application/vnd.atlas.2024-08-05+json";
const httpOptions = { headers: { Accept } };

async function list(options) {
  const { results } = await cluster.getAll({ ...options, httpOptions });
  return results.map(({ name }) => name);
}

async function main() {
  const pages = [];
  for (const pageNum of [1, 2, 3]) pages.push(...(await list({ pageNum, itemsPerPage: 1 })));
  const json = { headers: { Accept, "Content-Type": "application/json" } };
  const result = {
    list: await list(),
    pages,
    version: (await cluster.get("sharded", { httpOptions })).mongoDBVersion,
    missing: (await cluster.get("missing", { httpOptions })).errorCode,
    created: (await cluster.create({ name: "new" }, { httpOptions: json })).stateName,
  };
  for (const name of ["new", "legacy"]) await cluster.delete(name, { httpOptions });
  console.log(JSON.stringify({ ...result, rest: await list() }));
}

void main();
