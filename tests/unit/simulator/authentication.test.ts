import assert from "node:assert/strict";
import {
  type ErrorBody,
  type Response,
  apiPath,
  challengeIn,
  clustersPath,
  json,
  ownerKey,
  sign,
} from "./client";
import { credentialsSeed, key } from "./seeds";
import { useSimulator } from "./testService";

const clustersTarget = `${apiPath}${clustersPath}`;

describe("HTTP digest", () => {
  const service = useSimulator({ seed: credentialsSeed });
  const requestChallenge = async () => challengeIn(await service.send(clustersTarget));
  const sendWith = (authorization: string, target = clustersTarget): Promise<Response> =>
    service.send(target, { headers: { authorization } });

  it("challenges a request without credentials, and accepts the correct response, which never contains the private key [5 rule 1, 5 rule 2, 5 rule 3, 5 rule 8]", async () => {
    const first = await service.send(clustersTarget);
    assert.equal(first.status, 401);
    assert.match(
      String(first.headers["www-authenticate"]),
      /^Digest realm="MMS Public API", domain="", nonce="[^"]+", algorithm=MD5, qop="auth", stale=false$/,
    );
    assert.equal((await service.call(clustersPath)).status, 200);
    assert.ok(!JSON.stringify(service.simulator.requests).includes("demo-secret"));
    assert.equal(service.simulator.requests.at(-1)?.principal, "demo");
  });

  it("rejects a wrong key, an unknown key, HTTP Basic and malformed headers with 401 [5 rule 5]", async () => {
    const wrong = { publicKey: "demo", privateKey: "demo-secre" };
    assert.equal((await service.call(clustersPath, { key: wrong })).status, 401);
    assert.equal((await service.call(clustersPath, { key: key("stranger") })).status, 401);
    for (const authorization of [
      `Basic ${Buffer.from("demo:demo-secret").toString("base64")}`,
      "Digest",
      'Digest username="demo"',
      'Digest username="demo", username="demo"',
      'Digest username="demo',
      "Digest ,,,",
      "Bearer x",
      "x",
    ]) {
      const response = await sendWith(authorization);
      assert.equal(response.status, 401, authorization);
      assert.ok(response.headers["www-authenticate"], authorization);
    }
  });

  it("accepts a nonce repeatedly with counts in any order, and rejects a count that was used before", async () => {
    const challenge = await requestChallenge();
    const sendCount = (count: number) =>
      sendWith(sign(challenge, ownerKey, "GET", clustersTarget, count));
    for (const count of [1, 5, 3]) assert.equal((await sendCount(count)).status, 200);
    const again = await sendCount(5);
    assert.equal(again.status, 401);
    assert.equal(challengeIn(again).stale, "true");
    assert.equal((await sendCount(2)).status, 200);
  });

  it("responds with stale=true to a valid key with a nonce that is expired or from another server", async () => {
    const challenge = await requestChallenge();
    service.simulator.clock.advanceSeconds(301);
    const old = await sendWith(sign(challenge, ownerKey, "GET", clustersTarget));
    assert.equal(old.status, 401);
    assert.equal(challengeIn(old).stale, "true");
    const fresh = challengeIn(old);
    assert.equal((await sendWith(sign(fresh, ownerKey, "GET", clustersTarget))).status, 200);
    const foreign = await sendWith(
      sign({ ...challenge, nonce: "abc" }, ownerKey, "GET", clustersTarget),
    );
    assert.equal(challengeIn(foreign).stale, "true");
    const wrong = await sendWith(sign(challenge, key("stranger"), "GET", clustersTarget));
    assert.equal(challengeIn(wrong).stale, "false");
  });

  it("accepts new nonces after the clock returns to real time", async () => {
    for (let at = 0; at < 2; at += 1) {
      service.simulator.clock.advanceSeconds(1000);
      assert.equal((await service.call(clustersPath)).status, 200);
    }
    service.simulator.clock.reset();
    assert.equal((await service.call(clustersPath)).status, 200);
  });

  it("rejects credentials computed for another path, query or method", async () => {
    const challenge = await requestChallenge();
    for (const [method, signed, target] of [
      ["GET", apiPath, clustersTarget],
      ["GET", clustersTarget, `${clustersTarget}?pretty=true`],
      ["DELETE", clustersTarget, clustersTarget],
    ] as const) {
      const response = await sendWith(sign(challenge, ownerKey, method, signed), target);
      assert.equal(response.status, 401);
    }
  });
});

describe("access tokens", () => {
  const service = useSimulator({ seed: credentialsSeed });

  const accountSecret = "svc secret:100%/+";
  const post = (path: string, client: string, secret: string, body: string) =>
    service.send(path, {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body,
    });
  const requestToken = (client: string, secret: string, form = "grant_type=client_credentials") =>
    post("/api/oauth/token", client, secret, form);
  const token = async (client = "svc_demo", secret = accountSecret) =>
    json<{ access_token: string }>(await requestToken(client, secret)).access_token;
  const revoke = (secret: string, bearer: string) =>
    post(
      "/api/oauth/revoke",
      "svc_demo",
      secret,
      new URLSearchParams({ token: bearer }).toString(),
    );
  const list = (bearer: string) =>
    service.send(clustersTarget, { headers: { authorization: `Bearer ${bearer}` } });

  it("issues a token for client credentials, and accepts it until it expires [5 rule 1, 5 rule 8]", async () => {
    await service.start({ tokenSeconds: 3600 });
    const response = await requestToken("svc_demo", accountSecret);
    assert.equal(response.status, 200);
    const body = json<Record<string, unknown>>(response);
    assert.deepEqual(Object.keys(body).sort(), ["access_token", "expires_in", "token_type"]);
    assert.equal(body.expires_in, 3600);
    const bearer = String(body.access_token);
    assert.equal((await list(bearer)).status, 200);
    service.simulator.clock.advanceSeconds(3601);
    const late = await list(bearer);
    assert.equal(late.status, 401);
    assert.match(String(late.headers["www-authenticate"]), /invalid_token/);
    assert.equal((await list(await token())).status, 200);
  });

  it("rejects a revoked token", async () => {
    const bearer = await token();
    service.simulator.revokeTokens("svc_demo");
    assert.equal((await list(bearer)).status, 401);
  });

  it("issues no token for a wrong secret, an API key, another grant type, or a GET", async () => {
    assert.equal((await requestToken("svc_demo", "wrong")).status, 401);
    assert.equal((await requestToken("demo", "demo-secret")).status, 401);
    assert.equal(
      (await requestToken("svc_demo", accountSecret, "grant_type=password")).status,
      400,
    );
    assert.equal((await requestToken("svc_demo", accountSecret, "")).status, 400);
    assert.equal((await service.send("/api/oauth/token")).status, 405);
  });

  it("lets an account revoke its token, and no one else", async () => {
    const bearer = await token();
    assert.equal((await revoke("wrong", bearer)).status, 401);
    assert.equal((await list(bearer)).status, 200);
    assert.equal((await revoke(accountSecret, "unknown")).status, 200);
    assert.equal((await revoke(accountSecret, bearer)).status, 200);
    assert.equal((await list(bearer)).status, 401);
    const farToken = await token("svc_far", "svc-far-secret");
    assert.equal((await revoke(accountSecret, farToken)).status, 200);
    assert.equal(service.simulator.activeTokens("svc_far"), 1);
  });

  it("limits the token requests of an account to tokenRequestsPerMinute", async () => {
    await service.start({ tokenRequestsPerMinute: 2, retryAfter: true });
    const statuses = async () => {
      const responses = [];
      for (let count = 0; count < 3; count += 1) {
        responses.push(await requestToken("svc_demo", accountSecret));
      }
      return responses.map(({ status, headers }) => [status, headers["retry-after"]]);
    };
    const limited = [
      [200, undefined],
      [200, undefined],
      [429, "60"],
    ];
    assert.deepEqual(await statuses(), limited);
    assert.equal((await requestToken("svc_far", "svc-far-secret")).status, 200);
    service.simulator.clock.advanceSeconds(60);
    assert.deepEqual(await statuses(), limited);
  });

  it("limits the active tokens of an account to tokensPerAccount", async () => {
    await service.start({ tokensPerAccount: 2, tokenSeconds: 60 });
    const bearer = await token();
    await token();
    const refused = await requestToken("svc_demo", accountSecret);
    assert.equal(refused.status, 403);
    assert.match(json<ErrorBody>(refused).detail, /^Access Token limit reached/);
    await revoke(accountSecret, bearer);
    await token();
    assert.equal((await requestToken("svc_demo", accountSecret)).status, 403);
    service.simulator.clock.advanceSeconds(61);
    await token();
    assert.equal(service.simulator.activeTokens("svc_demo"), 1);
  });

  it("issues tokens to any address, because access lists apply only to the API", async () => {
    const bearer = await token("svc_far", "svc-far-secret");
    assert.equal((await list(bearer)).status, 403);
  });

  it("keeps secrets and tokens out of the request log", async () => {
    const bearer = await token();
    await list(bearer);
    await revoke(accountSecret, bearer);
    const requestLog = JSON.stringify(service.simulator.requests);
    assert.ok(!requestLog.includes(bearer) && !requestLog.includes(accountSecret));
    assert.equal(service.simulator.requests[0]?.operation, "issueToken");
  });
});
