/** A DNS server, and hosts that speak TLS or fail in some way, for what a driver and the check of a string do with them. */
import { createSocket } from "node:dgram";
import dns from "node:dns/promises";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import {
  type AddressInfo,
  type LookupFunction,
  type Server,
  type Socket,
  createServer,
} from "node:net";
import { join } from "node:path";
import { type TlsOptions, createServer as createTlsServer } from "node:tls";
import { type Answer, decode, encode } from "dns-packet";
import { MongoClient, type TopologyDescription } from "mongodb";
import { helloIn, onMessage, reply } from "../database/front";
import { loopbackCertificate } from "./certificate";
import { type Cleanup, temporaryFolder } from "./cleanup";

const responseCodes = { SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

/** Records, a response code, a response that is truncated, or none. */
export type DnsAnswer = readonly Answer[] | keyof typeof responseCodes | "truncated" | "silence";

/**
 * Starts a DNS server, which accepts UDP only. Returns its address and the names that it was asked.
 *
 * @param zone the answers by type and name, such as `TXT orders.db.example`. By default, a name has no TXT record, and
 * its address is that of loopback.
 * @param answerService the answer for a name of SRV records that is not in the zone. Default: none
 */
export async function startDns(
  cleanup: Cleanup,
  zone: Readonly<Record<string, DnsAnswer>>,
  answerService: (name: string) => Answer[] = () => [],
) {
  const asked: string[] = [];
  const server = createSocket("udp4");
  server.on("message", (message, { port, address }) => {
    const { id = 0, questions = [] } = decode(message);
    const [{ type, name } = { type: "A" as const, name: "" }] = questions;
    asked.push(name);
    const loopback: Answer[] = type === "A" ? [{ type, name, data: "127.0.0.1" }] : [];
    const other = type === "SRV" ? answerService(name) : loopback;
    const found = zone[`${type} ${name}`] ?? zone["*"] ?? other;
    if (found === "silence") return;
    const answers = typeof found === "string" ? [] : [...found];
    const flags = 0x180 | (typeof found === "string" ? flagsOf(found) : 0);
    const response = { type: "response", id, flags, questions, answers } as const;
    server.send(encode(response), port, address);
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  cleanup(() => server.close());
  return { address: `127.0.0.1:${server.address().port}`, asked };
}

function flagsOf(answer: keyof typeof responseCodes | "truncated"): number {
  return answer === "truncated" ? 0x200 : responseCodes[answer];
}

/** What a host does. The first two are members of a replica set. */
export type HostKind =
  | "primary"
  | "secondary"
  | "router"
  | "router without TLS"
  | "end after the handshake"
  | keyof typeof failures;

/** Bytes of TLS that end a handshake (RFC 8446 6). */
const alert = (code: number) => Buffer.from([0x15, 3, 3, 0, 2, 2, code]);

/** The first byte of a TLS handshake (RFC 8446 5.1). */
const handshakeType = 0x16;

const failures = {
  "closed port": () => undefined,
  "alert 80": (socket: Socket) => socket.end(alert(80)),
  "alert 40": (socket: Socket) => socket.end(alert(40)),
  reset: (socket: Socket) => socket.resetAndDestroy(),
  end: (socket: Socket) => socket.end(),
  "plain text": (socket: Socket) => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n"),
};

/** A port that no program of a test can get. */
const closedPort = 1;

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

export interface Hosts {
  /** Each as `<name>:<port>`, in the given order. */
  readonly list: readonly string[];
  /** Their certificate. Clients must trust it. */
  readonly caFile: string;
}

/**
 * Starts hosts with a certificate for certified names; by default, for all of them. Its validity can have ended.
 *
 * @param tls what they want of clients
 */
export async function startHosts(
  cleanup: Cleanup,
  kinds: Readonly<Record<string, HostKind>>,
  certified: readonly string[] = Object.keys(kinds),
  hasExpired = false,
  tls: TlsOptions = {},
): Promise<Hosts> {
  const { cert, key } = await loopbackCertificate(
    certified,
    hasExpired ? { notBeforeDate: new Date(0), notAfterDate: new Date(1e12) } : {},
  );
  const list: string[] = [];
  const serve = (socket: Socket, kind: HostKind, me: string) => {
    socket.on("error", () => socket.destroy());
    onMessage(socket, (message) => {
      const role = helloIn(message) === undefined ? { ok: 1 } : helloOf(kind, me, list);
      socket.write(reply(message, role));
    });
  };
  for (const [name, kind] of Object.entries(kinds)) {
    if (kind === "closed port") {
      list.push(`${name}:${closedPort}`);
      continue;
    }
    const serveMember = (socket: Socket) => {
      serve(socket, kind, `${name}:${portOf(server)}`);
    };
    const server = serverFor(kind, { ...tls, cert, key }, serveMember);
    server.on("tlsClientError", () => undefined);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    cleanup(() => server.close());
    list.push(`${name}:${portOf(server)}`);
  }
  const caFile = join(temporaryFolder(cleanup), "ca.pem");
  writeFileSync(caFile, cert);
  return { list, caFile };
}

function serverFor(
  kind: Exclude<HostKind, "closed port">,
  tls: TlsOptions,
  serve: (socket: Socket) => void,
): Server {
  switch (kind) {
    case "primary":
    case "secondary":
    case "router":
      return createTlsServer(tls, serve);
    case "end after the handshake":
      return createTlsServer(tls, (socket) => socket.destroy());
    case "router without TLS":
      return createServer((socket) => {
        serve(socket);
        // Like mongod, which closes the connection after a TLS handshake.
        socket.once("data", ([type]) => {
          if (type === handshakeType) socket.destroy();
        });
      });
    default:
      return createServer((socket) => {
        socket.on("error", () => undefined).once("data", () => failures[kind](socket));
      });
  }
}

/** Returns a host's answer to `hello`. */
function helloOf(kind: HostKind, me: string, hosts: readonly string[]) {
  const isWritable = kind !== "secondary";
  const set = { setName: "rs0", setVersion: 1, hosts, me, secondary: !isWritable };
  return {
    ok: 1,
    isWritablePrimary: isWritable,
    ismaster: isWritable,
    helloOk: true,
    minWireVersion: 0,
    maxWireVersion: 25,
    maxBsonObjectSize: 16_777_216,
    maxMessageSizeBytes: 48_000_000,
    maxWriteBatchSize: 100_000,
    ...(kind.startsWith("router") ? { msg: "isdbgrid" } : set),
  };
}

/** Connects the official driver. Returns its error message, or undefined if it found a server. */
export async function driverProblem(url: string, server: string): Promise<string | undefined> {
  const servers = dns.getServers();
  dns.setServers([server]);
  const lookup: LookupFunction = (host, options, callback) => {
    dns.resolve4(host).then(
      ([address = ""]) => {
        if (options.all === true) callback(null, [{ address, family: 4 }]);
        else callback(null, address, 4);
      },
      (error: unknown) => {
        callback(error instanceof Error ? error : new Error(String(error)), []);
      },
    );
  };
  let client: MongoClient | undefined;
  try {
    client = new MongoClient(url, { lookup, serverSelectionTimeoutMS: 30_000 });
    return await Promise.race([client.connect().then(() => undefined), hostsProblem(client)]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client?.close();
    dns.setServers(servers);
  }
}

/**
 * Resolves when each host has answered or failed and none can be used. A driver would try again until its time is over,
 * and a short time would also end a connection of a busy machine.
 */
function hostsProblem(client: MongoClient): Promise<string> {
  const usable = ["Standalone", "Mongos", "RSPrimary", "LoadBalancer"];
  return new Promise((resolve) => {
    client.on(
      "topologyDescriptionChanged",
      ({ newDescription }: { newDescription: TopologyDescription }) => {
        const hosts = [...newDescription.servers.values()];
        const isOpen = hosts.some(
          ({ type, error }) => usable.includes(type) || (type === "Unknown" && error === null),
        );
        if (isOpen || (newDescription.type === "Unknown" && hosts.length === 0)) return;
        resolve(hosts.map(({ error }) => error?.message).join("; ") || "no host can be used");
      },
    );
  });
}
