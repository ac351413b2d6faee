import assert from "node:assert/strict";
import { type RequestOptions, request } from "node:https";
import type { Fault } from "../../../simulator/src";
import { useService } from "../../support/service";
import { apiPath, call, clustersPath, json, send } from "./client";
import { seedOf } from "./seeds";

const rounds = 5;
const list = `${apiPath}${clustersPath}`;
const basic = `Basic ${Buffer.from("svc_demo:svc-secret").toString("base64")}`;
const form = { "content-type": "application/x-www-form-urlencoded", authorization: basic };
const tokenRequest = {
  method: "POST",
  headers: form,
  body: "grant_type=client_credentials",
};

interface Case {
  readonly title: string;
  readonly path: string;
  readonly method?: string;
  /** Default: an access token. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly fault?: Fault;
  readonly status: number;
}

/** Requests with every kind of response. */
const cases: readonly Case[] = [
  { title: "a challenge", path: list, headers: {}, status: 401 },
  { title: "a list that fills the buffers", path: `${list}?itemsPerPage=500`, status: 200 },
  { title: "an unsupported method", method: "DELETE", path: list, status: 405 },
  { title: "a token", path: "/api/oauth/token", ...tokenRequest, status: 200 },
  { title: "an injected error", path: list, fault: { status: 503 }, status: 503 },
  { title: "a truncated response", path: list, fault: { truncate: true }, status: 200 },
];

describe("the request log", () => {
  const seed = seedOf(Array.from({ length: 500 }, (_, at) => ({ name: `c${at}` })));
  const roles = [{ role: "owner" as const }];
  const account = { clientId: "svc_demo", clientSecret: "svc-secret", roles };
  const organizations = seed.organizations?.map((organization) => ({
    ...organization,
    serviceAccounts: [account],
  }));
  const service = useService({ ...seed, organizations }, { requestsPerMinute: Infinity });

  /** Sends a request, and returns the status in the log when its response begins. */
  const statusInLog = (path: string, options: RequestOptions, body = "") =>
    new Promise<number | undefined>((resolve, reject) => {
      const url = new URL(path, service.url);
      const outgoing = request(url, { ...options, ca: service.ca, agent: false }, (incoming) => {
        resolve(service.requests.at(-1)?.status);
        // A truncated response resets the connection.
        incoming.on("error", () => undefined).resume();
      });
      outgoing.on("error", reject).end(body);
    });

  for (const { title, path, method = "GET", body, fault, status, ...own } of cases) {
    it(`contains the request and its status before the first byte of ${title}`, async () => {
      const issued = json<{ access_token: string }>(
        await send(service, "/api/oauth/token", tokenRequest),
      );
      const headers = own.headers ?? { authorization: `Bearer ${issued.access_token}` };
      for (let round = 0; round < rounds; round += 1) {
        if (fault) service.faults.push(fault);
        assert.equal(await statusInLog(path, { method, headers }, body), status);
      }
    });
  }

  it("contains a delayed request with status 0 until its response is sent", async () => {
    const { requests, faults } = service;
    faults.push({ delayMs: 300 });
    const response = call(service, clustersPath);
    while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(
      requests.map(({ status, operation, faulty }) => ({ status, operation, faulty })),
      [{ status: 0, operation: "listClusters", faulty: true }],
    );
    await response;
    assert.deepEqual(
      requests.map(({ status }) => status),
      [401, 200],
    );
  });

  it("does not contain a request that arrived before a reset, even if its response is sent later", async () => {
    const { requests, faults } = service;
    faults.push({ delayMs: 100 });
    const response = send(service, list);
    while (requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    service.simulator.reset();
    assert.equal((await response).status, 401);
    assert.deepEqual(requests, []);
  });
});
