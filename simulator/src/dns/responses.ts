/** Turns DNS queries into responses. */
import {
  AUTHORITATIVE_ANSWER,
  type DecodedPacket,
  decode,
  encode,
  type Packet,
  RECURSION_DESIRED,
  TRUNCATED_RESPONSE,
} from "dns-packet";
import { startOfAuthority, type ZoneAnswer, type ZoneQuestion } from "./zone";

/** Response codes (RFC 1035 4.1.1). */
const responseCodes = { formatError: 1, nameError: 3, notImplemented: 4, refused: 5 } as const;

/** The size of a UDP response that no network fragments, in bytes. */
const largestUdpResponse = 1232;

/** The size of a UDP response without EDNS (RFC 1035 2.3.4), in bytes. */
const classicUdpResponse = 512;

/** How a query is answered. */
export interface Responder {
  /** The cluster domain. */
  readonly domain: string;
  /** Answers a question. */
  readonly answer: (question: ZoneQuestion) => ZoneAnswer;
}

/**
 * Responds to a query over TCP.
 *
 * @param message the query
 * @param responder answers the question
 * @returns the response; undefined if the message is not a query
 */
export function respondOverTcp(message: Buffer, responder: Responder): Buffer | undefined {
  const response = respond(message, responder);
  return response === undefined ? undefined : encode(response.packet);
}

/**
 * Responds to a query over UDP. A response that is too large is truncated: the client asks again
 * over TCP.
 *
 * @param message the query
 * @param responder answers the question
 * @returns the response; undefined if the message is not a query
 */
export function respondOverUdp(message: Buffer, responder: Responder): Buffer | undefined {
  const response = respond(message, responder);
  if (response === undefined) return undefined;
  const encoded = encode(response.packet);
  if (encoded.length <= response.udpLimit) return encoded;
  const { packet } = response;
  const flags = (packet.flags ?? 0) | TRUNCATED_RESPONSE;
  return encode({ ...packet, flags, answers: [], authorities: [] });
}

function respond(message: Buffer, { domain, answer }: Responder) {
  const query = decoded(message);
  if (query === undefined) {
    // Without a header there is no ID to respond to. A response must not cause another one.
    if (message.length < 12 || (message.readUInt8(2) & 0x80) !== 0) return undefined;
    const packet: Packet = {
      type: "response",
      id: message.readUInt16BE(0),
      flags: responseCodes.formatError,
    };
    return { packet, udpLimit: classicUdpResponse };
  }
  if (query.type !== "query") return undefined;
  const edns = query.additionals?.find(({ type }) => type === "OPT");
  const udpLimit =
    edns !== undefined && "udpPayloadSize" in edns
      ? Math.min(Math.max(edns.udpPayloadSize, classicUdpResponse), largestUdpResponse)
      : classicUdpResponse;
  const questions = query.questions ?? [];
  const packet: Packet = {
    type: "response",
    id: query.id ?? 0,
    // Thousands of questions, whose names may be compressed, do not fit into a response.
    questions: questions.length === 1 ? questions : [],
    additionals:
      edns === undefined
        ? []
        : [
            {
              type: "OPT",
              name: ".",
              udpPayloadSize: largestUdpResponse,
              extendedRcode: 0,
              ednsVersion: 0,
              flags: 0,
              flag_do: false,
              options: [],
            },
          ],
    ...content(query, domain, answer),
  };
  return { packet: { ...packet, flags: (packet.flags ?? 0) | copied(query) }, udpLimit };
}

/** Returns the records and the response code. */
function content(query: DecodedPacket, domain: string, answer: Responder["answer"]): Packet {
  const [question, ...others] = query.questions ?? [];
  // The opcode is in bits 11 to 14 of the flags; 0 is a standard query.
  if ((((query.flags ?? 0) >> 11) & 15) !== 0) return { flags: responseCodes.notImplemented };
  if (question === undefined || others.length > 0) return { flags: responseCodes.formatError };
  if (question.class !== undefined && !["IN", "ANY"].includes(question.class)) {
    return { flags: responseCodes.refused };
  }
  const found = answer(question);
  switch (found.kind) {
    case "otherDomain":
      return { flags: responseCodes.refused };
    case "noName":
      return {
        flags: AUTHORITATIVE_ANSWER | responseCodes.nameError,
        authorities: [startOfAuthority(domain)],
      };
    case "name":
      return {
        flags: AUTHORITATIVE_ANSWER,
        answers: [...found.records],
        authorities: found.records.length === 0 ? [startOfAuthority(domain)] : [],
      };
  }
}

/** Returns the flag that a response copies from its query. */
function copied(query: DecodedPacket): number {
  return query.flag_rd ? RECURSION_DESIRED : 0;
}

/** Decodes a query. The names of its questions must be ASCII: other bytes would not be copied unchanged. */
function decoded(message: Buffer): DecodedPacket | undefined {
  try {
    const query = decode(message);
    const isAscii = (query.questions ?? []).every(({ name }) => /^[\x20-\x7e]*$/.test(name));
    return isAscii ? query : undefined;
  } catch {
    return undefined;
  }
}
