/**
 * Measures how long listing 1,200 clusters takes at 30 ms latency: with the client, and with undici
 * alone. Both send the same four requests, signed with HTTP digest, one after the other: one for the
 * challenge and one for each of three pages.
 */
import { createSecureContext } from "node:tls";
import type { Simulator } from "clouddb-simulator";
import { Agent, request } from "undici";
import { createClient } from "../../provider/src/api/client";
import {
  type DigestChallenge,
  authorization,
  chooseChallenge,
} from "../../provider/src/api/digest";
import { key, projectId } from "../../tests/service";
import { setLatency, withService } from "./service";
import { alternate, median, milliseconds } from "../statistics";

/** The time of a listing: of the bare requests, and with the client. */
export interface ListingResult {
  readonly runs: number;
  /** Medians, in milliseconds. */
  readonly bare: number;
  readonly client: number;
}

const clusters = 1200;
const latency = 30;
const apiPath = "/api/service/v1.0";

/** Measures both in alternation. */
export async function measureListing(runs: number): Promise<ListingResult> {
  return withService(clusters, async (service) => {
    setLatency(service, latency);
    const { bare, client } = await alternate(runs, {
      bare: () => listBare(service),
      client: () => listByClient(service),
    });
    return { runs, bare: median(bare), client: median(client) };
  });
}

/** Measures a listing with a new client, which has no connection and no challenge yet. */
function listByClient(service: Simulator): Promise<number> {
  const client = createClient({
    baseUrl: new URL(service.url),
    extraCertificates: service.ca,
    apiPath,
    fieldPrefix: "db",
    mediaType: "application/json",
    contentType: "application/json",
    clusterPaths: [{ name: "clusters", isOptional: false }],
    requestTimeoutSeconds: 30,
    requestsPerMinute: 100,
    userAgent: "pulumi-clouddb/bench",
    credentials: { kind: "apiKey", ...key },
  });
  return milliseconds(async () => {
    const { clusters: listed } = await client.listClusters(projectId);
    requireAll(listed.length);
  });
}

/** Throws unless all clusters were listed: a failed listing is fast, so it must not be measured. */
function requireAll(listed: number): void {
  if (listed !== clusters) throw new Error(`Listed ${listed} clusters instead of ${clusters}.`);
}

/** Measures the bare requests, including parsing their responses as JSON. */
async function listBare(service: Simulator): Promise<number> {
  const dispatcher = new Agent({
    connect: { secureContext: createSecureContext({ ca: service.ca }) },
  });
  try {
    return await milliseconds(async () => {
      requireAll(await countBare(service.url, dispatcher));
    });
  } finally {
    await dispatcher.close();
  }
}

/** Sends the bare requests, and returns the number of clusters in the responses. */
async function countBare(url: string, dispatcher: Agent): Promise<number> {
  let challenge: DigestChallenge | undefined;
  let nonceCount = 0;
  let listed = 0;
  for (const page of [1, 1, 2, 3]) {
    const uri = `${apiPath}/groups/${projectId}/clusters?pageNum=${page}&itemsPerPage=500`;
    const signed =
      challenge === undefined
        ? {}
        : {
            authorization: authorization(key, challenge, {
              method: "GET",
              uri,
              nonceCount: (nonceCount += 1),
            }),
          };
    const headers = { accept: "application/json", ...signed };
    const response = await request(url + uri, { dispatcher, headers });
    const text = await response.body.text();
    challenge ??= chooseChallenge([String(response.headers["www-authenticate"])]);
    const { results = [] } = JSON.parse(text) as { results?: unknown[] };
    listed += results.length;
  }
  return listed;
}
