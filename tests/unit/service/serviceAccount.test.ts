import assert from "node:assert/strict";
import { mock } from "node:test";
import type { Exchange } from "../../../provider/src/service/exchange";
import { withServiceAccount } from "../../../provider/src/service/authentication";
import { respondWith } from "../../support/foreignService";
import { projectId, seedWithAccount, useService } from "../../support/service";
import { errorOf, testClient, useForeignClient } from "./testClient";

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

describe("a service account", () => {
  const service = useService(seedWithAccount(account));

  const clientOf = () => testClient(service, { credentials: simulated });

  const tokens = () => service.requests.filter(({ path }) => path === "/api/oauth/token");

  it("fetches one new token after the service revoked the current one", async () => {
    const client = clientOf();
    await client.listClusters(projectId);
    service.simulator.revokeTokens();
    await Promise.all([client.listClusters(projectId), client.getPrivateIpMode(projectId)]);
    assert.equal(tokens().length, 2);
  });

  it("does not send a change again after a 401, and uses a new token after the next read", async () => {
    const client = clientOf();
    await client.listClusters(projectId);
    service.simulator.revokeTokens();
    const { code } = await errorOf(client.enablePrivateIpMode(projectId, { attempt: 1 }));
    assert.equal(code, "authentication");
    assert.equal(tokens().length, 1);
    assert.equal(await client.getPrivateIpMode(projectId), true);
    assert.equal(await client.enablePrivateIpMode(projectId, { attempt: 2 }), true);
    assert.equal(tokens().length, 2);
  });

  it("reports a 404 of the token endpoint, which says nothing about the setting", async () => {
    service.faults.push({ method: "POST", status: 404 });
    const { message } = await errorOf(clientOf().getPrivateIpMode(projectId));
    assert.match(message, /path does not issue tokens/);
  });

  it("retries a token request after a transient failure", async () => {
    service.faults.push({ path: "/api/oauth/token", status: 503 });
    assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
  });
});

/** Adds the tokens of a service account to requests over an exchange. */
function overExchange(exchange: Exchange): Exchange {
  const paths = { tokenPath: "/token", revokePath: "/revoke" };
  return withServiceAccount({ ...account, ...paths }, exchange).exchange;
}

const respond = (status: number, body: object = {}) => {
  return { status, headers: {}, body: JSON.stringify(body) };
};

describe("the token of a service account", () => {
  const get = { method: "GET", path: "/", accept: "", attempt: 1 } as const;
  const change = { ...get, method: "PATCH" } as const;
  let tokenRequests: number;
  beforeEach(() => {
    tokenRequests = 0;
    mock.timers.enable({ apis: ["Date"] });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  /** Returns an exchange that issues tokens and answers every other request. */
  const issuing =
    (lifetime: number, answer: Exchange = () => Promise.resolve(respond(200))): Exchange =>
    async (request) => {
      if (request.path !== "/token") return await answer(request);
      tokenRequests += 1;
      return respond(200, { access_token: `token-${tokenRequests}`, expires_in: lifetime });
    };

  it("is replaced once for requests that are refused at the same time", async () => {
    let refuseAll = () => {};
    const refusals = new Promise<void>((resolve) => (refuseAll = resolve));
    const send = overExchange(
      issuing(3600, async ({ authorization }) => {
        if (authorization !== "Bearer token-1") return respond(200);
        await refusals;
        return respond(401);
      }),
    );
    const responses = Promise.all([send(get), send(get), send(get)]);
    refuseAll();
    assert.deepEqual(
      (await responses).map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(tokenRequests, 2);
  });

  it("is replaced once for each request if the service refuses every token", async () => {
    const send = overExchange(issuing(3600, () => Promise.resolve(respond(401))));
    await send(get);
    await send(get);
    assert.equal(tokenRequests, 3);
  });

  it("is that of the list before a change, even if it should be renewed", async () => {
    const used: (string | undefined)[] = [];
    const send = overExchange(
      issuing(1000, ({ authorization }) => {
        used.push(authorization);
        return Promise.resolve(respond(200));
      }),
    );
    await send(get);
    mock.timers.tick(950_000);
    await send(change);
    await send(get);
    assert.deepEqual(used, ["Bearer token-1", "Bearer token-1", "Bearer token-2"]);
  });

  for (const [what, prepare] of [
    [
      "renewing",
      () => {
        mock.timers.tick(950_000);
        return Promise.resolve();
      },
    ],
    ["replacing a refused one", (send: Exchange) => send({ ...get, path: "/refused" })],
  ] as const) {
    it(`is not waited for by a change while another request is ${what}`, async () => {
      const issue = issuing(1000, ({ path, authorization }) => {
        const isRefused = path === "/refused" && authorization === "Bearer token-1";
        return Promise.resolve(respond(isRefused ? 401 : 200, { authorization }));
      });
      const send = overExchange((request) =>
        request.path === "/token" && tokenRequests === 1 ? new Promise(() => {}) : issue(request),
      );
      await send(get);
      void prepare(send);
      void send(get);
      const { body } = await send(change);
      assert.deepEqual(JSON.parse(body), { authorization: "Bearer token-1" });
    });
  }
});

describe("the end of a client with a service account", () => {
  const service = useService(seedWithAccount(account));
  const foreign = useForeignClient();

  it("revokes its token once, and a later request gets a new one", async () => {
    const client = testClient(service, { credentials: simulated });
    await client.listClusters(projectId);
    assert.equal(service.activeTokens(), 1);
    await Promise.all([client.close(), client.close()]);
    assert.equal(service.activeTokens(), 0);
    const paths = service.requests.map(({ path }) => path);
    assert.equal(paths.filter((path) => path.endsWith("/oauth/revoke")).length, 1);
    await client.listClusters(projectId);
    assert.equal(service.activeTokens(), 1);
  });

  it("revokes only the current token after a 401 that was about the project [5 rule 5]", async () => {
    const client = testClient(service, { credentials: simulated });
    service.faults.push({ path: /clusters$/, status: 401, times: 2 });
    assert.equal((await errorOf(client.listClusters(projectId))).code, "authentication");
    assert.equal(service.activeTokens(), 2);
    await client.close();
    assert.equal(service.activeTokens(), 1);
  });

  it("sends nothing without a token", async () => {
    await testClient(service, { credentials: simulated }).close();
    assert.equal(service.requests.length, 0);
  });

  it("is not affected by a service that cannot revoke tokens, and does not wait for one that hangs", async () => {
    const client = testClient(service, { credentials: simulated });
    // The last response comes long after the test.
    for (const fault of [{ status: 404 }, { status: 500 }, { delayMs: 600_000 }]) {
      await client.listClusters(projectId);
      service.faults.push({ path: "/api/oauth/revoke", ...fault });
      await client.close();
    }
  });

  it("requests and revokes tokens as JSON, whatever mediaType says", async () => {
    const token = { access_token: "token", expires_in: 60, results: [] };
    const client = await foreign.clientOf(respondWith(200, token), {
      credentials: simulated,
      mediaType: "application/vnd.clouddb.2023-01-01+json",
    });
    await client.listClusters("p");
    await client.close();
    const ofTokens = foreign.requests.filter(({ path }) => path.includes("/oauth/"));
    assert.deepEqual(
      ofTokens.map(({ headers }) => headers.accept),
      ["application/json", "application/json"],
    );
  });
});

describe("a given access token", () => {
  const foreign = useForeignClient();
  const settings = { credentials: { kind: "accessToken", accessToken: "given-t0ken" } } as const;

  it("is sent with every request, and is never revoked", async () => {
    const client = await foreign.clientOf(respondWith(200, { results: [] }), settings);
    await client.listClusters("p");
    await client.close();
    const sent = foreign.requests.map(({ headers }) => headers.authorization);
    assert.deepEqual([...new Set(sent)], ["Bearer given-t0ken"]);
    assert.ok(foreign.requests.every(({ method }) => method === "GET"));
  });

  it("is refused with advice, without a retry and without the token", async () => {
    const refuse = respondWith(401, { detail: "Bearer given-t0ken is wrong" });
    const { message } = await foreign.listError(refuse, {
      ...settings,
      retryPolicy: { retries: 3 },
    });
    assert.match(
      message,
      /401: "\[redacted.*accessToken may have expired .*npx --no pulumi-clouddb/,
    );
    assert.doesNotMatch(message, /t0ken/);
    assert.equal(foreign.requests.length, 1);
  });
});
