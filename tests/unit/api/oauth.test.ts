/** The token flow against a server that is not ours: oauth2-mock-server, over TLS. */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import { once } from "node:events";
import type { OAuth2Server } from "oauth2-mock-server" with { "resolution-mode": "import" };
import { ApiError } from "../../../provider/src/api/errors";
import { loopbackCertificate } from "../../certificate";
import { testClient, urlOf } from "./testClient";

describe("a service account against oauth2-mock-server", () => {
  let issuer: OAuth2Server;
  let server: Server;
  let cert: string;
  let tokenRequests: { authorization: string | undefined; type: string | undefined }[];
  /** The access tokens that the lists came with. */
  let bearers: string[];

  // The token endpoint and the API are one origin, as at the service.
  before(async () => {
    const { OAuth2Server } = await import("oauth2-mock-server");
    issuer = new OAuth2Server();
    issuer.issuer.url = "https://127.0.0.1";
    await issuer.issuer.keys.generate("RS256");
    const made = await loopbackCertificate();
    cert = made.cert;
    server = createServer(made, (request, response) => {
      if (request.url === "/token") {
        const { authorization, "content-type": type } = request.headers;
        tokenRequests.push({ authorization, type });
        issuer.service.requestHandler(request, response);
        return;
      }
      bearers.push(bearerOf(request));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ results: [], totalCount: 0 }));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    tokenRequests = [];
    bearers = [];
  });

  const clientOf = () => {
    const pair = { clientId: "svc", clientSecret: "a:b %" };
    const credentials = { kind: "serviceAccount", tokenPath: "/token", ...pair } as const;
    return testClient({ url: urlOf(server), ca: cert }, { credentials });
  };

  it("gets one token with the raw pair and uses it for all requests", async () => {
    const client = clientOf();
    await Promise.all([client.listClusters("p"), client.listClusters("q")]);
    await client.listClusters("r");
    const authorization = `Basic ${Buffer.from("svc:a:b %").toString("base64")}`;
    assert.deepEqual(tokenRequests, [{ authorization, type: "application/x-www-form-urlencoded" }]);
    assert.equal(bearers.length, 3);
    assert.equal(new Set(bearers).size, 1);
    const [, payload = ""] = bearers[0]?.split(".") ?? [];
    assert.match(Buffer.from(payload, "base64url").toString(), /"iss":"https:\/\/127\.0\.0\.1"/);
  });

  it("renews a token whose end is near", async () => {
    issuer.service.on("beforeResponse", (response: { body: { expires_in?: number } }) => {
      response.body.expires_in = 0.001;
    });
    const client = clientOf();
    await client.listClusters("p");
    await client.listClusters("p");
    issuer.service.removeAllListeners("beforeResponse");
    assert.equal(tokenRequests.length, 2);
  });

  it("names the settings where the token is refused", async () => {
    issuer.service.once("beforeResponse", (response: { body: object; statusCode: number }) => {
      response.statusCode = 401;
      response.body = { error: "invalid_client" };
    });
    await assert.rejects(clientOf().listClusters("p"), (error) => {
      assert.ok(error instanceof ApiError);
      assert.match(error.message, /POST \/token: .* 401.*check clientId and clientSecret/);
      assert.equal(error.code, "authentication");
      return true;
    });
  });
});

function bearerOf({ headers }: IncomingMessage): string {
  return /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
}
