import assert from "node:assert/strict";
import { apiPath, clustersPath, type ErrorBody, json } from "../client";
import { fiveClusters } from "../seeds";
import { useSimulator } from "../testService";

describe("an error response", () => {
  const service = useSimulator({ seed: fiveClusters, requestsPerMinute: Infinity }, "before");

  it("has exactly five fields, with the reason phrase of the status [7.2, 1 rule 4]", async () => {
    const responses = [
      await service.send(apiPath),
      await service.call("/nothing/here"),
      await service.call("", { method: "DELETE" }),
      await service.call("?x=1"),
      await service.call("/groups", { method: "POST", json: {} }),
      await service.send("/%zz"),
    ];
    for (const response of responses) {
      const body = json<ErrorBody>(response);
      assert.deepEqual(Object.keys(body).sort(), [
        "detail",
        "error",
        "errorCode",
        "parameters",
        "reason",
      ]);
      assert.equal(body.error, response.status);
      assert.ok(Array.isArray(body.parameters));
      assert.match(String(response.headers["content-type"]), /^application\/json/);
    }
    assert.deepEqual(
      responses.map((response) => json<ErrorBody>(response).reason),
      [
        "Unauthorized",
        "Not Found",
        "Method Not Allowed",
        "Bad Request",
        "Bad Request",
        "Bad Request",
      ],
    );
  });

  it("contains the requested path of a missing resource in its parameters [7.2]", async () => {
    const missingProject = "/groups/64a0c0ffee000000000000ff";
    for (const path of [
      "/no/such/thing",
      missingProject,
      `${missingProject}/clusters`,
      `${missingProject}/clusters/c0`,
      `${clustersPath}/missing`,
      `${clustersPath}/%6dissing`,
    ]) {
      const response = await service.call(`${path}?pretty=true`);
      assert.equal(response.status, 404);
      assert.deepEqual(json<ErrorBody>(response).parameters, [`${apiPath}${path}`]);
    }
  });

  it("is wrapped in an envelope with its status if envelope is true [4.2, 4.4]", async () => {
    for (const path of ["/nothing", `${clustersPath}/missing`, `${clustersPath}?pageNum=0`]) {
      const separator = path.includes("?") ? "&" : "?";
      const plain = await service.call(path);
      const wrapped = await service.call(`${path}${separator}envelope=true`);
      assert.equal(wrapped.status, plain.status);
      assert.deepEqual(json(wrapped), { status: plain.status, content: json(plain) });
    }
    const challenged = await service.send(`${apiPath}?envelope=true&pretty=true`);
    assert.equal(json<{ status: number }>(challenged).status, 401);
    assert.match(challenged.text, /^\{\n {2}"status"/);
  });

  it("to a path that cannot be decoded follows authentication, and supports pretty and envelope [4.2, 5 rule 5]", async () => {
    for (const path of ["/%zz", `${clustersPath}/%zz`, `${clustersPath}/${"x".repeat(501)}`]) {
      const challenged = await service.send(`${apiPath}${path}?pretty=true`);
      assert.equal(challenged.status, 401, path);
      assert.match(String(challenged.headers["www-authenticate"]), /^Digest /);
      assert.match(challenged.text, /^\{\n {2}"detail"/);
      const rejected = await service.call(`${path}?pretty=true&envelope=true`);
      assert.equal(rejected.status, 400);
      assert.equal(json<{ content: ErrorBody }>(rejected).content.errorCode, "INVALID_REQUEST");
      assert.match(rejected.text, /^\{\n {2}"status"/);
    }
    assert.equal((await service.send("/api/servic%65/v1.0/%zz")).status, 401);
    assert.equal((await service.send("/%zz")).status, 400);
  });
});
