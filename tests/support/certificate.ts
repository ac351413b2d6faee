/** A self-signed certificate for HTTPS servers on loopback. */
import { generate } from "selfsigned";

/** Generates a certificate for 127.0.0.1, which clients must trust, and its key. */
export async function loopbackCertificate(): Promise<{ cert: string; key: string }> {
  const generated = await generate([{ name: "commonName", value: "loopback" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
    ],
  });
  return { cert: generated.cert, key: generated.private };
}
