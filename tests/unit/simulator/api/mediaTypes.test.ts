import assert from "node:assert/strict";
import { validate } from "@apidevtools/swagger-parser";
import { clustersPath, type ErrorBody, json, modePath } from "../client";
import { seedOf } from "../seeds";
import { useSimulator } from "../testService";

describe("versions by media type", () => {
  const service = useSimulator({
    seed: seedOf([{ name: "orders" }]),
    versions: {
      dates: ["2024-08-05", "2022-01-01", "2023-01-01"],
      ended: ["2022-01-01"],
      resources: { PrivateIpMode: ["2023-06-01"] },
    },
  });
  const mediaType = (date: string) => `application/vnd.clouddb.${date}+json`;
  const get = (path: string, accept?: string) =>
    service.call(path, accept === undefined ? {} : { headers: { accept } });

  it("are selected by date: the newest version up to the requested one [9 rule 3]", async () => {
    for (const [requested, selected] of [
      ["2023-01-01", "2023-01-01"],
      ["2024-08-04", "2023-01-01"],
      ["2024-08-05", "2024-08-05"],
      ["2999-12-31", "2024-08-05"],
    ] as const) {
      const response = await get(clustersPath, mediaType(requested));
      assert.equal(response.status, 200);
      assert.equal(response.headers["content-type"], `${mediaType(selected)}; charset=utf-8`);
    }
  });

  it("are selected by the preferred dated media type of several", async () => {
    const accept = `application/json, ${mediaType("2023-01-01")};q=0.5, ${mediaType("2024-08-05")}`;
    const { headers } = await get(clustersPath, accept);
    assert.match(String(headers["content-type"]), /2024-08-05/);
  });

  it("differ between resources [9 rule 1]", async () => {
    assert.equal((await get(clustersPath, mediaType("2023-01-01"))).status, 200);
    assert.equal((await get(modePath, mediaType("2023-01-01"))).status, 406);
    const { headers } = await get(modePath, mediaType("2024-08-05"));
    assert.match(String(headers["content-type"]), /2023-06-01/);
  });

  it("result in a 406 without a date, or with one before the first version [9 rule 3]", async () => {
    for (const accept of [
      undefined,
      "application/json",
      "*/*",
      mediaType("2021-12-31"),
      mediaType("latest"),
      "application/vnd.other.2023-01-01+json",
    ]) {
      const response = await get(clustersPath, accept);
      assert.equal(response.status, 406, accept);
      assert.equal(json<ErrorBody>(response).errorCode, "INVALID_VERSION_DATE");
      assert.equal(response.headers["content-type"], "application/json; charset=utf-8");
    }
  });

  it("result in a 410 after their end [9 rule 3]", async () => {
    const response = await get(clustersPath, mediaType("2022-06-01"));
    assert.equal(response.status, 410);
    assert.equal(json<ErrorBody>(response).errorCode, "VERSION_GONE");
  });

  it("are checked before a change is made", async () => {
    const sending = { method: "POST", json: { name: "more" }, headers: { accept: "*/*" } };
    assert.equal((await service.call(clustersPath, sending)).status, 406);
    assert.equal(service.simulator.project("64a0c0ffee0000000000a001").clusters.length, 1);
  });

  it("are listed in the OpenAPI document, except for those that have ended", async () => {
    const response = await service.send("/openapi.json");
    await validate(json<Parameters<typeof validate>[0]>(response));
    assert.ok(response.text.includes(mediaType("2023-01-01")));
    assert.ok(!response.text.includes(mediaType("2022-01-01")));
  });

  it("are off by default [9 rule 3]", async () => {
    await service.start({ versions: undefined });
    const { status, headers } = await get(clustersPath);
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
  });
});
