// A certificate authority and a server certificate, made anew at every start: no key is ever on disk.
import { isIP } from "node:net";
import { generate } from "selfsigned";

export interface Certificate {
  /** The authority's certificate (PEM): what a client has to trust. */
  readonly ca: string;
  /** The server's certificate (PEM). */
  readonly cert: string;
  /** The server's private key (PEM). */
  readonly key: string;
}

const DAY = 24 * 60 * 60 * 1000;

/** @param host beside localhost, 127.0.0.1 and ::1, a name or address to be valid for */
export async function createCertificate(host: string): Promise<Certificate> {
  // A client whose clock is a little behind must not see a certificate of the future.
  const validity = {
    notBeforeDate: new Date(Date.now() - DAY),
    notAfterDate: new Date(Date.now() + 365 * DAY),
  };
  const authority = await generate([{ name: "commonName", value: "clouddb-simulator CA" }], {
    ...validity,
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "keyUsage", keyCertSign: true, cRLSign: true, critical: true },
    ],
  });
  const names = [...new Set(["localhost", "127.0.0.1", "::1", host])];
  const server = await generate([{ name: "commonName", value: "clouddb-simulator" }], {
    ...validity,
    keyType: "ec",
    algorithm: "sha256",
    ca: { key: authority.private, cert: authority.cert },
    extensions: [
      { name: "basicConstraints", cA: false, critical: true },
      { name: "keyUsage", digitalSignature: true, critical: true },
      { name: "extKeyUsage", serverAuth: true },
      {
        name: "subjectAltName",
        altNames: names.map((name) =>
          isIP(name) === 0 ? { type: 2, value: name } : { type: 7, ip: name },
        ),
      },
    ],
  });
  return { ca: authority.cert, cert: server.cert, key: server.private };
}
