/** A certificate for servers of a test's own on loopback; clients trust it by itself. */
import { generate } from "selfsigned";

export async function loopbackCertificate(): Promise<{ cert: string; key: string }> {
  const made = await generate([{ name: "commonName", value: "loopback" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [
      { name: "basicConstraints", cA: true, critical: true },
      { name: "subjectAltName", altNames: [{ type: 7, ip: "127.0.0.1" }] },
    ],
  });
  return { cert: made.cert, key: made.private };
}
