import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { createSocket } from "node:dgram";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { connect } from "node:net";
import { promisify } from "node:util";
import { quickstartSeed } from "../../../service";
import { type ClusterBody, clustersPath, json, projectId } from "../client";
import { useSimulator } from "../testService";

const run = promisify(execFile);

describe("the DNS of the simulator", () => {
  const tested = useSimulator({ seed: quickstartSeed(), dns: {} });
  let internet: Resolver;
  let peered: Resolver;

  beforeEach(() => {
    internet = resolverAt(tested.simulator.dns?.internet);
    peered = resolverAt(tested.simulator.dns?.peeredNetwork);
  });

  const resolverAt = (address: string | undefined) => {
    const resolver = new Resolver({ tries: 1, timeout: 2000 });
    resolver.setServers([String(address)]);
    return resolver;
  };
  const strings = async (cluster: string) => {
    const response = await tested.call(`${clustersPath}/${cluster}`);
    const { connectionStrings } = json<ClusterBody>(response);
    const host = (srv: string | undefined) => String(srv).replace(/^.*:\/\//, "");
    return {
      ...connectionStrings,
      srvHost: host(connectionStrings.standardSrv),
      privateHost: host(connectionStrings.privateSrv),
    };
  };

  it("resolves the SRV name of a string to the hosts of the host list [2.6 standard]", async () => {
    const { standard, srvHost } = await strings("orders");
    const records = await internet.resolveSrv(`_db._tcp.${srvHost}`);
    const hosts = records.map(({ name, port }) => `${name}:${port}`).sort();
    assert.deepEqual(hosts, /:\/\/([^/]*)/.exec(String(standard))?.[1]?.split(","));
  });

  it("returns the options of the host list as the TXT record of the SRV name", async () => {
    const { standard, srvHost } = await strings("orders");
    const replicaSet = /replicaSet=[\w-]+/.exec(String(standard))?.[0];
    assert.deepEqual(await internet.resolveTxt(srvHost), [[`authSource=admin&${replicaSet}`]]);
  });

  it("resolves hosts to the addresses of the client's network [2.6 standard, 2.6 peering-private]", async () => {
    const [host = ""] =
      /orders-shard-00-00[^:]*/.exec(String((await strings("orders")).standard)) ?? [];
    assert.match(String(await internet.resolve4(host)), /^203\.0\.113\./);
    assert.match(String(await internet.resolve6(host)), /^2001:db8:/);
    assert.match(String(await peered.resolve4(host)), /^10\./);
    assert.match(String(await peered.resolve6(host)), /^fd00:/);
    assert.match(String(await internet.resolve4((await strings("orders")).privateHost)), /^10\./);
  });

  it("resolves legacy names to private addresses only while private IP mode is on [2.6 legacy]", async () => {
    const legacy = String((await strings("billing")).legacySrv).replace(/^.*:\/\//, "");
    tested.simulator.project(projectId).setPrivateIpMode(true);
    assert.match(String(await internet.resolve4(legacy)), /^10\./);
    tested.simulator.project(projectId).setPrivateIpMode(false);
    assert.match(String(await internet.resolve4(legacy)), /^203\.0\.113\./);
  });

  it("resolves every name in every connection string [2.6 private endpoint, 2.6 optimized]", async () => {
    for (const cluster of ["orders", "billing", "analytics", "sessions"]) {
      const text = JSON.stringify(await strings(cluster));
      const uris = text.match(/db(\+srv)?:\/\/[^"/]*/g) ?? [];
      assert.ok(uris.length >= 2);
      for (const uri of uris) {
        const hosts = uri.replace(/^.*:\/\//, "").split(",");
        for (const host of hosts) await peered.resolve4(host.replace(/:\d+$/, ""));
        if (uri.startsWith("db+srv")) await peered.resolveSrv(`_db._tcp.${String(hosts[0])}`);
      }
    }
  });

  it("ignores the case of a name", async () => {
    const { srvHost } = await strings("orders");
    const lower = await internet.resolve4(srvHost);
    assert.deepEqual(await internet.resolve4(srvHost.toUpperCase()), lower);
  });

  it("distinguishes unknown names, names without such a record, and other domains", async () => {
    const { srvHost } = await strings("orders");
    await assert.rejects(internet.resolve4(`no${srvHost}`), { code: "ENOTFOUND" });
    await assert.rejects(internet.resolveMx(srvHost), { code: "ENODATA" });
    await assert.rejects(internet.resolve4(`_tcp.${srvHost}`), { code: "ENODATA" });
    await assert.rejects(internet.resolve4("example.com"), { code: "EREFUSED" });
  });

  it("forgets the names of a removed cluster", async () => {
    const { srvHost } = await strings("orders");
    tested.simulator.project(projectId).removeCluster("orders");
    await assert.rejects(internet.resolve4(srvHost), { code: "ENOTFOUND" });
  });

  it("survives messages that are not queries, over UDP and TCP", async () => {
    const [host = "", port = ""] = String(tested.simulator.dns?.internet).split(":");
    const udp = createSocket("udp4");
    for (const message of ["", "GET / HTTP/1.1\r\n\r\n", "\u0000".repeat(12), "\xff".repeat(600)]) {
      await new Promise((sent) => {
        udp.send(message, Number(port), host, sent);
      });
    }
    udp.close();
    const tcp = connect(Number(port), host);
    tcp.on("error", () => undefined).end("\x00\x05hello\xff\xff");
    await once(tcp, "close");
    assert.equal((await internet.resolve4((await strings("orders")).srvHost)).length, 1);
  });

  it("is accepted by dig, over UDP and TCP", async function () {
    const [host = "", port = ""] = String(tested.simulator.dns?.internet).split(":");
    const dig = async (...args: string[]) => {
      const options = [`@${host}`, "-p", port, "+time=2", "+tries=1", "+norecurse"];
      const { stdout } = await run("dig", [...options, ...args]);
      return stdout;
    };
    try {
      await run("dig", ["-v"]);
    } catch {
      console.log("    Skipped: dig is not installed.");
      this.skip();
    }
    const name = `_db._tcp.${(await strings("orders")).srvHost}`;
    for (const transport of ["+notcp", "+tcp"]) {
      const output = await dig(transport, "SRV", name);
      assert.match(output, /status: NOERROR/);
      assert.match(output, /flags: qr aa/);
      assert.equal((output.match(/IN\s+SRV\s+0 0 27017/g) ?? []).length, 3);
      assert.doesNotMatch(output, /WARNING|malformed/i);
    }
  });
});
