/**
 * The options of connection strings: which ones drivers know, and what their values look like
 * (https://github.com/mongodb/specifications/blob/master/source/uri-options/uri-options.md).
 */
import { isPercentEncoded } from "./parsing";

/** The kinds of values. A word has no `/`, `?`, `=` or white space. */
export type OptionKind = "boolean" | "number" | "word" | "text";

/** An option that drivers know. */
export interface KnownOption {
  readonly name: string;
  readonly kind: OptionKind;
}

const knownOptions: ReadonlyMap<string, KnownOption> = new Map([
  ...known(
    "boolean",
    ...["tls", "ssl", "directConnection", "journal", "loadBalanced", "retryReads", "retryWrites"],
    ...["tlsAllowInvalidCertificates", "tlsAllowInvalidHostnames", "tlsInsecure"],
    ...["tlsDisableCertificateRevocationCheck", "tlsDisableOCSPEndpointCheck"],
  ),
  ...known(
    "number",
    ...["connectTimeoutMS", "heartbeatFrequencyMS", "localThresholdMS", "maxConnecting"],
    ...["maxIdleTimeMS", "maxPoolSize", "maxStalenessSeconds", "minPoolSize", "proxyPort"],
    ...["serverSelectionTimeoutMS", "socketTimeoutMS", "srvMaxHosts", "timeoutMS"],
    ...["waitQueueTimeoutMS", "wTimeoutMS", "zlibCompressionLevel"],
  ),
  ...known(
    "word",
    ...["authMechanism", "authSource", "compressors", "readConcernLevel", "readPreference"],
    ...["replicaSet", "serverMonitoringMode", "srvServiceName", "w"],
  ),
  ...known(
    "text",
    ...["appName", "authMechanismProperties", "proxyHost", "proxyPassword", "proxyUsername"],
    ...["readPreferenceTags", "tlsCAFile", "tlsCertificateKeyFile"],
    "tlsCertificateKeyFilePassword",
  ),
]);

function known(kind: OptionKind, ...names: string[]): [string, KnownOption][] {
  return names.map((name) => [name.toLowerCase(), { name, kind }]);
}

const patterns: Readonly<Record<OptionKind, RegExp>> = {
  boolean: /^(?:true|false)$/,
  number: /^-?\d+$/,
  word: /^[^/?=\s]+$/,
  text: /^/,
};

export function isKnownOption(name: string): boolean {
  return knownOptions.has(name.toLowerCase());
}

/** Returns whether drivers accept the value of an option, as it stands in the string. */
export function isOfKind(value: string, { kind }: KnownOption): boolean {
  return patterns[kind].test(value);
}

/** One `name=value` of a string. */
export interface StringOption {
  /** The key that all spellings of the option share. */
  readonly key: string;
  /** The value as it stands in the string. */
  readonly text: string;
  readonly value: string;
  /** Undefined for any other option, whose name may be part of a password that is not percent-encoded. */
  readonly known: KnownOption | undefined;
}

/** Reads the options of a string, in their order. */
export function optionsIn(options: string | undefined): StringOption[] {
  if (!options) return [];
  return options.split("&").map((option) => {
    const [encodedName = "", ...encodedValue] = option.split("=");
    const [name, text] = [percentDecode(encodedName), encodedValue.join("=")];
    const known = knownOptions.get(name.toLowerCase());
    return { key: optionKey(name), text, value: percentDecode(text), known };
  });
}

/** Returns the key that all spellings of an option share. `ssl` is an alias of `tls`. */
export function optionKey(name: string): string {
  const lowerCase = name.toLowerCase();
  return lowerCase === "ssl" ? "tls" : lowerCase;
}

/** Decodes percent-encoded text. Returns incorrectly encoded text unchanged. */
export function percentDecode(text: string): string {
  return isPercentEncoded(text) ? decodeURIComponent(text) : text;
}
