import assert from "node:assert/strict";
import type { Simulator } from "clouddb-simulator";
import fc from "fast-check";
import { projectId, quickstartSeed, startService } from "../service";
import { type Response, json, send } from "../unit/simulator/client";
import { hostileName, hostileText, jsonText, mutated } from "./hostile";
import { property } from "./properties";

const api = "/api/service/v1.0";
const project = `${api}/groups/${projectId}`;

const cluster = {
  name: "new",
  clusterType: "SHARDED",
  dbMajorVersion: "7.0",
  regions: ["us-east-1"],
  providerName: "A",
  diskSizeGB: 10,
};

/** Encodes text for a path; lone surrogates cannot be encoded. */
const encoded = hostileName.map((text) =>
  encodeURIComponent(Buffer.from(text).toString()).slice(0, 4000),
);

/** Text that a client can send without encoding it. */
const unencoded = hostileText.map((text) => text.replace(/[^!-~]/g, "").slice(0, 2000));

const paths = fc.oneof(
  fc.constantFrom(
    ...[api, `${api}/groups`, project, `${project}/clusters`, `${project}/clusters/orders`],
    ...[`${project}/privateIpMode`, `${project}/clusters/new`],
  ),
  fc.tuple(fc.constantFrom(`${api}/groups/`, `${project}/clusters/`, `${api}/`), encoded).map(join),
  fc.tuple(fc.constantFrom(`${api}/groups/`, `${project}/`, "/x"), unencoded).map(join),
);

const query = fc
  .array(
    fc.tuple(
      fc.oneof(fc.constantFrom("pageNum", "itemsPerPage", "includeCount", "pretty"), encoded),
      fc.oneof(fc.constantFrom("1", "0", "true", "1e9", "9999999999"), encoded, unencoded),
    ),
    { maxLength: 3 },
  )
  .map((pairs) => (pairs.length === 0 ? "" : `?${pairs.map((pair) => pair.join("=")).join("&")}`));

const bodies = jsonText(
  mutated(fc.constantFrom<unknown>(cluster, { enabled: false }, { name: "orders", groupId: "x" })),
);

const contentTypes = fc.oneof(
  { weight: 4, arbitrary: fc.constant("application/json") },
  { weight: 1, arbitrary: unencoded.map((text) => text.slice(0, 200)) },
);

const controlPaths = fc.oneof(
  fc.constantFrom("faults", "clock", "reset", "tokens", "requests"),
  fc.constantFrom(
    ...[`projects/${projectId}`, `projects/${projectId}/clusters/orders`, "projects"],
    ...[`projects/${projectId}/privateIpMode`, `projects/${projectId}/clusters`],
  ),
  encoded,
);

const controlBodies = jsonText(
  mutated(
    fc.constantFrom<unknown>(
      [{ method: "GET", path: "/none", status: 503, times: 1 }],
      [{ pathPattern: "^/none$", delaySeconds: 0, status: 500 }],
      { advanceSeconds: 60 },
      { enabled: true },
      { version: "6.0.5" },
      {},
    ),
  ),
);

const methods = fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

function join(parts: readonly string[]): string {
  return parts.join("");
}

describe("hostile requests to the simulator", () => {
  let service: Simulator;
  let authorization: string;

  before(async () => {
    const seed = quickstartSeed();
    const roles = [{ role: "owner" as const }];
    const account = { clientId: "svc_fuzz", clientSecret: "secret", roles };
    seed.organizations?.[0]?.serviceAccounts?.push(account);
    if (seed.organizations?.[0] !== undefined) seed.organizations[0].serviceAccounts ??= [account];
    service = await startService(seed, { requestsPerMinute: Infinity, control: true });
  });
  after(() => service.stop());

  /** Restores the seed, and gets a token, which the reset revokes. */
  async function reset(): Promise<void> {
    service.reset();
    const basic = Buffer.from("svc_fuzz:secret").toString("base64");
    const response = await send(service, "/api/oauth/token", {
      method: "POST",
      headers: {
        authorization: `Basic ${basic}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: "grant_type=client_credentials",
    });
    authorization = `Bearer ${json<{ access_token: string }>(response).access_token}`;
  }

  /** Fails if a response is not the documented one for some request. */
  function assertDocumented({ status, text, headers }: Response, method: string): void {
    const documented = [200, 201, 202, 204, 400, 401, 403, 404, 405, 406, 409, 414, 429];
    assert.ok(documented.includes(status), `${status}: ${text}`);
    if (method === "HEAD" || status === 204) return;
    // The status page and its parts.
    if (status === 200 && !headers["content-type"]?.includes("json")) return;
    const body: unknown = JSON.parse(text);
    if (status < 400) return;
    assert.ok(typeof body === "object" && body !== null);
    const error = "content" in body ? body.content : body;
    assert.ok(typeof error === "object" && error !== null);
    assert.ok("errorCode" in error && typeof error.errorCode === "string", text);
    assert.ok("detail" in error && typeof error.detail === "string", text);
  }

  property("get a documented response from the API", {
    subject: "requests to the simulator",
    slowness: 5,
    inputs: fc.tuple(methods, paths, query, contentTypes, bodies),
    check: async ([method, path, search, contentType, body]) => {
      await reset();
      const headers = { authorization, "content-type": contentType };
      const hasBody = !["GET", "HEAD"].includes(method);
      const sending = { method, headers, ...(hasBody ? { body } : {}) };
      assertDocumented(await send(service, `${path}${search}`, sending), method);
      // The service still works.
      const list = await send(service, `${project}/clusters`, { headers: { authorization } });
      assert.equal(list.status, 200, list.text);
    },
  });

  property("get a documented response from the control endpoint", {
    subject: "requests to the simulator",
    slowness: 5,
    inputs: fc.tuple(
      fc.constantFrom("GET", "POST", "PATCH", "PUT", "DELETE"),
      controlPaths,
      controlBodies,
    ),
    check: async ([method, path, body]) => {
      await reset();
      const headers = { "content-type": "application/json" };
      const hasBody = method !== "GET";
      const sending = { method, headers, ...(hasBody ? { body } : {}) };
      assertDocumented(await send(service, `/control/${path}`, sending), method);
      service.faults.clear();
      const status = (await send(service, `${project}/clusters`, { headers: { authorization } }))
        .status;
      assert.ok([200, 401, 404].includes(status), `${status}`);
    },
  });

  property("get a response with any credentials", {
    subject: "requests to the simulator",
    slowness: 5,
    inputs: fc.tuple(
      fc.constantFrom("Digest ", "Bearer ", "Basic ", 'Digest username="demo", ', ""),
      fc.oneof(
        unencoded,
        fc
          .dictionary(
            fc.constantFrom("username", "realm", "nonce", "uri", "response", "nc", "cnonce", "qop"),
            unencoded.map((text) => text.slice(0, 500)),
          )
          .map((fields) =>
            Object.entries(fields)
              .map(([name, text]) => `${name}="${text}"`)
              .join(", "),
          ),
      ),
    ),
    check: async ([scheme, rest]) => {
      const headers = { authorization: `${scheme}${rest}`.trim() };
      const response = await send(service, `${project}/clusters`, { headers });
      assertDocumented(response, "GET");
      assert.ok([400, 401].includes(response.status), `${response.status}`);
    },
  });
});
