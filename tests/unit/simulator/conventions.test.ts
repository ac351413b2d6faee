import assert from "node:assert/strict";
import { request } from "node:http";
import { connect } from "node:net";
import { type Simulator, startSimulator } from "../../../simulator/src";
import {
  apiPath,
  call,
  type ClusterBody,
  type ErrorBody,
  json,
  type Link,
  type ListBody,
  pathOf,
  projectId,
  send,
} from "./client";
import { seedOf } from "./seeds";

const clustersPath = `/groups/${projectId}/clusters`;

describe("the API's conventions", function () {
  this.timeout(30_000);
  let simulator: Simulator;
  before(async () => {
    simulator = await startSimulator({
      seed: seedOf(
        Array.from({ length: 5 }, (_, at) => ({
          name: `c${at}`,
          createdAt: "2024-05-01T12:00:00+02:00",
        })),
      ),
      requestsPerMinute: Infinity,
    });
  });
  after(() => simulator.stop());

  const list = async (query = "") =>
    json<ListBody<ClusterBody>>(await call(simulator, `${clustersPath}${query}`));
  const rels = (links: Link[]) => links.map(({ rel }) => rel);

  describe("transport", () => {
    it("uses a certificate that clients with the CA can verify by address and by name [1 rule 6]", async () => {
      const { port } = new URL(simulator.url);
      for (const host of ["127.0.0.1", "localhost"]) {
        const service = { url: `https://${host}:${port}`, ca: simulator.ca };
        assert.equal((await send(service, apiPath)).status, 401);
      }
      const stranger = await startSimulator({ seed: seedOf([]) });
      await assert.rejects(
        send({ url: simulator.url, ca: stranger.ca }, apiPath),
        /certificate|signature/i,
      );
      await stranger.stop();
    });

    it("can listen on ::1", async () => {
      const six = await startSimulator({ seed: seedOf([]), host: "::1" });
      assert.match(six.url, /^https:\/\/\[::1\]:\d+$/);
      assert.equal((await call(six, "")).status, 200);
      await six.stop();
    });

    it("rejects plain HTTP on the port configured for it, and does not respond to it on the HTTPS port [1 rule 6]", async () => {
      const plain = (port: string) =>
        new Promise<number>((resolve, reject) => {
          request({ host: "127.0.0.1", port, path: apiPath }, (response) => {
            response.resume();
            resolve(response.statusCode ?? 0);
          })
            .on("error", reject)
            .end();
        });
      await assert.rejects(plain(new URL(simulator.url).port));
      const both = await startSimulator({ seed: seedOf([]), httpPort: 0 });
      assert.equal(await plain(new URL(both.httpUrl ?? "").port), 403);
      await both.stop();
    });
  });

  describe("links", () => {
    it("lead from the root to every resource, and from each entity to itself [1 rule 5, 2.4, 4.5, 9 rule 2]", async () => {
      const seen = new Set<string>();
      const visit = async (path: string): Promise<void> => {
        if (seen.has(path)) return;
        seen.add(path);
        const response = await call(simulator, path);
        assert.equal(response.status, 200, path);
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
        `/groups/${projectId}/privateIpMode`,
      ]) {
        assert.ok(seen.has(path), path);
      }
    });

    it("of a list item are `self` only, and those of an entity include prefixed relations [2.4]", async () => {
      for (const element of (await list()).results) assert.deepEqual(rels(element.links), ["self"]);
      const { links } = json<ClusterBody>(await call(simulator, `${clustersPath}/c0`));
      assert.ok(rels(links).some((rel) => rel.startsWith("https://")));
    });
  });

  describe("values", () => {
    it("format dates as ISO 8601 in UTC, including those sent with another time zone or none [2.5 dates]", async () => {
      assert.equal((await list()).results[0]?.createDate, "2024-05-01T10:00:00Z");
      const sent = [
        ["2124-05-01T12:00:00", "2124-05-01T12:00:00Z"],
        ["2124-05-01T12:00:00-05:00", "2124-05-01T17:00:00Z"],
        ["2124-05-01", "2124-05-01T00:00:00Z"],
      ] as const;
      for (const [deleteAfterDate, expected] of sent) {
        const response = await call(simulator, `${clustersPath}/c4`, {
          method: "PATCH",
          json: { deleteAfterDate },
        });
        assert.equal(json<ClusterBody>(response).deleteAfterDate, expected);
      }
      for (const deleteAfterDate of ["yesterday", "2124-02-30", "2124-05-01T25:00:00Z", 5]) {
        const response = await call(simulator, `${clustersPath}/c4`, {
          method: "PATCH",
          json: { deleteAfterDate },
        });
        assert.equal(response.status, 400);
        assert.deepEqual(json<ErrorBody>(response).parameters, ["deleteAfterDate"]);
      }
    });

    it("have a sensible default or are omitted [2.5 empty fields]", async () => {
      const [cluster] = (await list()).results;
      assert.deepEqual(cluster?.privateEndpoints, []);
      assert.equal(cluster.paused, false);
      assert.ok(!("deleteAfterDate" in cluster));
    });

    it("with a unit include it in the field name [2.5 unit-bearing numbers]", async () => {
      assert.equal((await list()).results[0]?.diskSizeGB, 10);
    });

    it("contain the version as major.minor and as major.minor.patch [2.2]", async () => {
      const [cluster] = (await list()).results;
      assert.match(cluster?.dbMajorVersion ?? "", /^\d+\.\d+$/);
      assert.match(cluster?.dbVersion ?? "", /^\d+\.\d+\.\d+$/);
    });
  });

  describe("lists", () => {
    it("contain the count, the results and the links of a page [4.3, 4.5]", async () => {
      const first = await list("?itemsPerPage=2");
      assert.deepEqual(
        first.results.map(({ name }) => name),
        ["c0", "c1"],
      );
      assert.equal(first.totalCount, 5);
      assert.deepEqual(rels(first.links), ["self", "next"]);
    });

    it("can be read completely through their links, which retain the query [4.3]", async () => {
      const names: string[] = [];
      let path: string | undefined =
        `${clustersPath}?itemsPerPage=2&includeCount=false&pretty=true`;
      let last: ListBody<ClusterBody> | undefined;
      while (path !== undefined) {
        const response = await call(simulator, path);
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

    it("return 200 without results beyond the last page or without items [4.3 rule 1]", async () => {
      const beyond = await list("?pageNum=9");
      assert.deepEqual(beyond.results, []);
      assert.equal(beyond.totalCount, 5);
      const empty = simulator.addProject({
        id: "64a0c0ffee0000000000a009",
        name: "empty",
        organization: "acme",
      });
      const response = await call(simulator, `/groups/${empty.id}/clusters`);
      assert.equal(response.status, 200);
      assert.deepEqual(json<ListBody<unknown>>(response).results, []);
    });

    it("return 404 for a project that does not exist [4.3 rule 2, 2.1, 7.1]", async () => {
      const response = await call(simulator, "/groups/64a0c0ffee000000000000ff/clusters");
      assert.equal(response.status, 404);
      assert.equal(json<ErrorBody>(response).errorCode, "GROUP_NOT_FOUND");
    });

    it("accept 1 to 500 items and pages from 1, and reject any other parameter by name [4.3, 8 items]", async () => {
      assert.equal((await call(simulator, `${clustersPath}?itemsPerPage=500`)).status, 200);
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
        "page=2",
        "pageNum=1&pageNum=2",
        "__proto__=1",
      ]) {
        const response = await call(simulator, `${clustersPath}?${query}`);
        assert.equal(response.status, 400, query);
        const body = json<ErrorBody>(response);
        assert.equal(body.errorCode, "INVALID_QUERY_PARAMETER");
        assert.deepEqual(body.parameters, [query.split("=")[0]]);
      }
    });
  });

  describe("pretty and envelope", () => {
    it("add whitespace only on request, and never change the value [4.2]", async () => {
      const plain = await call(simulator, `${clustersPath}/c0`);
      const pretty = await call(simulator, `${clustersPath}/c0?pretty=true`);
      assert.ok(!plain.text.includes("\n"));
      assert.match(pretty.text, /^\{\n {2}"/);
      assert.deepEqual(json(pretty), json(plain));
    });

    it("wrap an entity with its status, and add the status to a list [4.4]", async () => {
      const entity = await call(simulator, `${clustersPath}/c0`);
      const wrapped = await call(simulator, `${clustersPath}/c0?envelope=true`);
      assert.equal(wrapped.status, 200);
      assert.deepEqual(json(wrapped), { status: 200, content: json(entity) });
      const inEnvelope = await list("?envelope=true");
      assert.equal(inEnvelope.status, 200);
      assert.equal(inEnvelope.results.length, 5);
      assert.ok(!("status" in (await list())));
    });

    it("are valid on every request, and must be booleans [4.2]", async () => {
      const paths = [
        "",
        "/groups",
        `/groups/${projectId}`,
        clustersPath,
        `/groups/${projectId}/privateIpMode`,
      ];
      for (const path of paths) {
        assert.equal((await call(simulator, `${path}?pretty=true&envelope=true`)).status, 200);
        assert.equal((await call(simulator, `${path}?pretty=1`)).status, 400);
        assert.equal((await call(simulator, `${path}?envelop=true`)).status, 400);
      }
      assert.equal((await call(simulator, `/groups/${projectId}?pageNum=1`)).status, 400);
    });
  });

  describe("methods", () => {
    it("return the headers of GET without a body for HEAD [4.1]", async () => {
      for (const path of ["", "/groups", clustersPath, `${clustersPath}/c0`]) {
        const head = await call(simulator, path, { method: "HEAD" });
        const get = await call(simulator, path);
        assert.equal(head.status, 200);
        assert.equal(head.text, "");
        assert.equal(head.headers["content-length"], get.headers["content-length"]);
        assert.equal(head.headers["content-type"], get.headers["content-type"]);
      }
    });

    it("return 405 with Allow if the resource does not support them [4.1, 7.1]", async () => {
      const expected: [string, string, string][] = [
        ["DELETE", "", "HEAD, GET"],
        ["PUT", clustersPath, "HEAD, GET, POST"],
        ["POST", `${clustersPath}/c0`, "HEAD, GET, PATCH, PUT, DELETE"],
        ["PUT", `/groups/${projectId}/privateIpMode`, "HEAD, GET, PATCH"],
        ["OPTIONS", clustersPath, "HEAD, GET, POST"],
        ["PROPFIND", clustersPath, "HEAD, GET, POST"],
      ];
      for (const [method, path, allow] of expected) {
        const response = await call(simulator, path, { method });
        assert.equal(response.status, 405, `${method} ${path}`);
        assert.equal(response.headers.allow, allow);
        assert.equal(json<ErrorBody>(response).errorCode, "METHOD_NOT_ALLOWED");
      }
    });
  });

  describe("errors", () => {
    it("have exactly five fields, with the reason phrase of the status [7.2, 1 rule 4]", async () => {
      const responses = [
        await send(simulator, apiPath),
        await call(simulator, "/nothing/here"),
        await call(simulator, "", { method: "DELETE" }),
        await call(simulator, "?x=1"),
        await call(simulator, "/groups", { method: "POST", json: {} }),
        await send(simulator, "/%zz"),
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

    it("contain the path if it is unknown [7.2]", async () => {
      const body = json<ErrorBody>(await call(simulator, "/no/such/thing?pretty=true"));
      assert.equal(body.error, 404);
      assert.equal(body.errorCode, "RESOURCE_NOT_FOUND");
      assert.equal(body.reason, "Not Found");
      assert.deepEqual(body.parameters, [`${apiPath}/no/such/thing`]);
    });

    it("require authentication for percent-encoded paths, too", async () => {
      const target = `/api/servic%65/v1%2E0/groups/${projectId}/clusters`;
      assert.equal((await send(simulator, target)).status, 401);
      const service = { ...simulator, apiPath: "/api/servic%65/v1%2E0" };
      assert.equal((await call(service, `/groups/${projectId}/%63lusters/c0`)).status, 200);
    });

    it("are returned even for data that is not an HTTP request", async () => {
      const { port } = new URL(simulator.url);
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => undefined);
      socket.write("nonsense\r\n\r\n");
      await new Promise((resolve) => socket.on("close", resolve));
      assert.equal((await call(simulator, "")).status, 200);
    });
  });

  it("require a body with the JSON content type on POST, PUT and PATCH [4.1]", async () => {
    const requests: [string, string][] = [
      ["POST", clustersPath],
      ["PUT", `${clustersPath}/c0`],
      ["PATCH", `${clustersPath}/c0`],
      ["PATCH", `/groups/${projectId}/privateIpMode`],
    ];
    for (const [method, path] of requests) {
      for (const type of [
        undefined,
        "text/plain",
        "application/x-www-form-urlencoded",
        "nonsense",
      ]) {
        const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
        const response = await call(simulator, path, { method, headers, body: "{}" });
        assert.equal(response.status, 400, `${method} ${type}`);
      }
      for (const body of ["", "{", "nothing"]) {
        const headers = { "content-type": "application/json" };
        const response = await call(simulator, path, { method, headers, body });
        assert.equal(json<ErrorBody>(response).errorCode, "MALFORMED_JSON");
      }
      for (const value of [[], null, 3, "x"]) {
        const response = await call(simulator, path, { method, json: value });
        assert.equal(json<ErrorBody>(response).errorCode, "INVALID_ATTRIBUTE");
      }
    }
  });
});
