/** A certificate authority and a server certificate, generated at every start. No key is written to disk. */
import { isIP } from "node:net";
import { generate } from "selfsigned";

/** A server certificate with its key and the authority that signed it, all in PEM format. */
export interface Certificate {
  /** Certificate of the authority. Clients must trust it. */
  readonly ca: string;
  /** Certificate of the server. */
  readonly cert: string;
  readonly key: string;
}

const dayMilliseconds = 24 * 60 * 60 * 1000;

/** Generates an authority and a server certificate, valid from yesterday for one year. */
export async function createCertificate(host: string): Promise<Certificate> {
  // Starts yesterday, because the clock of a client may be behind.
  const validity = {
    notBeforeDate: new Date(Date.now() - dayMilliseconds),
    notAfterDate: new Date(Date.now() + 365 * dayMilliseconds),
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
  // With a line break at the end, other certificates can follow.
  return { ca: `${authority.cert}\n`, cert: server.cert, key: server.private };
}
