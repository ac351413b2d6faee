/** Serves DNS over UDP and TCP on one port. */
import { type Socket as UdpSocket, createSocket } from "node:dgram";
import { once } from "node:events";
import { type Server, type Socket, createServer, isIPv6 } from "node:net";
import {
  AUTHORITATIVE_ANSWER,
  type DecodedPacket,
  type Packet,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
  decode,
  encode,
  streamEncode,
} from "dns-packet";
import type { ZoneAnswer, ZoneQuestion } from "./zone";

export interface DnsServer {
  /** `<IP address>:<port>`, for UDP and TCP, with an IPv6 address in brackets. */
  readonly address: string;
  close(): Promise<void>;
}

/** How often to look for a port that is free for both UDP and TCP. */
const attempts = 10;

export async function startDns(
  host: string,
  port: number,
  responder: Responder,
): Promise<DnsServer> {
  for (let attempt = 1; ; attempt += 1) {
    const tcp = await listenOverTcp(host, port, responder);
    try {
      const udp = await listenOverUdp(tcp.host, tcp.port, responder);
      return {
        address: `${isIPv6(tcp.host) ? `[${tcp.host}]` : tcp.host}:${tcp.port}`,
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
  const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
  socket.on("message", (message, { address, port: from }) => {
    const response = respondOverUdp(message, responder);
    // The client may already have disconnected.
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
    serveConnection(socket, responder);
  });
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("not a TCP server");
  return {
    host: address.address,
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
      socket.write(response);
    }
  });
}

/** Response codes (RFC 1035 4.1.1). */
const responseCodes = { nameError: 3, refused: 5 } as const;

/** The size of a UDP response that no network fragments, in bytes. */
const largestUdpResponse = 1232;

/** The size of a UDP response without EDNS (RFC 1035 2.3.4), in bytes. */
const classicUdpResponse = 512;

/** Answers a question. */
export type Responder = (question: ZoneQuestion) => ZoneAnswer;

/** Responds to a query over TCP, with the length of the response before it. */
export function respondOverTcp(message: Buffer, responder: Responder): Buffer | undefined {
  const response = respond(message, responder);
  return response === undefined ? undefined : streamEncode(response.packet);
}

/** Responds to a query over UDP. Truncates a response that is too large, so that the client asks again over TCP. */
export function respondOverUdp(message: Buffer, responder: Responder): Buffer | undefined {
  const response = respond(message, responder);
  if (response === undefined) return undefined;
  const encoded = encode(response.packet);
  if (encoded.length <= response.udpLimit) return encoded;
  const { packet } = response;
  const flags = (packet.flags ?? 0) | TRUNCATED_RESPONSE;
  return encode({ ...packet, flags, answers: [] });
}

/** Returns the response to a query, and the largest size that its client accepts over UDP. */
function respond(message: Buffer, answer: Responder) {
  const query = decoded(message);
  const [question] = query?.questions ?? [];
  // A response must not cause another one.
  if (query?.type !== "query" || question === undefined) return undefined;
  const edns = query.additionals?.find(({ type }) => type === "OPT");
  const udpLimit =
    edns !== undefined && "udpPayloadSize" in edns
      ? Math.min(Math.max(edns.udpPayloadSize, classicUdpResponse), largestUdpResponse)
      : classicUdpResponse;
  const { flags, ...records } = content(answer(question));
  const packet: Packet = {
    type: "response",
    id: query.id ?? 0,
    flags: flags | (query.flag_rd ? RECURSION_DESIRED : 0),
    questions: [question],
    additionals: edns === undefined ? [] : [ednsRecord],
    ...records,
  };
  return { packet, udpLimit };
}

const ednsRecord = {
  type: "OPT" as const,
  name: "." as const,
  udpPayloadSize: largestUdpResponse,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
};

/** Returns the response code and the records of an answer. */
function content(found: ZoneAnswer) {
  switch (found.kind) {
    case "otherDomain":
      return { flags: responseCodes.refused };
    case "noName":
      return { flags: AUTHORITATIVE_ANSWER | responseCodes.nameError };
    case "name":
      return { flags: AUTHORITATIVE_ANSWER, answers: [...found.records] };
  }
}

function decoded(message: Buffer): DecodedPacket | undefined {
  try {
    return decode(message);
  } catch {
    return undefined;
  }
}
