import assert from "node:assert/strict";
import { apiPath, clustersPath, json } from "../client";
import { credentialsSeed } from "../seeds";
import { useSimulator } from "../testService";

const clustersTarget = `${apiPath}${clustersPath}`;

describe("access tokens", () => {
  const service = useSimulator({ seed: credentialsSeed }, "test");

  const accountSecret = "svc secret:100%/+";
  const requestToken = (client: string, secret: string, form = "grant_type=client_credentials") =>
    service.send("/api/oauth/token", {
      method: "POST",
      headers: {
        authorization: `Basic ${Buffer.from(`${client}:${secret}`).toString("base64")}`,
        "content-type": "application/x-www-form-urlencoded",
      },
      body: form,
    });
  const token = async () =>
    json<{ access_token: string }>(await requestToken("svc_demo", accountSecret)).access_token;
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

  it("issues a token if the token endpoint is below the API path", async () => {
    await service.start({ apiPath: "/api" });
    assert.equal((await requestToken("svc_demo", accountSecret)).status, 200);
  });

  it("rejects a revoked token", async () => {
    await service.start();
    const bearer = await token();
    service.simulator.revokeTokens("svc_demo");
    assert.equal((await list(bearer)).status, 401);
  });

  it("issues no token for a wrong secret, an API key, another grant type, an address that is not on the access list, or a GET", async () => {
    await service.start();
    assert.equal((await requestToken("svc_demo", "wrong")).status, 401);
    assert.equal((await requestToken("demo", "demo-secret")).status, 401);
    assert.equal(
      (await requestToken("svc_demo", accountSecret, "grant_type=password")).status,
      400,
    );
    assert.equal((await requestToken("svc_demo", accountSecret, "")).status, 400);
    assert.equal((await requestToken("svc_far", "svc-far-secret")).status, 403);
    assert.equal((await service.send("/api/oauth/token")).status, 405);
  });

  it("keeps secrets and tokens out of the request log", async () => {
    await service.start();
    const bearer = await token();
    await list(bearer);
    const requestLog = JSON.stringify(service.simulator.requests);
    assert.ok(!requestLog.includes(bearer) && !requestLog.includes(accountSecret));
    assert.equal(service.simulator.requests[0]?.operation, "issueToken");
  });
});
