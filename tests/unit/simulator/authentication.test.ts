import assert from "node:assert/strict";
import { useOwnServices, useService } from "../../support/service";
import {
  type ErrorBody,
  type Response,
  type Service,
  apiPath,
  call,
  challengeIn,
  clustersPath,
  json,
  ownerKey,
  send,
  sign,
} from "./client";
import { credentialsSeed, key } from "./seeds";

const clustersTarget = `${apiPath}${clustersPath}`;

describe("HTTP digest", () => {
  const service = useService(credentialsSeed);
  const requestChallenge = async () => challengeIn(await send(service, clustersTarget));
  const sendWith = (authorization: string, target = clustersTarget): Promise<Response> =>
    send(service, target, { headers: { authorization } });

  it("challenges a request without credentials, and accepts the correct response, which never contains the private key [5 rule 1, 5 rule 2, 5 rule 3, 5 rule 8]", async () => {
    const first = await send(service, clustersTarget);
    assert.equal(first.status, 401);
    assert.match(
      String(first.headers["www-authenticate"]),
      /^Digest realm="MMS Public API", domain="", nonce="[^"]+", algorithm=MD5, qop="auth", stale=false$/,
    );
    assert.equal((await call(service, clustersPath)).status, 200);
    assert.ok(!JSON.stringify(service.requests).includes("demo-secret"));
    assert.equal(service.requests.at(-1)?.principal, "demo");
  });

  it("rejects a wrong key, an unknown key, HTTP Basic and malformed headers with 401 [5 rule 5]", async () => {
    const wrong = { publicKey: "demo", privateKey: "demo-secre" };
    assert.equal((await call(service, clustersPath, { key: wrong })).status, 401);
    assert.equal((await call(service, clustersPath, { key: key("stranger") })).status, 401);
    for (const authorization of [
      `Basic ${Buffer.from("demo:demo-secret").toString("base64")}`,
      'Digest username="demo"',
      "Digest ,,,",
      "Bearer x",
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
    service.simulator.clock.reset();
    assert.equal((await call(service, clustersPath)).status, 200);
    const foreign = await sendWith(
      sign({ ...challenge, nonce: "abc" }, ownerKey, "GET", clustersTarget),
    );
    assert.equal(challengeIn(foreign).stale, "true");
    const wrong = await sendWith(sign(challenge, key("stranger"), "GET", clustersTarget));
    assert.equal(challengeIn(wrong).stale, "false");
  });

  it("rejects credentials computed for another query or method", async () => {
    const authorization = sign(await requestChallenge(), ownerKey, "GET", clustersTarget);
    assert.equal((await sendWith(authorization, `${clustersTarget}?pretty=true`)).status, 401);
    const headers = { authorization };
    assert.equal((await send(service, clustersTarget, { method: "POST", headers })).status, 401);
  });

  it("rejects credentials with another uri, realm, qop or algorithm than the request, even if their digest is right [5 rule 3]", async () => {
    const authorization = sign(await requestChallenge(), ownerKey, "GET", clustersTarget);
    for (const [part, change] of [
      [`uri="${clustersTarget}"`, `uri="${apiPath}"`],
      [/realm="[^"]*"/, 'realm="other"'],
      ["qop=auth", "qop=auth-int"],
      ["algorithm=MD5", "algorithm=SHA-256"],
    ] as const) {
      const other = authorization.replace(part, change);
      assert.notEqual(other, authorization);
      const { status, headers } = await sendWith(other);
      assert.deepEqual(
        [status, /stale=(\w+)/.exec(String(headers["www-authenticate"]))?.[1]],
        [401, "false"],
        change,
      );
    }
    assert.equal((await sendWith(authorization)).status, 200);
  });
});

const account = { clientId: "svc_demo", clientSecret: "svc secret:100%/+" };
const farAccount = { clientId: "svc_far", clientSecret: "svc-far-secret" };

/** Sends a form with the credentials of a service account. */
function sendForm(
  service: Service,
  path: string,
  { clientId, clientSecret }: typeof account,
  form: Record<string, string>,
): Promise<Response> {
  const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
  const headers = {
    authorization: `Basic ${credentials}`,
    "content-type": "application/x-www-form-urlencoded",
  };
  return send(service, path, { method: "POST", headers, body: String(new URLSearchParams(form)) });
}

function requestToken(service: Service, of = account, grant = "client_credentials") {
  return sendForm(service, "/api/oauth/token", of, { grant_type: grant });
}

async function tokenOf(service: Service, of = account): Promise<string> {
  return json<{ access_token: string }>(await requestToken(service, of)).access_token;
}

function revoke(service: Service, token: string, of = account) {
  return sendForm(service, "/api/oauth/revoke", of, { token });
}

describe("access tokens", () => {
  const service = useService(credentialsSeed);
  const list = (token: string) =>
    send(service, clustersTarget, { headers: { authorization: `Bearer ${token}` } });

  it("are issued for client credentials, and accepted until they expire [5 rule 1, 5 rule 8]", async () => {
    const response = await requestToken(service);
    assert.equal(response.status, 200);
    const body = json<Record<string, unknown>>(response);
    assert.deepEqual(Object.keys(body).sort(), ["access_token", "expires_in", "token_type"]);
    assert.equal(body.expires_in, 3600);
    const token = String(body.access_token);
    assert.equal((await list(token)).status, 200);
    service.simulator.clock.advanceSeconds(3601);
    const late = await list(token);
    assert.equal(late.status, 401);
    assert.match(String(late.headers["www-authenticate"]), /invalid_token/);
    assert.equal((await list(await tokenOf(service))).status, 200);
  });

  it("are rejected after the test revokes those of their account, or all", async () => {
    const token = await tokenOf(service);
    await tokenOf(service, farAccount);
    assert.deepEqual([service.activeTokens(), service.activeTokens("svc_demo")], [2, 1]);
    service.simulator.revokeTokens("svc_demo");
    assert.equal((await list(token)).status, 401);
    assert.deepEqual([service.activeTokens(), service.activeTokens("svc_far")], [1, 1]);
    service.simulator.revokeTokens();
    assert.equal(service.activeTokens(), 0);
  });

  it("are not issued for a wrong secret, an API key, another grant type, or a GET", async () => {
    const apiKey = { clientId: "demo", clientSecret: "demo-secret" };
    const wrong = { ...account, clientSecret: "wrong" };
    assert.equal((await requestToken(service, wrong)).status, 401);
    assert.equal((await requestToken(service, apiKey)).status, 401);
    assert.equal((await requestToken(service, account, "password")).status, 400);
    assert.equal((await send(service, "/api/oauth/token")).status, 405);
  });

  it("are revoked by their account, and by no other", async () => {
    const token = await tokenOf(service);
    const wrong = { ...account, clientSecret: "wrong" };
    assert.equal((await revoke(service, token, wrong)).status, 401);
    assert.equal((await list(token)).status, 200);
    assert.equal((await revoke(service, "unknown")).status, 200);
    assert.equal((await revoke(service, token)).status, 200);
    assert.equal((await list(token)).status, 401);
    // Access lists apply to the API, but not to the endpoint for tokens.
    const far = await tokenOf(service, farAccount);
    assert.equal((await list(far)).status, 403);
    assert.equal((await revoke(service, far)).status, 200);
    assert.equal(service.activeTokens("svc_far"), 1);
  });

  it("are not in the request log, and neither are secrets", async () => {
    const token = await tokenOf(service);
    await list(token);
    await revoke(service, token);
    const requestLog = JSON.stringify(service.requests);
    assert.ok(!requestLog.includes(token) && !requestLog.includes(account.clientSecret));
    assert.equal(service.requests[0]?.operation, "issueToken");
  });
});

describe("the limits of a service account", () => {
  const start = useOwnServices();

  it("are tokenRequestsPerMinute", async () => {
    const service = await start(credentialsSeed, { tokenRequestsPerMinute: 2, retryAfter: true });
    const outcomes = async () => {
      const responses = [];
      for (let count = 0; count < 3; count += 1) responses.push(await requestToken(service));
      return responses.map(({ status, headers }) => [status, headers["retry-after"]]);
    };
    const limited = [
      [200, undefined],
      [200, undefined],
      [429, "60"],
    ];
    assert.deepEqual(await outcomes(), limited);
    assert.equal((await requestToken(service, farAccount)).status, 200);
    service.clock.advanceSeconds(60);
    assert.deepEqual(await outcomes(), limited);
  });

  it("are tokensPerAccount, not counting revoked and expired tokens", async () => {
    const service = await start(credentialsSeed, { tokensPerAccount: 2, tokenSeconds: 60 });
    const token = await tokenOf(service);
    await tokenOf(service);
    const refused = await requestToken(service);
    assert.equal(refused.status, 403);
    assert.match(json<ErrorBody>(refused).detail, /^Access Token limit reached/);
    await revoke(service, token);
    await tokenOf(service);
    assert.equal((await requestToken(service)).status, 403);
    service.clock.advanceSeconds(61);
    await tokenOf(service);
    assert.equal(service.activeTokens("svc_demo"), 1);
  });
});
