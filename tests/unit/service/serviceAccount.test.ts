import assert from "node:assert/strict";
import type { Exchange, ServiceResponse } from "../../../provider/src/service/exchange";
import { revokeToken, withServiceAccount } from "../../../provider/src/service/serviceAccount";
import { respondWith, sendJson } from "../../support/foreignService";
import { projectId, seedWithAccount } from "../../support/service";
import { errorOf, setUpServices, testClient } from "./testClient";

const account = { clientId: "svc_demo", clientSecret: "svc-s3cret:%+ é" };

/** For a service with nonstandard paths. */
const credentials = {
  kind: "serviceAccount",
  tokenPath: "/token",
  revokePath: "/revoke",
  ...account,
} as const;

/** For the simulator. */
const simulated = {
  ...credentials,
  tokenPath: "/api/oauth/token",
  revokePath: "/api/oauth/revoke",
} as const;

describe("revoking a token", () => {
  for (const [status, code, advice] of [
    [401, "authentication", /Check clientId and clientSecret/],
    [404, "not-found", /This path does not revoke tokens/],
    [503, "server-error", /The error is on the service's side/],
  ] as const) {
    it(`says what to do after a ${status}`, async () => {
      const exchange = () => Promise.resolve({ status, headers: {}, body: "" });
      const error = await errorOf(revokeToken(credentials, "token", exchange));
      assert.equal(error.code, code);
      assert.match(error.message, advice);
    });
  }
});

describe("a service account", () => {
  const services = setUpServices(seedWithAccount(account));

  const clientOf = () => testClient(services.simulator, { credentials: simulated });

  const tokens = () =>
    services.simulator.requests.filter(({ path }) => path === "/api/oauth/token");

  it("fetches one token for concurrent requests", async () => {
    const client = clientOf();
    const listings = await Promise.all(
      Array.from({ length: 20 }, () => client.listClusters(projectId)),
    );
    assert.ok(listings.every(({ clusters }) => clusters.length === 4));
    assert.equal(tokens().length, 1);
  });

  it("fetches one new token after the service revoked the current one", async () => {
    const client = clientOf();
    await client.listClusters(projectId);
    services.simulator.revokeTokens();
    await Promise.all([client.listClusters(projectId), client.getPrivateIpMode(projectId)]);
    assert.equal(tokens().length, 2);
  });

  it("does not send a change again after a 401, and uses a new token for the next request", async () => {
    const client = clientOf();
    await client.listClusters(projectId);
    services.simulator.revokeTokens();
    const { code } = await errorOf(client.patchPrivateIpMode(projectId, false, 1));
    assert.equal(code, "authentication");
    assert.equal(tokens().length, 1);
    assert.equal(await client.patchPrivateIpMode(projectId, false, 2), false);
    assert.equal(tokens().length, 2);
  });

  it("sends a change with the token of the list before it, even if it should be renewed", async () => {
    let issued = 0;
    const client = await services.clientOf(
      ({ method, path, headers }, response) => {
        if (path === "/token") issued += 1;
        if (path === "/token")
          sendJson(response, 200, { access_token: `t${issued}`, expires_in: 1 });
        else if (method === "GET") sendJson(response, 200, { results: [], totalCount: 0 });
        else sendJson(response, 200, { enabled: headers.authorization !== "Bearer t1" });
      },
      { credentials },
    );
    await client.listClusters("p");
    await new Promise((resolve) => setTimeout(resolve, 950));
    assert.equal(await client.patchPrivateIpMode("p", false, 1), false);
    assert.equal(issued, 1);
  });

  for (const status of [404, 405]) {
    it(`reports a ${status} of the token endpoint, which says nothing about the setting`, async () => {
      services.simulator.faults.push({ method: "POST", status, times: Infinity });
      const { message } = await errorOf(clientOf().getPrivateIpMode(projectId));
      assert.match(message, /path does not issue tokens\. Check tokenPath/);
    });
  }

  it("fetches one new token for requests that are refused at the same time", async () => {
    let tokenRequests = 0;
    let refuseAll = () => {};
    const refusals = new Promise<void>((resolve) => (refuseAll = resolve));
    const respond = (status: number, body: object = {}) => {
      return { status, headers: {}, body: JSON.stringify(body) };
    };
    const exchange: Exchange = async ({ path, authorization }) => {
      if (path === "/token") {
        tokenRequests += 1;
        return respond(200, { access_token: `token-${tokenRequests}`, expires_in: 3600 });
      }
      if (authorization !== "Bearer token-1") return respond(200);
      await refusals;
      return respond(401);
    };
    const { exchange: send } = withServiceAccount(
      { ...account, tokenPath: "/token", revokePath: "/revoke" },
      exchange,
    );
    const request = { method: "GET", path: "/", attempt: 1 } as const;
    const responses = Promise.all([send(request), send(request), send(request)]);
    refuseAll();
    assert.deepEqual(
      (await responses).map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(tokenRequests, 2);
  });

  it("sends no request after a cancellation while its token is requested, except to revoke the token", async () => {
    const cancellation = new AbortController();
    const client = await services.clientOf(
      (_request, response) => {
        cancellation.abort();
        sendJson(response, 200, { access_token: "token", expires_in: 60 });
      },
      { credentials, retryPolicy: { cancelled: cancellation.signal } },
    );
    const { code } = await errorOf(client.patchPrivateIpMode("p", false, 1));
    await client.close();
    assert.equal(code, "cancelled");
    assert.deepEqual(
      services.requests.map(({ path }) => path),
      ["/token", "/revoke"],
    );
  });

  it("reports the error_description of a refused token request", async () => {
    const error = await services.listError(
      (_request, response) => {
        const description = "The secret expired on 1 May.";
        sendJson(response, 400, { error: "invalid_client", error_description: description });
      },
      { credentials },
    );
    assert.match(error.message, / 400: "The secret expired on 1 May\.".*\(POST \/token\)$/);
  });

  it("fetches one new token after the current one expired according to the service's clock", async () => {
    const client = clientOf();
    await client.listClusters(projectId);
    services.simulator.clock.advanceSeconds(24 * 3600);
    await client.listClusters(projectId);
    assert.equal(tokens().length, 2);
  });

  it("retries a token request after a transient failure", async () => {
    services.simulator.faults.push({ path: "/api/oauth/token", status: 503 });
    assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
  });

  for (const lifetime of ["1e308", "9007199254740993", "1e9"]) {
    it(`renews a token with expires_in ${lifetime} after a day`, async () => {
      const client = await services.clientOf(
        ({ path }, response) => {
          const token = `{"access_token": "token", "expires_in": ${lifetime}}`;
          sendJson(response, 200, path === "/token" ? token : { results: [] });
        },
        { credentials },
      );
      const now = Date.now;
      try {
        await client.listClusters("p");
        Date.now = () => now() + 22 * 3600 * 1000;
        await client.listClusters("p");
      } finally {
        Date.now = now;
      }
      assert.equal(services.requests.filter(({ path }) => path === "/token").length, 2);
    });
  }

  const invalid = /^the access token contains characters that are invalid in an HTTP h/;
  for (const [what, token, message] of [
    ["with a line break", "a\nb", invalid],
    ["with a letter outside ASCII", "é", invalid],
    [
      "of 10,000 characters",
      "x".repeat(10_000),
      /^the access token is longer than 8192 characters\. Check that tokenPath and/,
    ],
  ] as const) {
    it(`rejects a token ${what}`, async () => {
      const error = await services.listError(
        respondWith(200, { access_token: token, expires_in: 3600 }),
        { credentials },
      );
      assert.equal(error.code, "malformed-response");
      assert.match(error.message, message);
    });
  }
});

/** Sends a request with a service account whose token request gets a response. */
function sendWith(response: Pick<ServiceResponse, "status" | "body">) {
  const { exchange } = withServiceAccount(
    { ...account, tokenPath: "/token", revokePath: "/revoke" },
    () => Promise.resolve({ headers: {}, ...response }),
  );
  return exchange({ method: "GET", path: "/clusters", attempt: 1 });
}

describe("the error after a failed token request", () => {
  const limit = '{"detail":"Access Token limit reached","errorCode":"ANY"}';
  for (const [status, body, message] of [
    [
      200,
      "<p>",
      "it is not JSON (HTML). Check that baseUrl and tokenPath are those of the service.",
    ],
    [401, "{}", "The service account was refused. Check clientId and clientSecret, and that"],
    [403, "{}", "Check that the service account is active and may request tokens, and that its"],
    [403, limit, '403 ANY: "Access Token limit reached". The service account has too many active'],
    [404, "{}", "This path does not issue tokens. Check tokenPath and baseUrl."],
    [406, "{}", "This path does not issue tokens. Check tokenPath and baseUrl."],
    [429, "{}", "Too many token requests in a short time. Share one token between all processes:"],
  ] as const) {
    it(`with ${status} ${body} says: ${message}`, async () => {
      await assert.rejects(sendWith({ status, body }), (error: Error) =>
        error.message.includes(message),
      );
    });
  }
});

describe("the end of a client with a service account", () => {
  const services = setUpServices(seedWithAccount(account));

  it("revokes its token once, and a later request gets a new one", async () => {
    const client = testClient(services.simulator, { credentials: simulated });
    await client.listClusters(projectId);
    assert.equal(services.simulator.activeTokens(), 1);
    await Promise.all([client.close(), client.close()]);
    assert.equal(services.simulator.activeTokens(), 0);
    const ofTokens = services.simulator.requests.filter(({ path }) => path.includes("/oauth/"));
    assert.deepEqual(
      ofTokens.map(({ operation, status }) => [operation, status]),
      [
        ["issueToken", 200],
        ["revokeToken", 200],
      ],
    );
    await client.listClusters(projectId);
    assert.equal(services.simulator.activeTokens(), 1);
  });

  it("revokes only the current token after a 401 that was about the project [5 rule 5]", async () => {
    const client = testClient(services.simulator, { credentials: simulated });
    services.simulator.faults.push({ path: /clusters$/, status: 401, times: 2 });
    assert.equal((await errorOf(client.listClusters(projectId))).code, "authentication");
    assert.equal(services.simulator.activeTokens(), 2);
    await client.close();
    assert.equal(services.simulator.activeTokens(), 1);
  });

  it("sends nothing without a token", async () => {
    await testClient(services.simulator, { credentials: simulated }).close();
    assert.equal(services.simulator.requests.length, 0);
  });

  it("is not affected by a service that cannot revoke tokens, and ends after a second if it hangs", async () => {
    const client = testClient(services.simulator, { credentials: simulated });
    for (const fault of [{ status: 404 }, { status: 500 }, { delayMs: 10_000 }]) {
      await client.listClusters(projectId);
      services.simulator.faults.push({ path: "/api/oauth/revoke", ...fault });
      const started = Date.now();
      await client.close();
      assert.ok(Date.now() - started < 5000);
    }
  });

  it("requests and revokes tokens as JSON, whatever mediaType says", async () => {
    const accepted: (string | undefined)[] = [];
    const client = await services.clientOf(
      ({ path, headers }, response) => {
        accepted.push(headers.accept);
        const token = { access_token: "token", expires_in: 60 };
        sendJson(response, 200, path.includes("oauth") ? token : { results: [] });
      },
      { credentials: simulated, mediaType: "application/vnd.clouddb.2023-01-01+json" },
    );
    await client.listClusters("p");
    await client.close();
    const json = "application/json";
    assert.deepEqual([accepted.shift(), accepted.pop()], [json, json]);
    assert.deepEqual([...new Set(accepted)], ["application/vnd.clouddb.2023-01-01+json"]);
  });
});

describe("a given access token", () => {
  const services = setUpServices();
  const settings = { credentials: { kind: "accessToken", accessToken: "given-t0ken" } } as const;

  it("is sent with every request, and is never revoked", async () => {
    const client = await services.clientOf(respondWith(200, { results: [] }), settings);
    await client.listClusters("p");
    await client.close();
    const sent = services.requests.map(({ headers }) => headers.authorization);
    assert.deepEqual([...new Set(sent)], ["Bearer given-t0ken"]);
    assert.ok(services.requests.every(({ method }) => method === "GET"));
  });

  it("is refused with advice, without a retry and without the token", async () => {
    const error = await services.listError(
      ({ headers }, response) => {
        sendJson(response, 401, { detail: `${String(headers.authorization)} is wrong` });
      },
      { ...settings, retryPolicy: { retries: 3 } },
    );
    assert.match(
      error.message,
      /401: "\[redacted.*accessToken may have expired .*npx pulumi-clouddb/,
    );
    assert.equal(error.code, "authentication");
    assert.ok(!error.message.includes("t0ken"));
    assert.equal(services.requests.length, 1);
  });
});
