/**
 * Connections to hosts. Each step ends within a limit. Nothing is sent except TLS handshakes, and the client certificate
 * of the string only to a server whose own certificate a driver accepts.
 */
import { once } from "node:events";
import { type Socket, connect, isIP } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type PeerCertificate,
  type TLSSocket,
  checkServerIdentity,
  connect as startTls,
} from "node:tls";
import {
  type Answer,
  type CertificateFacts,
  type ClientCertificate,
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
  readonly client: ClientCertificate | undefined;
  /** Returns whether drivers accept a certificate with this problem. */
  readonly accepts: (code: string) => boolean;
}

/**
 * Waits for connections to the addresses of a host, and starts TLS on the first one.
 *
 * @param open opens a connection to each address
 * @param handshake undefined if the host is not asked for TLS
 */
export async function connectionFacts(
  open: readonly (() => Socket)[],
  handshake: Handshake | undefined,
): Promise<Pick<HostFacts, "tcp" | "tls">> {
  const sockets: Socket[] = [];
  const openings = open.map((openOne) => () => {
    const socket = openOne();
    socket.on("error", () => undefined);
    sockets.push(socket);
    return socket;
  });
  try {
    const first = await firstConnected(openings);
    if ("code" in first) return { tcp: first, tls: undefined };
    const tls = handshake && (await answerOf(tlsFacts(first.found, handshake)));
    return { tcp: { found: true }, tls };
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

interface Connection {
  readonly socket: Socket;
  /** Opens another one to the same address. */
  readonly open: () => Socket;
  /** How long to wait after a handshake for the server to end the connection. */
  readonly waitMs: number;
}

async function firstConnected(openings: readonly (() => Socket)[]): Promise<Answer<Connection>> {
  const started = performance.now();
  // Not in the function that waits, so that no programming error counts as one of the network.
  const opened = openings.map((open) => ({ open, socket: open() }));
  const attempts = opened.map(async ({ open, socket }) => {
    await connected(socket);
    const waitMs = Math.min(1000, Math.max(200, 2 * (performance.now() - started)));
    return { socket, open, waitMs };
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

async function connected(socket: Socket): Promise<Socket> {
  await once(socket, "connect", { signal: AbortSignal.timeout(connectionTimeoutMs) });
  return socket;
}

/** The alerts with which servers refuse a client without a certificate, after they have sent their own. */
const requiredAlert = /ALERT_(?:CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE|BAD_CERTIFICATE)$/;

/** Returns what a server certifies, and what it makes of the client's certificate. Throws if the handshake fails. */
async function tlsFacts(
  { socket, open, waitMs }: Connection,
  handshake: Handshake,
): Promise<CertificateFacts> {
  const { client, accepts } = handshake;
  const withoutClient = { ...handshake, client: undefined };
  const { certificate, end } = await shakeHands(socket, withoutClient, waitMs);
  const isRequired = requiredAlert.test(codeOf(end));
  if (end !== undefined && !isRequired) throw end;
  const { code } = certificate;
  if (code !== undefined && !accepts(code)) return certificate;
  if (client === undefined) return isRequired ? { ...certificate, client: "missing" } : certificate;
  const second = await connected(open());
  const answer = await answerOf(shakeHands(second, handshake, waitMs));
  const isAccepted = "found" in answer && answer.found.end === undefined;
  return isAccepted ? certificate : { ...certificate, client: "refused" };
}

/**
 * Returns what the server certifies, and why it ended the connection, if it did. Throws the error of a handshake in which
 * it sent no certificate.
 */
async function shakeHands(socket: Socket, { host, ca, client }: Handshake, waitMs: number) {
  const servername = isIP(host) === 0 ? host : "";
  const secured = startTls({ socket, host, servername, rejectUnauthorized: false, ca, ...client });
  let early: CertificateFacts | undefined;
  const end = new Promise<Error | undefined>((resolve) => {
    secured.once("error", (error: Error) => {
      early = earlyCertificateOf(secured, host);
      resolve(error);
    });
    secured.once("close", () => {
      resolve(Object.assign(new Error("closed"), { code: "ECONNRESET" }));
    });
    // With TLS 1.3, the server sends one after it has accepted the client.
    secured.once("session", () => {
      resolve(undefined);
    });
  });
  try {
    await once(secured, "secureConnect", { signal: AbortSignal.timeout(connectionTimeoutMs) });
  } catch (error) {
    if (early === undefined) throw error;
    return { certificate: early, end: await end };
  }
  // The error is a code, although its type says otherwise.
  const problem = secured.authorized ? undefined : String(secured.authorizationError);
  const certificate = certificateOf(secured.getPeerCertificate(), problem);
  return { certificate, end: await Promise.race([end, sleep(waitMs, undefined, { ref: false })]) };
}

/** Returns the certificate of a server that ended the handshake, if it had sent one. */
function earlyCertificateOf(secured: TLSSocket, host: string): CertificateFacts | undefined {
  const certificate = secured.getPeerCertificate();
  // Node.js documents the result of the verification only for a handshake that has succeeded.
  const handle: unknown = Reflect.get(secured, "_handle");
  const verify: unknown = Reflect.get(Object(handle), "verifyError");
  if (typeof verify !== "function" || !isSent(certificate)) return undefined;
  const error: unknown = Reflect.apply(verify, handle, []);
  const problem = error instanceof Error ? error : checkServerIdentity(host, certificate);
  return certificateOf(certificate, problem && codeOf(problem));
}

/** Returns whether there is a certificate, which can be missing although its type says otherwise. */
function isSent(certificate: PeerCertificate | null): boolean {
  return certificate !== null && Object.keys(certificate).length > 0;
}

/** @param certificate empty if the server sent none, although its type says otherwise */
function certificateOf(
  certificate: Partial<PeerCertificate>,
  code: string | undefined,
): CertificateFacts {
  const { subjectaltname = "", issuer, valid_from: from, valid_to: to } = certificate;
  return {
    code,
    names: subjectaltname.replaceAll("DNS:", ""),
    issuer: String(issuer?.O ?? issuer?.CN ?? "an authority without a name"),
    validity: `${from} to ${to}`,
    client: undefined,
  };
}
