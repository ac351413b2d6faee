import assert from "node:assert/strict";
import {
  type ClusterBody,
  type ErrorBody,
  type Link,
  type ListBody,
  apiPath,
  clustersPath,
  json,
  modePath,
  pathOf,
  projectId,
  sendRaw,
} from "./client";
import { fiveClusters, seedOf } from "./seeds";
import { useSimulator } from "./testService";

describe("the API", () => {
  const service = useSimulator({ seed: fiveClusters, requestsPerMinute: Infinity }, "before");
  const list = async (query = "") =>
    json<ListBody<ClusterBody>>(await service.call(`${clustersPath}${query}`));
  const rels = (links: Link[]) => links.map(({ rel }) => rel);

  it("accepts 1 to 500 items per page and page numbers from 1, and rejects other values with a 400 that names the parameter [4.3, 8 items]", async () => {
    assert.equal((await service.call(`${clustersPath}?itemsPerPage=500`)).status, 200);
    for (const query of [
      "itemsPerPage=501",
      "itemsPerPage=0",
      "itemsPerPage=ten",
      "itemsPerPage=",
      "itemsPerPage=1.5",
      "pageNum=0",
      "pageNum=-1",
      "pageNum=99999999999",
      "includeCount=yes",
      "includeCount=TRUE",
      "pageNum=1&pageNum=2",
    ]) {
      const response = await service.call(`${clustersPath}?${query}`);
      assert.equal(response.status, 400, query);
      const body = json<ErrorBody>(response);
      assert.equal(body.errorCode, "INVALID_QUERY_PARAMETER");
      assert.deepEqual(body.parameters, [query.split("=")[0]]);
    }
  });

  it("accepts pretty and envelope as booleans on every request [4.2]", async () => {
    const paths = ["", "/groups", `/groups/${projectId}`, clustersPath, modePath];
    for (const path of paths) {
      assert.equal((await service.call(`${path}?pretty=true&envelope=true`)).status, 200);
      assert.equal((await service.call(`${path}?pretty=1`)).status, 400);
    }
  });

  it("ignores unknown query parameters", async () => {
    const query =
      "includeDeletedWithRetainedBackups=false&itemsPerPage=2&page=2&page=3&__proto__=1";
    const body = json<ListBody<ClusterBody>>(await service.call(`${clustersPath}?${query}`));
    assert.equal(body.results.length, 2);
    const next = body.links.find(({ rel }) => rel === "next");
    assert.equal((await service.call(pathOf(next))).status, 200);
    assert.equal((await service.call(`/groups/${projectId}?pageNum=x`)).status, 200);
  });

  it("rejects a body with 400 if its content type is not JSON or it is not a valid object [4.1]", async () => {
    const requests: [string, string][] = [
      ["POST", clustersPath],
      ["PUT", `${clustersPath}/c0`],
      ["PATCH", `${clustersPath}/c0`],
      ["PATCH", modePath],
    ];
    for (const [method, path] of requests) {
      for (const type of [
        undefined,
        "text/plain",
        "application/x-www-form-urlencoded",
        "nonsense",
      ]) {
        const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
        const response = await service.call(path, { method, headers, body: "{}" });
        assert.equal(response.status, 400, `${method} ${type}`);
      }
      for (const body of ["", "{", "nothing"]) {
        const headers = { "content-type": "application/json" };
        const response = await service.call(path, { method, headers, body });
        assert.equal(json<ErrorBody>(response).errorCode, "MALFORMED_JSON");
      }
      for (const value of [[], null, 3, "x"]) {
        const response = await service.call(path, { method, json: value });
        assert.equal(json<ErrorBody>(response).errorCode, "INVALID_ATTRIBUTE");
      }
    }
  });

  it("links the pages of a list, with their count, and retains the query in the links [4.3, 4.5]", async () => {
    const first = await list("?itemsPerPage=2");
    assert.equal(first.totalCount, 5);
    assert.deepEqual(rels(first.links), ["self", "next"]);
    const names: string[] = [];
    let path: string | undefined = `${clustersPath}?itemsPerPage=2&includeCount=false&pretty=true`;
    let last: ListBody<ClusterBody> | undefined;
    while (path !== undefined) {
      const response = await service.call(path);
      assert.match(response.text, /\n/);
      last = json<ListBody<ClusterBody>>(response);
      assert.ok(!("totalCount" in last));
      names.push(...last.results.map(({ name }) => name));
      const next: Link | undefined = last.links.find(({ rel }) => rel === "next");
      path = next && pathOf(next);
    }
    assert.deepEqual(names, ["c0", "c1", "c2", "c3", "c4"]);
    assert.deepEqual(rels(last?.links ?? []), ["self", "previous"]);
  });

  it("returns 200 without results beyond the last page and for an empty list [4.3 rule 1]", async () => {
    const beyond = await list("?pageNum=9");
    assert.deepEqual(beyond.results, []);
    assert.equal(beyond.totalCount, 5);
    const empty = service.simulator.addProject({
      id: "64a0c0ffee0000000000a009",
      name: "empty",
      organization: "acme",
    });
    const response = await service.call(`/groups/${empty.id}/clusters`);
    assert.equal(response.status, 200);
    assert.deepEqual(json<ListBody<unknown>>(response).results, []);
  });

  it("returns 404 for the list of a project that does not exist [4.3 rule 2, 2.1, 7.1]", async () => {
    const response = await service.call("/groups/64a0c0ffee000000000000ff/clusters");
    assert.equal(response.status, 404);
    assert.equal(json<ErrorBody>(response).errorCode, "GROUP_NOT_FOUND");
  });

  it("adds whitespace only if pretty is true, and never changes the value [4.2]", async () => {
    const plain = await service.call(`${clustersPath}/c0`);
    const pretty = await service.call(`${clustersPath}/c0?pretty=true`);
    assert.ok(!plain.text.includes("\n"));
    assert.match(pretty.text, /^\{\n {2}"/);
    assert.deepEqual(json(pretty), json(plain));
  });

  it("wraps an entity with its status in an envelope, and adds the status to a list [4.4]", async () => {
    const entity = await service.call(`${clustersPath}/c0`);
    const wrapped = await service.call(`${clustersPath}/c0?envelope=true`);
    assert.equal(wrapped.status, 200);
    assert.deepEqual(json(wrapped), { status: 200, content: json(entity) });
    const inEnvelope = await list("?envelope=true");
    assert.equal(inEnvelope.status, 200);
    assert.equal(inEnvelope.results.length, 5);
    assert.ok(!("status" in (await list())));
  });

  it("links the root to every resource, and each entity to itself, all as JSON [1 rule 4, 1 rule 5, 2.4, 4.5, 9 rule 2]", async () => {
    const seen = new Set<string>();
    const visit = async (path: string): Promise<void> => {
      if (seen.has(path)) return;
      seen.add(path);
      const response = await service.call(path);
      assert.equal(response.status, 200, path);
      assert.match(String(response.headers["content-type"]), /^application\/json/);
      const body = json<{ links: Link[]; results?: { links: Link[] }[] }>(response);
      assert.equal(pathOf(body.links.find(({ rel }) => rel === "self")), path);
      for (const each of [body, ...(body.results ?? [])]) {
        for (const link of each.links) await visit(pathOf(link));
      }
    };
    await visit("");
    for (const path of [
      "",
      "/groups",
      `/groups/${projectId}`,
      clustersPath,
      `${clustersPath}/c0`,
      modePath,
    ]) {
      assert.ok(seen.has(path), path);
    }
  });

  it("links a list item to itself only, and an entity with prefixed relations [2.4]", async () => {
    for (const element of (await list()).results) assert.deepEqual(rels(element.links), ["self"]);
    const { links } = json<ClusterBody>(await service.call(`${clustersPath}/c0`));
    assert.ok(rels(links).some((rel) => rel.startsWith("https://")));
  });

  it("formats dates as ISO 8601 in UTC, including those of a seed with another time zone or none [2.5 dates]", async () => {
    assert.equal((await list()).results[0]?.createDate, "2024-05-01T10:00:00Z");
    const project = service.simulator.project(projectId);
    for (const [createdAt, expected] of [
      ["2024-05-01T12:00:00", "2024-05-01T12:00:00Z"],
      ["2024-05-01T12:00", "2024-05-01T12:00:00Z"],
      ["2024-05-01T12:00:00-05:00", "2024-05-01T17:00:00Z"],
      ["2024-05-01", "2024-05-01T00:00:00Z"],
      ["2024-05-01T12:00:00.5+02:00", "2024-05-01T10:00:00.500Z"],
    ] as const) {
      project.updateCluster("c4", { createdAt });
      const { createDate } = json<ClusterBody>(await service.call(`${clustersPath}/c4`));
      assert.equal(createDate, expected);
    }
    for (const createdAt of ["yesterday", "2024-05-01T12:00:00+24:00", "12:00", "2024-02-30"]) {
      assert.throws(
        () => project.updateCluster("c4", { createdAt }),
        /must be an ISO .*\n {2}→ at createdAt/,
      );
    }
  });

  it("returns a default for an empty field or omits it, units in field names, and the version in two forms [2.2, 2.5 empty fields, 2.5 unit-bearing numbers]", async () => {
    const [cluster] = (await list()).results;
    assert.deepEqual(cluster?.privateEndpoints, []);
    assert.equal(cluster.paused, false);
    assert.ok(!("private" in cluster.connectionStrings));
    assert.equal(cluster.diskSizeGB, 10);
    assert.match(cluster.dbMajorVersion ?? "", /^\d+\.\d+$/);
    assert.match(cluster.dbVersion ?? "", /^\d+\.\d+\.\d+$/);
  });

  it("returns errors with exactly five fields, with the reason phrase of the status [7.2, 1 rule 4]", async () => {
    const responses = [
      await service.send(apiPath),
      await service.call("/nothing/here"),
      await service.call("", { method: "DELETE" }),
      await service.call("?pretty=1"),
      await service.post("/groups", {}),
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

  const line = `GET ${apiPath} HTTP/1.1\r\n`;
  const post = `POST / HTTP/1.1\r\nhost: a\r\n`;
  const chunked = "transfer-encoding: chunked\r\n";
  for (const [what, request] of Object.entries({
    "no Host header": `${line}\r\n`,
    "an expectation that nothing meets": `${line}host: a\r\nexpect: nonsense\r\n\r\n`,
    "headers that are too long": `${line}x: ${"x".repeat(20_000)}\r\n\r\n`,
    "a chunk with too long extensions": `${post}${chunked}\r\n1;${"x".repeat(20_000)}\r\n\r\n`,
    "another version of HTTP": "GET / HTTP/1.2\r\nhost: a\r\n\r\n",
    "no HTTP": "nonsense\r\n\r\n",
  })) {
    it(`returns five fields and status 400 for ${what}, and closes the connection [7.2]`, async () => {
      const [head = "", body = ""] = (await sendRaw(service.simulator, request)).split("\r\n\r\n");
      assert.match(
        head,
        /^HTTP\/1\.1 400 Bad Request\r\n(?:.+\r\n)*content-type: application\/json/,
      );
      const { detail, ...others } = JSON.parse(body) as ErrorBody;
      assert.match(detail, / header |^The HTTP request cannot be read: /);
      const name = /^The (\w+) header/.exec(detail)?.slice(1) ?? [];
      const errorCode = "INVALID_REQUEST";
      assert.deepEqual(others, { error: 400, errorCode, parameters: name, reason: "Bad Request" });
    });
  }

  it("returns 404 RESOURCE_NOT_FOUND for a path that ends with a slash [7.1]", async () => {
    for (const path of ["/", "/groups/", `${clustersPath}/`, `${modePath}/`]) {
      for (const method of ["GET", "PATCH", "DELETE"]) {
        const response = await service.call(path, { method });
        const { errorCode, parameters } = json<ErrorBody>(response);
        assert.deepEqual([response.status, errorCode], [404, "RESOURCE_NOT_FOUND"], path);
        assert.deepEqual(parameters, [`${apiPath}${path}`]);
      }
    }
  });

  it("returns the requested path of a missing resource in the parameters of the error [7.2]", async () => {
    const missingProject = "/groups/64a0c0ffee000000000000ff";
    const unknown = json<ErrorBody>(await service.call("/no/such/thing"));
    assert.equal(unknown.errorCode, "RESOURCE_NOT_FOUND");
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

  it("wraps an error in an envelope with its status if envelope is true [4.2, 4.4]", async () => {
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

  it("authenticates before it rejects a path that cannot be decoded, with pretty and envelope [4.2, 5 rule 5]", async () => {
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

  it("returns 405 for an unsupported method, with the supported ones in Allow [4.1, 7.1]", async () => {
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

  it("returns 405 even for a method that HTTP does not define [4.1]", async () => {
    for (const request of ["NONSENSE /api/service/v1.0", "CONNECT localhost:1", "get /"]) {
      const text = await sendRaw(
        service.simulator,
        `${request} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
      );
      assert.match(text, /^HTTP\/1\.1 405 Method Not Allowed\r\nallow: HEAD, GET, /, request);
      assert.match(text, /"errorCode":"METHOD_NOT_ALLOWED"/);
    }
  });
});

describe("versions by media type", () => {
  const service = useSimulator({
    seed: seedOf([{ name: "orders" }]),
    versions: { dates: ["2024-08-05", "2022-01-01", "2023-01-01"] },
  });
  const mediaType = (date: string) => `application/vnd.clouddb.${date}+json`;
  const get = (path: string, accept?: string) =>
    service.call(path, accept === undefined ? {} : { headers: { accept } });

  it("are selected by date, as the newest version up to the requested one [9 rule 3]", async () => {
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

  it("are selected for each request to a resource [9 rule 1]", async () => {
    const { headers } = await get(clustersPath, mediaType("2023-01-01"));
    assert.match(String(headers["content-type"]), /2023-01-01/);
    const mode = await get(modePath, mediaType("2024-08-05"));
    assert.match(String(mode.headers["content-type"]), /2024-08-05/);
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

  it("are checked before a change is made", async () => {
    const sending = { method: "POST", json: { name: "more" }, headers: { accept: "*/*" } };
    assert.equal((await service.call(clustersPath, sending)).status, 406);
    assert.equal(service.simulator.project("64a0c0ffee0000000000a001").clusters.length, 1);
  });

  it("are off by default [9 rule 3]", async () => {
    await service.start({ versions: undefined });
    const { status, headers } = await get(clustersPath);
    assert.equal(status, 200);
    assert.equal(headers["content-type"], "application/json; charset=utf-8");
  });
});
