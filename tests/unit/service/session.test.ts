import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { RuntimeHost } from "../../../provider/src/runtimeHost";
import { readSettings } from "../../../provider/src/settings/readSettings";
import { openSession } from "../../../provider/src/service/session";
import { environmentOnly } from "../../../provider/src/settings/settings";
import { sendJson, useForeignService } from "../../support/foreignService";
import { accountSettings, projectId, seedWithAccount, useService } from "../../support/service";
import { waitUntil } from "../../support/waitUntil";

describe("a session", () => {
  const service = useService(seedWithAccount());

  function open() {
    const settings = readSettings(environmentOnly, accountSettings(service));
    return openSession(settings, () => Promise.resolve());
  }

  it("is refused in an old Node.js, with both versions", () => {
    const { versions } = process;
    Object.defineProperty(process, "versions", { value: { ...versions, node: "18.20.8" } });
    try {
      assert.throws(open, /needs Node\.js 20\.19 or later, but \S+ is 18\.20\.8\. Install/);
    } finally {
      Object.defineProperty(process, "versions", { value: versions });
    }
  });

  const isRevoked = () => waitUntil("the token is revoked", () => service.activeTokens() === 0);

  it("revokes its token when the process ends, even if nothing refers to the session", async () => {
    setFlagsFromString("--expose-gc");
    const collectGarbage: unknown = runInNewContext("gc");
    assert.ok(typeof collectGarbage === "function");
    await open().client.listClusters(projectId);
    assert.equal(service.activeTokens(), 1);
    for (let round = 0; round < 3; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      Reflect.apply(collectGarbage, undefined, []);
    }
    process.emit("beforeExit", 0);
    await isRevoked();
  });

  it("is closed when a hundred others were opened after it", async () => {
    await open().client.listClusters(projectId);
    for (let opened = 0; opened < 100; opened += 1) {
      assert.equal(service.activeTokens(), 1);
      open();
    }
    await isRevoked();
  });
});

describe("the end of a process", () => {
  const start = useForeignService();

  it("sends nothing more, except to revoke the token", async () => {
    let ending = Promise.resolve();
    const service = await start(({ path }, response) => {
      if (path.endsWith("/token")) ending = host.close();
      sendJson(response, 200, { access_token: "token", expires_in: 60, results: [] });
    });
    const host = new RuntimeHost({
      log: () => Promise.resolve(),
      engineAddress: () => undefined,
      environment: accountSettings(service),
    });
    const inputs = { projectId, enabled: true };
    await assert.rejects(host.privateIpMode.create(inputs), {
      message: /cancelled; run the command again/,
    });
    await ending;
    const sent = service.requests.map(({ path }) => path);
    assert.deepEqual(sent, ["/api/oauth/token", "/api/oauth/revoke"]);
  });
});
