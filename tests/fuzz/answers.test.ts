import assert from "node:assert/strict";
import fc from "fast-check";
import { clusterStrings } from "../../connection-strings/src";
import { ApiError } from "../../provider/src/service/requestErrors";
import { readResponse, responseError } from "../../provider/src/service/responses";
import {
  type ClusterRecord,
  accessToken,
  clusterReader,
  pageOf,
  privateIpMode,
  rootEntity,
} from "../../provider/src/service/schemas";
import { mutated, unusualText } from "./inputs";
import { assertSafeMessage, outcomeOf, plantedSecret, property } from "./properties";

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

/** Bodies of every kind of response. */
const documentedBody = fc.constantFrom<unknown>(
  { results: [cluster], totalCount: 1, links: [{ rel: "next", href: "/clusters?pageNum=2" }] },
  { results: [cluster, { ...cluster, name: "other" }] },
  { enabled: true },
  { access_token: "t0ken", expires_in: 3600, token_type: "Bearer" },
  { links: [{ rel: "self", href: "/" }] },
  {
    error: 404,
    errorCode: "GROUP_NOT_FOUND",
    detail: `No project ${plantedSecret}.`,
    parameters: ["p", { a: [1] }],
    badRequestDetail: { fields: [{ field: "enabled", description: plantedSecret }] },
  },
);

/** Bodies from another version of the service, truncated bodies, and bodies from another server. */
const body = fc.oneof(
  {
    weight: 3,
    arbitrary: mutated(documentedBody).map((value) => JSON.stringify(value)),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(mutated(documentedBody), fc.nat({ max: 500 }))
      .map(([value, length]) => JSON.stringify(value).slice(0, length)),
  },
  { weight: 1, arbitrary: unusualText },
);

const response = fc.record(
  {
    status: fc.oneof(
      fc.constantFrom(200, 200, 200, 200, 201, 204, 301, 400, 401, 403, 404, 406, 409, 429, 503),
      fc.integer({ min: 200, max: 599 }),
    ),
    headers: fc.dictionary(
      fc.constantFrom("retry-after", "www-authenticate", "location", "content-type"),
      fc.oneof(unusualText, fc.constantFrom("0", "1.5", "Wed, 21 Oct 2099 07:28:00 GMT")),
      { noNullPrototype: true },
    ),
    body,
  },
  { noNullPrototype: true },
);

/** A version that is no text keeps its kind, because the guard names it. */
function assertRecord(record: ClusterRecord): void {
  const { connectionStrings, isPaused, version, majorVersion, ...texts } = record;
  assert.equal(typeof isPaused, "boolean");
  const versions = [version, majorVersion].map((field) =>
    typeof field === "object" ? field.kind : field,
  );
  for (const text of [...Object.values(texts), ...versions]) {
    assert.ok(text === undefined || (typeof text === "string" && text !== ""));
  }
  const { privateEndpoints, others = {}, ...strings } = clusterStrings(connectionStrings);
  for (const text of Object.values({ ...strings, ...others })) assert.equal(typeof text, "string");
  assert.ok(Array.isArray(privateEndpoints));
}

describe("responses of another version of the service, or of another server", () => {
  property("match the schema, or cause an ApiError without the credentials", {
    inputs: response,
    check: ({ status, headers: sent, body: text }) => {
      const request = {
        method: "GET",
        path: `/p?k=${plantedSecret}`,
        accept: "application/json",
        attempt: 1,
      } as const;
      const headers = Object.fromEntries(
        Object.entries(sent).map(([name, value]) => [name, [value]]),
      );
      const received = { status, headers, body: text, secrets: [plantedSecret] };
      const page = pageOf(clusterReader("db"), "totalCount");
      const list = outcomeOf(() => readResponse(request, received, page), ApiError);
      if (list.kind === "value") {
        for (const record of list.value.results) assertRecord(record);
      }
      const mode = outcomeOf(() => readResponse(request, received, privateIpMode), ApiError);
      if (mode.kind === "value") assert.equal(typeof mode.value.enabled, "boolean");
      const token = outcomeOf(() => readResponse(request, received, accessToken), ApiError);
      if (token.kind === "value") assert.ok(token.value.expires_in > 0);
      outcomeOf(() => readResponse(request, received, rootEntity), ApiError);
      const error = responseError(request, received);
      assertSafeMessage(error.message);
      const seconds = error.retryAfterSeconds;
      assert.ok(seconds === undefined || seconds >= 1, `${seconds} s`);
    },
  });
});
