import assert from "node:assert/strict";
import { ResponseError } from "../../../provider/src/api/errors";
import { type Handler, sendJson, withDigest } from "../../foreignService";
import { setUpServices } from "./testClient";

describe("limits on responses", () => {
  const services = setUpServices();

  const responding = (status: number, body: unknown): Handler =>
    withDigest((_request, response) => {
      sendJson(response, status, body);
    });

  const megabyte = 1024 * 1024;

  it("rejects a body of over 32 MB that is sent in chunks", async () => {
    const chunk = "x".repeat(megabyte);
    const error = await services.listError(
      withDigest((_request, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        for (let megabytes = 0; megabytes < 33; megabytes += 1) response.write(chunk);
        response.end();
      }),
    );
    assert.equal(error.code, "malformed-response");
    assert.match(error.message, /: the response exceeds the 32 MB limit\. Check that https:/);
    assert.equal(error.attempts, 1);
  });

  it("rejects a body whose Content-Length is over 32 MB", async () => {
    const error = await services.listError(
      withDigest((_request, response) => {
        response.writeHead(200, { "content-length": 33 * megabyte });
        response.end(Buffer.alloc(33 * megabyte));
      }),
    );
    assert.equal(error.code, "malformed-response");
    assert.match(error.message, /: the response exceeds the 32 MB limit\./);
  });

  it("does not read an error body of over 64 KB", async () => {
    const error = await services.listError(responding(503, { detail: "x".repeat(70_000) }));
    assert.match(error.message, /responded with 503 and a body of 69 KB\. The service failed/);
    assert.ok(error.message.length < 400);
  });

  it("does not read an error body that is nested deeper than 64 levels", async () => {
    const body = `{"errorCode": "E", "parameters": ${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
    const error = await services.listError(responding(400, body));
    assert.match(
      error.message,
      /responded with 400 and a body that is nested deeper than 64 levels\./,
    );
  });

  it("truncates details, error codes, parameters and the list of invalid fields", async () => {
    const fields = Array.from({ length: 300 }, () => ({ field: "f", description: "wrong" }));
    const nested = [[[[["too deep"]]]]];
    const parameters = [nested, ...Array.from({ length: 50 }, () => "p".repeat(800))];
    const body = {
      detail: "d".repeat(5000),
      errorCode: "E".repeat(5000),
      parameters,
      badRequestDetail: { fields },
    };
    const error = await services.listError(responding(400, body));
    assert.ok(error instanceof ResponseError);
    assert.equal(error.errorCode, `${"E".repeat(100)}…`);
    assert.equal(error.detail, `${"d".repeat(500)}…`);
    assert.equal(error.parameters.length, 20);
    assert.deepEqual(error.parameters[0], [["…"]]);
    assert.ok(JSON.stringify(error.parameters).length < 5000);
    assert.ok(error.message.length < 1000);
  });

  it("rejects JSON that is nested deeper than 64 levels", async () => {
    const body = `{"results": ${"[".repeat(1_000_000)}${"]".repeat(1_000_000)}}`;
    const error = await services.listError(responding(200, body));
    assert.equal(error.code, "malformed-response");
    assert.match(error.message, /nested deeper than 64 levels/);
  });

  it("lists only the first five problems of a malformed cluster", async () => {
    const privateEndpoint = Array.from({ length: 500 }, () => 1);
    const results = [{ name: "orders", connectionStrings: { privateEndpoint } }];
    const client = await services.clientOf(responding(200, { results, totalCount: 1 }));
    const { malformed } = await client.listClusters("p");
    const problem = malformed[0]?.problem ?? "";
    assert.match(problem, /^connectionStrings\.privateEndpoint: .*; and 495 more$/);
    assert.ok(problem.length < 1000);
  });

  it("rejects a page of 30 MB of numbers within 2 s and 400 MB", async () => {
    const body = Buffer.from(`{"results": [${"1,".repeat(15_000_000)}1]}`);
    const memory = process.memoryUsage().rss;
    const start = performance.now();
    const error = await services.listError(
      withDigest((_request, response) => {
        response.writeHead(200).end(body);
      }),
    );
    assert.match(error.message, /a list of more than 10000 items/);
    assert.ok(performance.now() - start < 2000, `${performance.now() - start} ms`);
    assert.ok(process.memoryUsage().rss - memory < 400 * megabyte);
  });

  for (const size of [20_000, 3_000_000]) {
    it(`rejects headers of ${size} bytes`, async () => {
      const error = await services.listError((_request, response) => {
        sendJson(response, 401, {}, { "www-authenticate": `Digest realm="${"r".repeat(size)}"` });
      });
      assert.equal(error.code, "malformed-response");
      assert.match(error.message, /the response's headers exceed the 16 KB limit/);
    });
  }
});
