import assert from "node:assert/strict";
import { once } from "node:events";
import { type Server, createServer } from "node:http";
import { type Socket, connect } from "node:net";
import type { Simulator } from "clouddb-simulator";
import { key, projectId, startService } from "../../service";
import { testClient, urlOf } from "./testClient";

describe("a proxy", () => {
  let service: Simulator;
  let proxy: Server;
  let sockets: Set<Socket>;
  /** The targets and the bytes that the proxy saw. */
  let tunnels: string[];
  let seen: Buffer[];

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());

  beforeEach(async () => {
    [sockets, tunnels, seen] = [new Set(), [], []];
    proxy = createServer().on("connect", ({ url = "" }, client: Socket) => {
      tunnels.push(url);
      const [host, port] = url.split(":");
      const target = connect(Number(port), host, () => {
        client.write("HTTP/1.1 200 Connection established\r\n\r\n");
        client.on("data", (bytes: Buffer) => seen.push(bytes));
        client.pipe(target).pipe(client);
      });
      sockets.add(client).add(target);
    });
    proxy.listen(0, "127.0.0.1");
    await once(proxy, "listening");
  });
  afterEach(() => {
    for (const socket of sockets) socket.destroy();
    proxy.close();
    delete process.env["HTTPS_PROXY"];
    delete process.env["NO_PROXY"];
  });

  function listThrough(environment: { NO_PROXY?: string }) {
    const HTTPS_PROXY = urlOf(proxy).replace("https:", "http:");
    Object.assign(process.env, { HTTPS_PROXY, ...environment });
    const client = testClient(service, { credentials: { kind: "apiKey", ...key } });
    return client.listClusters(projectId);
  }

  it("of HTTPS_PROXY is tunnelled through, and sees no request", async () => {
    assert.equal((await listThrough({})).length, 4);
    assert.deepEqual([...new Set(tunnels)], [new URL(service.url).host]);
    const text = Buffer.concat(seen).toString("latin1");
    assert.doesNotMatch(text, /GET|Digest|demo/);
  });

  it("is left out for the hosts of NO_PROXY", async () => {
    assert.equal((await listThrough({ NO_PROXY: "127.0.0.1" })).length, 4);
    assert.deepEqual(tunnels, []);
  });
});
