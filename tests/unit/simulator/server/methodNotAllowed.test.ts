import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:tls";
import { clustersPath, type ErrorBody, json, modePath } from "../client";
import { fiveClusters } from "../seeds";
import { useSimulator } from "../testService";

describe("an unsupported method", () => {
  const service = useSimulator({ seed: fiveClusters, requestsPerMinute: Infinity }, "before");

  it("returns 405 with the supported methods in Allow [4.1, 7.1]", async () => {
    const expected: [string, string, string][] = [
      ["DELETE", "", "HEAD, GET"],
      ["PUT", clustersPath, "HEAD, GET, POST"],
      ["POST", `${clustersPath}/c0`, "HEAD, GET, PATCH, PUT, DELETE"],
      ["PUT", modePath, "HEAD, GET, PATCH"],
      ["OPTIONS", clustersPath, "HEAD, GET, POST"],
      ["PROPFIND", clustersPath, "HEAD, GET, POST"],
    ];
    for (const [method, path, allow] of expected) {
      const response = await service.call(path, { method });
      assert.equal(response.status, 405, `${method} ${path}`);
      assert.equal(response.headers.allow, allow);
      assert.equal(json<ErrorBody>(response).errorCode, "METHOD_NOT_ALLOWED");
    }
  });

  it("returns 405 even if it is no method of HTTP [4.1]", async () => {
    const { url, ca } = service.simulator;
    for (const request of ["NONSENSE /api/service/v1.0", "CONNECT localhost:1", "get /"]) {
      const socket = connect({ port: Number(new URL(url).port), host: "127.0.0.1", ca });
      let text = "";
      socket.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      socket.write(`${request} HTTP/1.1\r\nhost: localhost\r\n\r\n`);
      await once(socket, "close");
      assert.match(text, /^HTTP\/1\.1 405 Method Not Allowed\r\nallow: HEAD, GET, /, request);
      assert.match(text, /"errorCode":"METHOD_NOT_ALLOWED"/);
    }
  });
});
