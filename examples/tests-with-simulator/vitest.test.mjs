import { startSimulator } from "clouddb-simulator";
import { credentials, fixtures, projectId } from "clouddb-simulator/fixtures";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { createClient } from "./clusters";

let service;
let client;

beforeAll(async () => {
  service = await startSimulator({ seed: fixtures.peered });
});
beforeEach(() => {
  service.reset();
  const { clientId, clientSecret } = credentials;
  client = createClient({ url: service.url, ca: service.ca, clientId, clientSecret });
});
afterEach(() => client.close());
afterAll(() => service.stop());

test("reads the connection strings of peered clusters", async () => {
  const clusters = await client.listClusters(projectId);
  expect(clusters.map(({ name }) => name)).toEqual(["orders", "billing", "reports"]);
  expect(clusters[0].connectionStrings.privateSrv).toMatch(/^db\+srv:\/\/orders-pri\./);
});

test("signs in once for several requests", async () => {
  await client.listClusters(projectId);
  await client.listClusters(projectId);
  expect(service.requests.map(({ operation }) => operation)).toEqual([
    "issueToken",
    "listClusters",
    "listClusters",
  ]);
});

test("fails when the service stays unavailable", async () => {
  service.faults.push({ method: "GET", status: 503, times: Infinity });
  await expect(client.listClusters(projectId)).rejects.toThrow("status 503");
  expect(service.requests.filter(({ faulty }) => faulty)).toHaveLength(3);
});
