/** Serves DNS over UDP and TCP on one port. */
import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { type Responder, respondOverTcp, respondOverUdp } from "./responses";

/** A running DNS server. */
export interface DnsServer {
  /** The port, for UDP and TCP. */
  readonly port: number;
  /** Stops the server and closes its connections. */
  close(): Promise<void>;
}

/** How often to look for a port that is free for both UDP and TCP. */
const attempts = 10;

/** How long an idle TCP connection stays open, in milliseconds. */
const idleTimeout = 10_000;

/**
 * Starts a DNS server.
 *
 * @param host the address to listen on
 * @param port the port; 0 selects one that is free for UDP and TCP
 * @param responder answers the questions
 * @returns the running server
 * @throws Error if the port is not available; `code` is that of Node.js, for example `EADDRINUSE`
 * @example
 * const { port } = await startDns("127.0.0.1", 0, responder);
 * // dig @127.0.0.1 -p <port> SRV _db._tcp.orders.ab1cd.clusters.example
 */
export async function startDns(
  host: string,
  port: number,
  responder: Responder,
): Promise<DnsServer> {
  for (let attempt = 1; ; attempt += 1) {
    const tcp = await listenOverTcp(host, port, responder);
    try {
      const udp = await listenOverUdp(host, tcp.port, responder);
      return {
        port: tcp.port,
        close: async () => {
          await Promise.all([tcp.close(), closeUdp(udp)]);
        },
      };
    } catch (error) {
      await tcp.close();
      if (port !== 0 || attempt === attempts) throw error;
    }
  }
}

async function listenOverUdp(host: string, port: number, responder: Responder) {
  const socket = createSocket(host.includes(":") ? "udp6" : "udp4");
  socket.on("message", (message, { address, port: from }) => {
    const response = respondOverUdp(message, responder);
    // A client that is gone does not receive its response.
    if (response !== undefined) socket.send(response, from, address, () => undefined);
  });
  socket.bind(port, host);
  await once(socket, "listening");
  socket.on("error", () => undefined);
  return socket;
}

async function closeUdp(socket: UdpSocket): Promise<void> {
  const closed = once(socket, "close");
  socket.close();
  await closed;
}

async function listenOverTcp(host: string, port: number, responder: Responder) {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    socket.setTimeout(idleTimeout, () => socket.destroy());
    serveConnection(socket, responder);
  });
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("not a TCP server");
  return {
    port: address.port,
    close: async () => {
      const closed = once(server, "close");
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Responds to the queries of a connection. Each message follows its length in two bytes. */
function serveConnection(socket: Socket, responder: Responder): void {
  let received = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const response = respondOverTcp(received.subarray(2, end), responder);
      received = received.subarray(end);
      if (response === undefined) {
        socket.destroy();
        return;
      }
      const length = Buffer.alloc(2);
      length.writeUInt16BE(response.length);
      socket.write(Buffer.concat([length, response]));
    }
  });
}
