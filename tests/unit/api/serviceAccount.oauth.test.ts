/** Tests the token requests with oauth2-mock-server, over TLS. */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { createServer, type Server } from "node:https";
import { once } from "node:events";
import type { OAuth2Server } from "oauth2-mock-server" with { "resolution-mode": "import" };
import { loopbackCertificate } from "../../certificate";
import { testClient } from "./testClient";

describe("a service account with oauth2-mock-server", () => {
  let issuer: OAuth2Server;
  let server: Server;
  let cert: string;
  let tokenRequests: { authorization: string | undefined; type: string | undefined }[];
  /** The access tokens of the list requests. */
  let bearers: string[];

  // As in the service, the token endpoint and the API have the same origin.
  before(async () => {
    const { OAuth2Server } = await import("oauth2-mock-server");
    issuer = new OAuth2Server();
    issuer.issuer.url = "https://127.0.0.1";
    await issuer.issuer.keys.generate("RS256");
    const certificate = await loopbackCertificate();
    cert = certificate.cert;
    server = createServer(certificate, (request, response) => {
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
    const credentials = {
      kind: "serviceAccount",
      tokenPath: "/token",
      revokePath: "/revoke",
      ...pair,
    } as const;
    return testClient({ url: urlOf(server.address()), ca: cert }, { credentials });
  };

  it("fetches one token with the unencoded pair and uses it for all requests", async () => {
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
});

function urlOf(address: ReturnType<Server["address"]>): string {
  assert.ok(typeof address === "object" && address !== null);
  return `https://127.0.0.1:${address.port}`;
}

function bearerOf({ headers }: IncomingMessage): string {
  return /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1] ?? "";
}
