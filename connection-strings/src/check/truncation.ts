/**
 * Whether a DNS server truncates its response over UDP. A resolver then asks over TCP, and reports only how that fails,
 * so this question is sent without one.
 */
import { randomInt } from "node:crypto";
import { createSocket } from "node:dgram";
import { isIP } from "node:net";

/** The types of records, with their numbers (RFC 1035 3.2.2, RFC 2782). */
const recordTypes = { A: 1, TXT: 16, SRV: 33 } as const;

export type RecordType = keyof typeof recordTypes;

/** A server that answers at all does so within this time. */
const limitMs = 1000;

/**
 * Asks a DNS server over UDP. Returns false if there is no response.
 *
 * @param server its address, with or without a port
 */
export function isTruncated(server: string, type: RecordType, name: string): Promise<boolean> {
  const { address, port } = addressOf(server);
  const id = randomInt(0x1_00_00);
  const socket = createSocket(isIP(address) === 6 ? "udp6" : "udp4");
  return new Promise((resolve) => {
    const end = (result: boolean) => {
      clearTimeout(timer);
      socket.close();
      resolve(result);
    };
    const timer = setTimeout(end, limitMs, false);
    socket.once("error", () => {
      end(false);
    });
    socket.on("message", (message) => {
      if (message.length >= headerLength && message.readUInt16BE(0) === id)
        end((message.readUInt16BE(2) & flags.truncated) !== 0);
    });
    // Connected, so that a closed port is an error at once, and no other server can respond.
    socket.once("connect", () => {
      socket.send(question(id, type, name));
    });
    socket.connect(port, address);
  });
}

/** The header of a message (RFC 1035 4.1.1). */
const headerLength = 12;
const flags = { recursionDesired: 0x0100, truncated: 0x0200 };

function question(id: number, type: RecordType, name: string): Buffer {
  const header = Buffer.alloc(headerLength);
  header.writeUInt16BE(id, 0);
  header.writeUInt16BE(flags.recursionDesired, 2);
  header.writeUInt16BE(1, 4); // the number of questions
  const labels = name.split(".").filter((label) => label !== "");
  const encoded = labels.map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  // The end of the name, the type, and the class of the Internet.
  return Buffer.concat([header, ...encoded, Buffer.from([0, 0, recordTypes[type], 0, 1])]);
}

/** Reads an address as Node.js lists servers: `192.0.2.1`, `192.0.2.1:5353`, `2001:db8::1` or `[2001:db8::1]:5353`. */
function addressOf(server: string): { readonly address: string; readonly port: number } {
  if (isIP(server) !== 0) return { address: server, port: 53 };
  const end = server.lastIndexOf(":");
  return {
    address: server.slice(0, end).replace(/^\[|\]$/g, ""),
    port: Number(server.slice(end + 1)),
  };
}
