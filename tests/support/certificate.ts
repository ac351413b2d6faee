/** A self-signed certificate for HTTPS servers on loopback. */
import { generate } from "selfsigned";

/** Generates a certificate for 127.0.0.1 and host names, which clients must trust, and its key. */
export async function loopbackCertificate(
  names: readonly string[] = [],
  validity: { readonly notBeforeDate?: Date; readonly notAfterDate?: Date } = {},
): Promise<{ cert: string; key: string }> {
  const generated = await generate([{ name: "commonName", value: "loopback" }], {
    keyType: "ec",
    algorithm: "sha256",
    ...validity,
    extensions: [
      // Some clients refuse an authority as the certificate of a server.
      { name: "basicConstraints", cA: false, critical: true },
      {
        name: "subjectAltName",
        altNames: [
          { type: 7, ip: "127.0.0.1" },
          ...names.map((value) => ({ type: 2 as const, value })),
        ],
      },
    ],
  });
  return { cert: generated.cert, key: generated.private };
}
