/** A TLS front that gives each requested host name of one plain database its role in the strings. */
import { once } from "node:events";
import { type Socket, connect } from "node:net";
import { type TLSSocket, createServer } from "node:tls";
import { BSON, ObjectId } from "mongodb";
import { classify, parse } from "../../connection-strings/src";
import { loopbackCertificate } from "../support/certificate";
import type { Cleanup } from "../support/cleanup";

type Role =
  | { readonly kind: "member"; readonly setName: string; readonly hosts: readonly string[] }
  | { readonly kind: "router" }
  | { readonly kind: "loadBalancer" };

export interface Front {
  /** The address that replaces those of the hosts. */
  readonly address: string;
  /** Its certificate, which names every host. Clients must trust it. */
  readonly ca: string;
}

/**
 * Starts a front on the ports of the connection strings.
 *
 * @param cleanup stops it
 * @param strings every string of the clusters, in both forms
 * @param database the port of the database server
 */
export async function startFront(
  cleanup: Cleanup,
  strings: readonly string[],
  database: number,
): Promise<Front> {
  const address = ownAddress();
  const roles = new Map(strings.flatMap(rolesIn));
  const names = [...roles.keys()].map((host) => host.replace(/:\d+$/, ""));
  const { cert, key } = await loopbackCertificate(names);
  for (const port of new Set([...roles.keys()].map((host) => Number(host.split(":")[1])))) {
    const server = createServer({ cert, key }, (socket) => {
      const me = `${String(socket.servername)}:${port}`;
      const role = roles.get(me);
      if (role === undefined) socket.destroy();
      else forward(socket, connect(database, "127.0.0.1"), role, me);
    });
    server.on("tlsClientError", () => undefined);
    server.listen(port, address);
    await once(server, "listening");
    cleanup(() => server.close());
  }
  return { address, ca: cert };
}

/** Returns a loopback address whose ports no other process uses. Only Linux has more than one. */
function ownAddress(): string {
  return process.platform === "linux"
    ? `127.1.${(process.pid >> 8) & 255}.${process.pid & 255}`
    : "127.0.0.1";
}

/** Returns the role of each host in a connection string, by host and port. */
function rolesIn(string: string): [host: string, role: Role][] {
  const { form, hosts, options = "" } = parse(string);
  if (form === "srv") {
    const [{ name } = { name: "" }] = hosts;
    const isOptimized = classify(string).kind === "optimizedPrivateEndpoint";
    return isOptimized ? [[`${name}:1024`, { kind: "loadBalancer" }]] : [];
  }
  const list = hosts.map(({ name, port }) => `${name}:${String(port)}`);
  const setName = new URLSearchParams(options).get("replicaSet");
  const role: Role =
    setName === null ? { kind: "router" } : { kind: "member", setName, hosts: list };
  return list.map((host) => [host, role]);
}

/** Opcodes of the wire protocol. */
const opcodes = { reply: 1, query: 2004, message: 2013 } as const;

/** Forwards messages in both directions, and changes the answers to `hello`. */
function forward(client: TLSSocket, server: Socket, role: Role, me: string): void {
  for (const [one, other] of [[client, server] as const, [server, client] as const]) {
    one.on("error", () => one.destroy());
    one.on("close", () => other.destroy());
  }
  const hellos = new Set<number>();
  onMessage(client, (message) => {
    const hello = helloIn(message);
    if (role.kind === "loadBalancer" && hello !== undefined && hello["loadBalanced"] !== true) {
      client.write(reply(message, mismatch));
      return;
    }
    if (hello !== undefined) hellos.add(message.readInt32LE(4));
    server.write(message);
  });
  onMessage(server, (message) => {
    const isHello = hellos.delete(message.readInt32LE(8));
    client.write(isHello ? withRole(message, role, me) : message);
  });
}

/** Calls a function with each whole message. Each starts with its length. */
export function onMessage(socket: Socket, call: (message: Buffer) => void): void {
  let received = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 4 && received.length >= received.readInt32LE(0)) {
      const end = received.readInt32LE(0);
      call(received.subarray(0, end));
      received = received.subarray(end);
    }
  });
}

/** Returns the command of a message if it is `hello`, under any of its names. */
export function helloIn(message: Buffer): BSON.Document | undefined {
  const opcode = message.readInt32LE(12);
  if (opcode !== opcodes.query && opcode !== opcodes.message) return undefined;
  // A query has flags, the name of a collection and two numbers before its document.
  const start = opcode === opcodes.message ? 21 : message.indexOf(0, 20) + 9;
  const length = message.readInt32LE(start);
  const command = BSON.deserialize(message.subarray(start, start + length));
  return /^(hello|ismaster)$/i.test(Object.keys(command)[0] ?? "") ? command : undefined;
}

const mismatch = {
  ok: 0,
  errmsg: "The server is behind a load balancer, but the client did not set loadBalanced",
  code: 354,
  codeName: "LoadBalancerSupportMismatch",
};

/** Returns the answer to a command, as a message. */
export function reply(request: Buffer, document: BSON.Document): Buffer {
  const isMessage = request.readInt32LE(12) === opcodes.message;
  const start = Buffer.alloc(isMessage ? 21 : 36);
  start.writeInt32LE(request.readInt32LE(4), 8);
  start.writeInt32LE(isMessage ? opcodes.message : opcodes.reply, 12);
  if (!isMessage) start.writeInt32LE(1, 32);
  return answer(start, document);
}

const serviceId = new ObjectId();

/** Changes the server's answer to `hello` according to a role. */
function withRole(message: Buffer, role: Role, me: string): Buffer {
  const start = message.readInt32LE(12) === opcodes.message ? 21 : 36;
  const document = BSON.deserialize(message.subarray(start), { promoteValues: false });
  return answer(message.subarray(0, start), { ...document, ...fieldsOf(role, me, document) });
}

function fieldsOf(role: Role, me: string, document: BSON.Document): BSON.Document {
  if (role.kind === "router") return { msg: "isdbgrid" };
  if (role.kind === "loadBalancer") return { msg: "isdbgrid", serviceId };
  const { setName, hosts } = role;
  const [primary] = hosts;
  const isPrimary = me === primary;
  const name = "ismaster" in document ? "ismaster" : "isWritablePrimary";
  return { setName, setVersion: 1, hosts, primary, me, [name]: isPrimary, secondary: !isPrimary };
}

function answer(start: Buffer, document: BSON.Document): Buffer {
  const message = Buffer.concat([start, BSON.serialize(document)]);
  message.writeInt32LE(message.length, 0);
  return message;
}
