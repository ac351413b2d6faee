/** Reads the certificates that the setting `caFile` adds to the default ones. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { escapeText } from "../api/text";

/** The content of a file, or why it cannot be used. */
export type Certificates =
  | {
      readonly kind: "read";
      /** The certificates in PEM format; undefined without a file. */
      readonly pem: string | undefined;
    }
  | {
      readonly kind: "invalid";
      /** What is wrong, with the path of the file. */
      readonly problem: string;
    };

/**
 * Reads a file of PEM certificates.
 *
 * @param caFile the path of the file; undefined for none
 * @returns the certificates, or the problem if one of them is invalid or the file cannot be read
 */
export function readCertificates(caFile: string | undefined): Certificates {
  if (caFile === undefined) return { kind: "read", pem: undefined };
  const invalid = (what: string) =>
    ({ kind: "invalid", problem: `${escapeText(caFile)} ${what}` }) as const;
  try {
    const pem = readFileSync(caFile, "utf8");
    const certificates =
      pem.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
    if (certificates.length > 0 && certificates.every(isCertificate)) return { kind: "read", pem };
    return invalid("is not a valid PEM certificate file");
  } catch (error) {
    const reason = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    return invalid(`cannot be read (${reason})`);
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
