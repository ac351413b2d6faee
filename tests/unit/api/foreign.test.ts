import assert from "node:assert/strict";
import { type ForeignService, foreignService, sendJson, withDigest } from "../../foreignService";
import { key } from "../../service";
import { testClient } from "./testClient";

describe("a service that is not the simulator", () => {
  let service: ForeignService;
  afterEach(() => {
    service.stop();
  });

  it("is read after one challenge", async () => {
    service = await foreignService(
      withDigest((_request, response) => {
        sendJson(response, 200, { results: [{ name: "orders" }], totalCount: 1 });
      }),
    );
    const client = testClient(service, { credentials: { kind: "apiKey", ...key } });
    assert.deepEqual(
      (await client.listClusters("p")).clusters.map(({ name }) => name),
      ["orders"],
    );
    assert.deepEqual(
      service.requests.map(({ headers }) => /^Digest /.test(headers.authorization ?? "")),
      [false, true],
    );
  });
});
