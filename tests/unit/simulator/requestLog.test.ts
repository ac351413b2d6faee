import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:tls";
import type { Fault } from "clouddb-simulator";
import { useService } from "../../support/service";
import { apiPath, call, clustersPath, modePath, send } from "./client";
import { seedOf } from "./seeds";

const rounds = 5;
const list = `${apiPath}${clustersPath}`;
const account = { clientId: "svc_demo", clientSecret: "svc-secret" };
const basic = Buffer.from(`${account.clientId}:${account.clientSecret}`).toString("base64");

interface Case {
  readonly title: string;
  readonly line: string;
  readonly status: number;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly fault?: Fault;
}

/** Requests with every kind of response. `BEARER` stands for an access token. */
const cases: readonly Case[] = [
  { title: "a challenge", line: `GET ${list}`, status: 401, headers: [] },
  {
    title: "a list that fills the buffers of the connection",
    line: `GET ${list}?itemsPerPage=500`,
    status: 200,
  },
  { title: "an unsupported method", line: `DELETE ${list}`, status: 405 },
  {
    title: "a change",
    line: `PATCH ${apiPath}${modePath}`,
    status: 200,
    headers: ["authorization: BEARER", "content-type: application/json"],
    body: '{"enabled":true}',
  },
  {
    title: "a token",
    line: "POST /api/oauth/token",
    status: 200,
    headers: [`authorization: Basic ${basic}`, "content-type: application/x-www-form-urlencoded"],
    body: "grant_type=client_credentials",
  },
  { title: "an injected error", line: `GET ${list}`, status: 503, fault: { status: 503 } },
  { title: "a truncated response", line: `GET ${list}`, status: 200, fault: { truncate: true } },
];

describe("the request log", () => {
  const seed = seedOf(Array.from({ length: 500 }, (_, at) => ({ name: `c${at}` })));
  const roles = [{ role: "owner" as const }];
  const [organization] = seed.organizations ?? [];
  assert.ok(organization);
  const organizations = [{ ...organization, serviceAccounts: [{ ...account, roles }] }];
  const service = useService({ ...seed, organizations }, { requestsPerMinute: Infinity });

  /** Sends bytes over a new connection, and calls `onFirstByte` when the first byte of the response arrives. */
  async function exchange(bytes: string, onFirstByte: () => void): Promise<string> {
    const { url, ca } = service;
    const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", ca });
    let text = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      if (text === "") onFirstByte();
      text += chunk;
    });
    // A truncated response resets the connection.
    socket.on("error", () => undefined);
    socket.write(bytes);
    await once(socket, "close");
    return text;
  }

  function rawRequest({ line, headers = ["authorization: BEARER"], body = "" }: Case, token = "") {
    const head = [
      `${line} HTTP/1.1`,
      "host: localhost",
      "connection: close",
      `content-length: ${Buffer.byteLength(body)}`,
      ...headers.map((header) => header.replace("BEARER", `Bearer ${token}`)),
    ];
    return `${head.join("\r\n")}\r\n\r\n${body}`;
  }

  async function issueToken(): Promise<string> {
    const tokenCase = cases.find(({ title }) => title === "a token");
    assert.ok(tokenCase);
    const text = await exchange(rawRequest(tokenCase), () => undefined);
    return /"access_token":"([^"]+)"/.exec(text)?.[1] ?? "";
  }

  for (const each of cases) {
    it(`contains the request and its status before the first byte of ${each.title}`, async () => {
      const token = await issueToken();
      const bytes = rawRequest(each, token);
      const { requests, faults } = service;
      for (let round = 0; round < rounds; round += 1) {
        if (each.fault) faults.push(each.fault);
        const before = requests.length;
        let statuses: number[] = [];
        await exchange(bytes, () => {
          statuses = requests.slice(before).map(({ status }) => status);
        });
        assert.deepEqual(statuses, [each.status]);
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
