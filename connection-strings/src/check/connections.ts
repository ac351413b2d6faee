/** Connections to hosts. Each step ends within a limit. Nothing is sent except a TLS handshake. */
import { once } from "node:events";
import { type Socket, connect, isIP } from "node:net";
import { type PeerCertificate, connect as startTls } from "node:tls";
import {
  type Answer,
  type CertificateFacts,
  type HostFacts,
  answerOf,
  codeOf,
  connectionTimeoutMs,
} from "./facts";

/** Starts a TCP connection. */
export type Open = (address: string, port: number) => Socket;

export const openConnection: Open = (address, port) => connect(port, address);

/** How a string wants the handshake with a host. */
export interface Handshake {
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  /** The text of the file in tlsCAFile. */
  readonly ca: string | undefined;
}

/**
 * Waits for connections to the addresses of a host, and starts TLS on the first one.
 *
 * @param handshake undefined if the host is not asked for TLS
 */
export async function connectionFacts(
  sockets: readonly Socket[],
  handshake: Handshake | undefined,
): Promise<Pick<HostFacts, "tcp" | "tls">> {
  try {
    const first = await firstConnected(sockets);
    if ("code" in first) return { tcp: first, tls: undefined };
    const tls = handshake && (await answerOf(certificateOf(first.found, handshake)));
    return { tcp: { found: true }, tls };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

async function firstConnected(sockets: readonly Socket[]): Promise<Answer<Socket>> {
  const signal = AbortSignal.timeout(connectionTimeoutMs);
  const attempts = sockets.map(async (socket) => {
    socket.on("error", () => undefined);
    await once(socket, "connect", { signal });
    return socket;
  });
  try {
    return { found: await Promise.any(attempts) };
  } catch (error) {
    if (!(error instanceof AggregateError)) throw error;
    const errors: unknown[] = error.errors;
    const codes = errors.map(codeOf);
    // This code says only that this machine has no IPv6, if the host has an IPv4 address, too.
    return { code: codes.find((code) => code !== "ENETUNREACH") ?? "ENETUNREACH" };
  }
}

async function certificateOf(socket: Socket, { host, ca }: Handshake): Promise<CertificateFacts> {
  const servername = isIP(host) === 0 ? host : "";
  const secured = startTls({ socket, host, servername, rejectUnauthorized: false, ca });
  secured.on("error", () => undefined);
  await once(secured, "secureConnect", { signal: AbortSignal.timeout(connectionTimeoutMs) });
  // Empty if the server sent none, although its type says otherwise.
  const certificate: Partial<PeerCertificate> = secured.getPeerCertificate();
  const { subjectaltname = "", issuer, valid_from: from, valid_to: to } = certificate;
  return {
    // The error is a code, although its type says otherwise.
    code: secured.authorized ? undefined : String(secured.authorizationError),
    names: subjectaltname.replaceAll("DNS:", ""),
    issuer: String(issuer?.O ?? issuer?.CN ?? "an authority without a name"),
    validity: `${from} to ${to}`,
  };
}
