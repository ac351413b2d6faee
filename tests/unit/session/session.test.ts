import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openSession } from "../../../provider/src/session/session";
import { environmentOnly } from "../../../provider/src/session/settings";
import { projectId, quickstartSeed, settingsFor, useService } from "../../service";
import { waitUntil } from "../../waitUntil";

const account = { clientId: "app", clientSecret: "app-secret" };

function seedWithAccount() {
  const seed = quickstartSeed();
  for (const organization of seed.organizations ?? []) {
    organization.serviceAccounts = [{ ...account, roles: [{ projectId, role: "owner" }] }];
  }
  return seed;
}

describe("a session", () => {
  const service = useService(seedWithAccount());

  async function useSession() {
    const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...rest } = settingsFor(service);
    const { clientId, clientSecret } = account;
    const environment = {
      ...rest,
      CLOUDDB_CLIENT_ID: clientId,
      CLOUDDB_CLIENT_SECRET: clientSecret,
    };
    const log = () => Promise.resolve();
    await openSession(environmentOnly, log, { environment }).client.listClusters(projectId);
  }

  it("that nothing refers to any more still revokes its token when the process ends", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage: unknown = runInNewContext("gc");
    assert.ok(typeof collectGarbage === "function");
    await useSession();
    assert.equal(service.activeTokens(), 1);
    for (let round = 0; round < 3; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      collectGarbage();
    }
    process.emit("beforeExit", 0);
    await waitUntil("the token is revoked", () => service.activeTokens() === 0);
  });
});
