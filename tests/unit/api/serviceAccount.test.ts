import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { Simulator } from "clouddb-simulator";
import { ApiError } from "../../../provider/src/api/errors";
import { projectId, quickstartSeed, startService } from "../../service";
import { testClient } from "./testClient";

const account = { clientId: "svc_demo", clientSecret: "svc-s3cret:%+ é" };

describe("a service account", () => {
  let service: Simulator;

  before(async () => {
    const seed = quickstartSeed();
    for (const organization of seed.organizations ?? []) {
      organization.serviceAccounts = [{ ...account, roles: [{ projectId, role: "owner" }] }];
    }
    service = await startService(seed);
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
  });

  const clientOf = (credentials: Partial<typeof account> & { tokenPath?: string } = {}) => {
    const right = { kind: "serviceAccount", tokenPath: "/api/oauth/token", ...account } as const;
    return testClient(service, { credentials: { ...right, ...credentials } });
  };

  const tokens = () => service.requests.filter(({ path }) => path === "/api/oauth/token");

  it("requests one token for all pending requests", async () => {
    const client = clientOf();
    const listings = await Promise.all(
      Array.from({ length: 20 }, () => client.listClusters(projectId)),
    );
    assert.ok(listings.every(({ clusters }) => clusters.length === 4));
    assert.equal(tokens().length, 1);
  });

  it("gets a new token, once, when the service refuses the one it has", async () => {
    const client = clientOf();
    await client.listClusters(projectId);
    service.revokeTokens();
    await Promise.all([client.listClusters(projectId), client.getPrivateIpMode(projectId)]);
    assert.equal(tokens().length, 2);
  });

  it("gets a new token, once, when the service's clock says that the old one has ended", async () => {
    const client = clientOf();
    await client.listClusters(projectId);
    service.clock.advanceSeconds(24 * 3600);
    assert.equal(await client.patchPrivateIpMode(projectId, false, 1), false);
    assert.equal(service.project(projectId).privateIpMode.enabled, false);
    assert.equal(tokens().length, 2);
  });

  it("renews the token before it expires", async () => {
    const client = clientOf();
    const body = { access_token: "short", expires_in: 0.001, token_type: "Bearer" };
    service.faults.push({ path: "/api/oauth/token", status: 200, body });
    // The service does not know the first token, and a second one is asked for either way.
    await client.listClusters(projectId);
    assert.equal(tokens().length, 2);
  });

  it("retries a token request after a transient failure", async () => {
    service.faults.push({ path: "/api/oauth/token", status: 503 });
    assert.equal((await clientOf().listClusters(projectId)).clusters.length, 4);
  });

  for (const [what, wrong, says] of [
    ["a wrong secret", { clientSecret: "wr0ng" }, /was refused: check clientId and clientSecret/],
    ["a wrong token path", { tokenPath: "/nowhere" }, /check tokenPath/],
  ] as const) {
    it(`says which setting to check for ${what}, and shows none`, async () => {
      await assert.rejects(clientOf(wrong).listClusters(projectId), (error) => {
        assert.ok(error instanceof ApiError);
        assert.match(error.message, says);
        const shown = inspect(error, { depth: 10 });
        assert.ok(!shown.includes("wr0ng") && !shown.includes(account.clientSecret));
        return true;
      });
    });
  }
});
