import assert from "node:assert/strict";
import type { Exchange, ServiceResponse } from "../../../provider/src/api/exchange";
import { withServiceAccount } from "../../../provider/src/api/serviceAccount";
import { sendJson } from "../../foreignService";
import { projectId, quickstartSeed } from "../../service";
import { setUpServices, testClient } from "./testClient";

const account = { clientId: "svc_demo", clientSecret: "svc-s3cret:%+ é" };

function seedWithAccount() {
  const seed = quickstartSeed();
  for (const organization of seed.organizations ?? []) {
    organization.serviceAccounts = [{ ...account, roles: [{ projectId, role: "owner" }] }];
  }
  return seed;
}

describe("a service account", () => {
  const services = setUpServices(seedWithAccount());

  const clientOf = () => {
    const credentials = {
      kind: "serviceAccount",
      tokenPath: "/api/oauth/token",
      ...account,
    } as const;
    return testClient(services.simulator, { credentials });
  };

  const credentials = { kind: "serviceAccount", tokenPath: "/token", ...account } as const;

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

  it("does not send a change again with the new token unless its caller allows it", async () => {
    const client = clientOf();
    await client.listClusters(projectId);
    const mode = () => services.simulator.project(projectId).privateIpMode.enabled;
    for (const mayResend of [false, true]) {
      services.simulator.revokeTokens();
      const answer = () => Promise.resolve(mayResend);
      const patch = client.patchPrivateIpMode(projectId, false, 1, undefined, answer);
      await (mayResend ? patch : assert.rejects(patch, /responded with 401/));
      assert.equal(mode(), !mayResend);
    }
  });

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
    const send = withServiceAccount({ ...account, tokenPath: "/token" }, exchange);
    const request = { method: "GET", path: "/", attempt: 1 } as const;
    const responses = Promise.all([send(request), send(request), send(request)]);
    refuseAll();
    assert.deepEqual(
      (await responses).map(({ status }) => status),
      [200, 200, 200],
    );
    assert.equal(tokenRequests, 2);
  });

  it("reports the error_description of a refused token request", async () => {
    const error = await services.listError(
      (_request, response) => {
        const description = "The secret expired on 1 May.";
        sendJson(response, 400, { error: "invalid_client", error_description: description });
      },
      { credentials },
    );
    assert.match(error.message, /^POST \/token: .* 400: "The secret expired on 1 May\."/);
  });

  it("fetches one new token after the current one expired according to the service's clock", async () => {
    const client = clientOf();
    await client.listClusters(projectId);
    services.simulator.clock.advanceSeconds(24 * 3600);
    assert.equal(await client.patchPrivateIpMode(projectId, false, 1), false);
    assert.equal(services.simulator.project(projectId).privateIpMode.enabled, false);
    assert.equal(tokens().length, 2);
  });

  it("renews the token before it expires", async () => {
    const client = clientOf();
    const body = { access_token: "short", expires_in: 0.001, token_type: "Bearer" };
    services.simulator.faults.push({ path: "/api/oauth/token", status: 200, body });
    // The simulator would also reject the first token, so there are two requests in any case.
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

  const invalid =
    /^POST \/token: the access token contains characters that are invalid in an HTTP h/;
  for (const [what, token, message] of [
    ["with a line break", "a\nb", invalid],
    ["with a letter outside ASCII", "é", invalid],
    [
      "of 10,000 characters",
      "x".repeat(10_000),
      /^POST \/token: the access token is longer than 8192 characters\. Check that tokenPath and/,
    ],
  ] as const) {
    it(`rejects a token ${what}`, async () => {
      const error = await services.listError(
        (_request, response) => {
          sendJson(response, 200, { access_token: token, expires_in: 3600 });
        },
        { credentials },
      );
      assert.equal(error.code, "malformed-response");
      assert.match(error.message, message);
    });
  }
});

/** Sends a request with a service account whose token request gets a response. */
function sendWith(response: Pick<ServiceResponse, "status" | "body">) {
  const exchange = withServiceAccount({ ...account, tokenPath: "/token" }, () =>
    Promise.resolve({ headers: {}, ...response }),
  );
  return exchange({ method: "GET", path: "/clusters", attempt: 1 });
}

describe("the error after a failed token request", () => {
  for (const [status, message] of [
    [401, "The service account was refused: check clientId and clientSecret, and that"],
    [403, "Check that the service account's API access list contains this machine's address."],
    [404, "The service issues no tokens at this path: check tokenPath and baseUrl."],
  ] as const) {
    it(`with ${status} says: ${message}`, async () => {
      await assert.rejects(sendWith({ status, body: "{}" }), (error: Error) =>
        error.message.includes(message),
      );
    });
  }
});
