/** The facts about a connection string in this network. They say nothing about what they mean for a driver. */
import type { Host, ParsedConnectionString } from "../parsing";
import type { Finding } from "../rules/drivers";

/** What was found, or the code with which Node.js says why nothing was. */
export type Answer<Found> = { readonly found: Found } | { readonly code: string };

/** The hosts of a string in SRV form are the name of the cluster's SRV records. */
export interface StringFacts extends Pick<ParsedConnectionString, "form" | "hosts"> {
  /** Without `+srv`. */
  readonly scheme: string;
  readonly parts: ParsedConnectionString;
  /** What is wrong with the string, whatever DNS says. */
  readonly findings: readonly Finding[];
  /** The values of the options by their names in lower case, because drivers ignore the case of names. */
  readonly options: ReadonlyMap<string, string>;
  /** The text of the file that tlsCAFile names. Undefined without this option, or if the file cannot be read. */
  readonly ca: string | undefined;
  /** The certificate and the key in tlsCertificateKeyFile. Undefined without this option, or if it cannot be used. */
  readonly client: ClientCertificate | undefined;
  /** Undefined if the files that the options name can be used. */
  readonly unusableFile: UnusableFile | undefined;
}

export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
  readonly passphrase: string | undefined;
}

export interface UnusableFile {
  /** The option that names it. */
  readonly option: string;
  /** What is wrong with it, such as `cannot be read`. */
  readonly problem: string;
  /** What to do, as a sentence. */
  readonly advice: string;
  /** The code with which Node.js says why. */
  readonly code: string;
}

/** What DNS knows about the name of a string in SRV form. */
export interface ClusterFacts {
  readonly name: string;
  readonly srv: Answer<readonly Host[]>;
  /** Undefined if TXT was not asked for. */
  readonly txt: Answer<readonly string[]> | undefined;
  /** The addresses of the name itself, which no driver asks for. Undefined if they were not asked for. */
  readonly addresses: Answer<readonly string[]> | undefined;
}

export interface HostFacts {
  readonly name: string;
  readonly port: number;
  readonly addresses: Answer<readonly string[]>;
  /** Whether one of the addresses accepts a connection. Undefined if there is none. */
  readonly tcp: Answer<true> | undefined;
  /** Undefined if there is no connection, or if drivers do not use TLS and another name than a local one exists. */
  readonly tls: Answer<CertificateFacts> | undefined;
  /** The SRV records of a name in a list of hosts, which no driver asks for. Undefined if they were not asked for. */
  readonly srv: Answer<readonly Host[]> | undefined;
}

export interface CertificateFacts {
  /** Why it is not trusted for this host; undefined if it is. */
  readonly code: string | undefined;
  /** The names that it certifies. */
  readonly names: string;
  readonly issuer: string;
  readonly validity: string;
  /** Whether the server requires a client certificate and gets none, or refuses the one in the string. */
  readonly client: "missing" | "refused" | undefined;
}

export interface Facts {
  /** The DNS servers that were asked. */
  readonly servers: string;
  readonly string: StringFacts;
  /** Undefined for a list of hosts, or if nothing was asked. */
  readonly cluster: ClusterFacts | undefined;
  /** The hosts of the string or of its SRV records. Empty if a driver does not get so far. */
  readonly hosts: readonly HostFacts[];
}

/** The code of a certificate that does not name the host. */
export const otherName = "ERR_TLS_CERT_ALTNAME_INVALID";

/** How long a connection, or the handshake on it, may take. */
export const connectionTimeoutMs = 5000;

export function foundIn<Found>(answer: Answer<Found> | undefined): Found | undefined {
  return answer !== undefined && "found" in answer ? answer.found : undefined;
}

export function codeIn(answer: Answer<unknown> | undefined): string | undefined {
  return answer !== undefined && "code" in answer ? answer.code : undefined;
}

/** Returns whether there is certainly no such record. */
export function isNone(answer: Answer<unknown> | undefined): boolean {
  const codes = ["ENOTFOUND", "ENODATA", "EAI_NONAME", "EBADNAME", "NOSERVICE", "BLOCKED"];
  return codes.includes(codeIn(answer) ?? "");
}

/** Returns whether DNS did not answer the question, or answered that it cannot. */
export function isUnanswered(answer: Answer<unknown> | undefined): boolean {
  return codeIn(answer) !== undefined && !isNone(answer);
}

/** Waits for an answer. Throws only for a programming error. */
export async function answerOf<Found>(work: Promise<Found>): Promise<Answer<Found>> {
  try {
    return { found: await work };
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError) throw error;
    return { code: codeOf(error) };
  }
}

export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "unknown error";
}
