import assert from "node:assert/strict";
import fc from "fast-check";
import { clusterStrings } from "../../connection-strings/src";
import type { Client } from "../../provider/src/service/client";
import { ApiError, ResponseError } from "../../provider/src/service/errors";
import { readResponse, responseError } from "../../provider/src/service/responses";
import {
  type ClusterRecord,
  accessToken,
  clusterReader,
  pageOf,
  privateIpMode,
  rootEntity,
} from "../../provider/src/service/schemas";
import { type ForeignService, foreignService } from "../support/foreignService";
import { testClient } from "../unit/service/testClient";
import { hostileJson, hostileName, hostileText, jsonText, mutated } from "./hostile";
import { assertSafeMessage, isOneOf, outcomeOf, plantedSecret, property } from "./properties";

const cluster = {
  id: "64a0c0ffee0000000000c001",
  name: "orders",
  clusterType: "SHARDED",
  stateName: "IDLE",
  dbVersion: "7.0.12",
  dbMajorVersion: "7.0",
  connectionStrings: {
    standard: "db://orders-shard-00-00.ab1cd.db.example:27017",
    standardSrv: "db+srv://orders.ab1cd.db.example",
    privateEndpoint: [
      {
        connectionString: "db://pl-0-us-east-1.ab1cd.db.example:1024",
        srvConnectionString: "db+srv://pl-0-us-east-1.ab1cd.db.example",
        endpoints: [{ endpointId: "vpce-1", providerName: "A", region: "US_EAST_1" }],
      },
    ],
    awsPrivateLink: { "vpce-1": "db://pl-0-us-east-1.ab1cd.db.example:1024" },
  },
};
const link = { rel: "next", href: "/api/service/v1.0/groups/p/clusters?pageNum=2" };

/** Bodies of every kind of response. */
const bodies = jsonText(
  mutated(
    fc.constantFrom<unknown>(
      { results: [cluster], totalCount: 1, links: [link] },
      { results: [cluster, { ...cluster, name: "other" }] },
      { status: 200, content: { enabled: true } },
      { enabled: true },
      { access_token: "t0ken", expires_in: 3600, token_type: "Bearer" },
      { links: [link] },
      {
        error: 404,
        errorCode: "GROUP_NOT_FOUND",
        detail: `No project ${plantedSecret}.`,
        parameters: ["p", { a: [1] }],
        badRequestDetail: { fields: [{ field: "enabled", description: plantedSecret }] },
      },
    ),
    fc.oneof(hostileJson, fc.constantFrom(plantedSecret, `db://u:${plantedSecret}@h`)),
  ),
);

const statuses = fc.oneof(
  fc.constantFrom(200, 200, 200, 200, 201, 204, 301, 400, 401, 403, 404, 406, 409, 429, 500, 503),
  fc.integer({ min: 200, max: 599 }),
);

/** Values that are valid in an HTTP header: printable Latin-1 characters and tabs. */
const headerValue = fc.oneof(
  hostileText.map((text) =>
    text
      .replace(/[^\t\x20-\x7e\x80-\xff]/g, "")
      .slice(0, 2000)
      .trim(),
  ),
  fc.constantFrom("0", "1.5", "9".repeat(400), "-1", "Wed, 21 Oct 2099 07:28:00 GMT", "1e3"),
  fc.constantFrom(
    'Digest realm="r", nonce="\xe9\xff", qop="auth"',
    'Digest realm="r", nonce="n", qop="auth", stale=true',
  ),
);

const headers = fc.dictionary(
  fc.constantFrom(
    ...["retry-after", "www-authenticate", "location"],
    ...["content-type", "x-other"],
  ),
  headerValue,
  { noNullPrototype: true },
);

const response = fc.record({ status: statuses, headers, body: bodies }, { noNullPrototype: true });

function assertRecord({ connectionStrings, ...texts }: ClusterRecord): void {
  for (const text of Object.values(texts)) {
    assert.ok(text === undefined || (typeof text === "string" && text !== ""));
  }
  const { privateEndpoints, others = {}, ...strings } = clusterStrings(connectionStrings);
  for (const text of Object.values({ ...strings, ...others })) assert.equal(typeof text, "string");
  assert.ok(Array.isArray(privateEndpoints));
}

describe("invalid or malicious responses", () => {
  property("match the schema, or cause an ApiError without the credentials", {
    inputs: response,
    check: async ({ status, headers: sent, body }) => {
      const request = { method: "GET", path: `/p?k=${plantedSecret}`, attempt: 1 } as const;
      const lists = Object.fromEntries(Object.entries(sent).map(([name, text]) => [name, [text]]));
      const received = { status, headers: lists, body, secrets: [plantedSecret] };
      const documented = isOneOf(ApiError);
      const page = pageOf(clusterReader("db"));
      const list = await outcomeOf(() => readResponse(request, received, page), documented);
      if (list.kind === "value") {
        for (const each of list.value.results) assertRecord(each);
      }
      const mode = await outcomeOf(
        () => readResponse(request, received, privateIpMode),
        documented,
      );
      if (mode.kind === "value") assert.equal(typeof mode.value.enabled, "boolean");
      const token = await outcomeOf(() => readResponse(request, received, accessToken), documented);
      if (token.kind === "value") assert.ok(token.value.expires_in > 0);
      await outcomeOf(() => readResponse(request, received, rootEntity), documented);
      const error = responseError(request, received);
      assertSafeMessage(error.message);
      const seconds = error.retryAfterSeconds;
      assert.ok(seconds === undefined || seconds >= 1, `${seconds} s`);
    },
  });

  describe("over HTTPS", () => {
    let service: ForeignService;
    let responses: { status: number; headers: Record<string, string>; body: string }[] = [];

    before(async () => {
      service = await foreignService((_request, outgoing) => {
        const next = responses.shift() ?? { status: 404, headers: {}, body: "{}" };
        outgoing.writeHead(next.status, next.headers).end(next.body);
      });
    });
    after(() => {
      service.stop();
    });

    const clientId = "svc_demo";
    const accounts = [
      { kind: "apiKey", publicKey: "demo", privateKey: plantedSecret },
      {
        kind: "serviceAccount",
        clientId,
        clientSecret: plantedSecret,
        tokenPath: "/token",
        revokePath: "/revoke",
      },
    ] as const;

    const calls: ((client: Client, projectId: string) => Promise<unknown>)[] = [
      async (client, projectId) => {
        const { records } = await client.listClusters(projectId);
        for (const each of records) assertRecord(each);
      },
      async (client, projectId) => {
        const mode = await client.getPrivateIpMode(projectId);
        assert.ok(mode === undefined || typeof mode === "boolean");
      },
      async (client, projectId) => {
        assert.equal(typeof (await client.patchPrivateIpMode(projectId, false, 1)), "boolean");
      },
      (client) => client.isApiRootValid(),
      (client) => client.listProjects(),
      (client, projectId) => client.requireProject(projectId),
    ];

    property("resolve a call of the client, or reject it with an ApiError", {
      slowness: 5,
      inputs: fc.record({
        credentials: fc.constantFrom(...accounts),
        call: fc.constantFrom(...calls),
        projectId: fc.oneof(
          fc.constant("p"),
          hostileName.map((name) => name.slice(0, 500)),
        ),
        next: fc.array(response, { maxLength: 4 }),
      }),
      examples: calls.map((call) => ({
        credentials: accounts[0],
        call,
        projectId: "\udc00",
        next: [],
      })),
      check: async ({ credentials, call, projectId, next }) => {
        const requestsBefore = service.requests.length;
        responses = next.map((each) => ({ ...each }));
        const retryPolicy = { retries: 1, wait: () => Promise.resolve() };
        const client = testClient(service, { credentials, retryPolicy, requestsPerMinute: 1e9 });
        await outcomeOf(() => call(client, projectId), isOneOf(ApiError, ResponseError));
        const sent = service.requests.slice(requestsBefore);
        assert.ok(sent.length <= 40, `${sent.length} requests`);
        // The client returns the tokens and follows the links of the service.
        if (next.some(({ body }) => body.includes(plantedSecret))) return;
        for (const { path, headers: received, body } of sent) {
          assert.ok(!`${path}${received.authorization ?? ""}${body}`.includes(plantedSecret));
        }
      },
    });
  });
});
