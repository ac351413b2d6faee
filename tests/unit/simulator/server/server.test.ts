import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { startSimulator } from "../../../../simulator/src";
import { apiPath, call, clustersPath, type ErrorBody, json, projectId, send } from "../client";
import { fiveClusters, seedOf } from "../seeds";
import { useSimulator } from "../testService";

describe("the server", () => {
  const service = useSimulator({ seed: fiveClusters, requestsPerMinute: Infinity }, "before");

  it("uses a certificate that clients with the CA can verify by address and by name [1 rule 6]", async () => {
    const { port } = new URL(service.simulator.url);
    for (const host of ["127.0.0.1", "localhost"]) {
      const named = { url: `https://${host}:${port}`, ca: service.simulator.ca };
      assert.equal((await send(named, apiPath)).status, 401);
    }
    const stranger = await startSimulator({ seed: seedOf([]) });
    await assert.rejects(
      send({ url: service.simulator.url, ca: stranger.ca }, apiPath),
      /certificate|signature/i,
    );
    await stranger.stop();
  });

  it("listens on ::1 if configured", async () => {
    const six = await startSimulator({ seed: seedOf([]), host: "::1" });
    assert.match(six.url, /^https:\/\/\[::1\]:\d+$/);
    assert.equal((await call(six, "")).status, 200);
    await six.stop();
  });

  it("rejects plain HTTP with 403 on the configured port, and closes the connection on the HTTPS port [1 rule 6]", async () => {
    const plain = (port: string) =>
      new Promise<number>((resolve, reject) => {
        request({ host: "127.0.0.1", port, path: apiPath }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
          .on("error", reject)
          .end();
      });
    await assert.rejects(plain(new URL(service.simulator.url).port));
    const both = await startSimulator({ seed: seedOf([]), httpPort: 0 });
    assert.equal(await plain(new URL(both.httpUrl ?? "").port), 403);
    await both.stop();
  });

  it("returns the headers of GET without a body for HEAD [4.1]", async () => {
    for (const path of ["", "/groups", clustersPath, `${clustersPath}/c0`]) {
      const head = await service.call(path, { method: "HEAD" });
      const get = await service.call(path);
      assert.equal(head.status, 200);
      assert.equal(head.text, "");
      assert.equal(head.headers["content-length"], get.headers["content-length"]);
      assert.equal(head.headers["content-type"], get.headers["content-type"]);
    }
  });

  it("requires authentication for percent-encoded paths", async () => {
    const target = `/api/servic%65/v1%2E0/groups/${projectId}/clusters`;
    assert.equal((await service.send(target)).status, 401);
    const encoded = { ...service.simulator, apiPath: "/api/servic%65/v1%2E0" };
    assert.equal((await call(encoded, `/groups/${projectId}/%63lusters/c0`)).status, 200);
  });

  it("returns a 404 with RESOURCE_NOT_FOUND for an unknown path [7.2]", async () => {
    const body = json<ErrorBody>(await service.call("/no/such/thing"));
    assert.equal(body.error, 404);
    assert.equal(body.errorCode, "RESOURCE_NOT_FOUND");
    assert.equal(body.reason, "Not Found");
  });

  it("keeps serving after data that is not an HTTP request", async () => {
    const { port } = new URL(service.simulator.url);
    const socket = connect(Number(port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.write("nonsense\r\n\r\n");
    await new Promise((resolve) => socket.on("close", resolve));
    assert.equal((await service.call("")).status, 200);
  });
});
