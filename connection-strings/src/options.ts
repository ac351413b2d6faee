/** The options of connection strings that drivers know, and what their values look like. */
import { isPercentEncoded } from "./parsing";

/** What values look like, as they stand in the string. */
const valuePatterns = {
  flag: /^(?:true|false)$/,
  integer: /^-?\d+$/,
  word: /^[^/?=\s]+$/,
  any: /^/,
};

/**
 * The options by the values that they can have
 * (https://github.com/mongodb/specifications/blob/master/source/uri-options/uri-options.md).
 */
const namesByValue: readonly (readonly [value: keyof typeof valuePatterns, names: string])[] = [
  [
    "flag",
    `tls ssl directConnection journal loadBalanced retryReads retryWrites tlsAllowInvalidCertificates
     tlsAllowInvalidHostnames tlsDisableCertificateRevocationCheck tlsDisableOCSPEndpointCheck tlsInsecure`,
  ],
  [
    "integer",
    `connectTimeoutMS heartbeatFrequencyMS localThresholdMS maxConnecting maxIdleTimeMS maxPoolSize
     maxStalenessSeconds minPoolSize proxyPort serverSelectionTimeoutMS socketTimeoutMS srvMaxHosts timeoutMS
     waitQueueTimeoutMS wTimeoutMS zlibCompressionLevel`,
  ],
  [
    "word",
    `authMechanism authSource compressors readConcernLevel readPreference replicaSet serverMonitoringMode
     srvServiceName w`,
  ],
  [
    "any",
    `appName authMechanismProperties proxyHost proxyPassword proxyUsername readPreferenceTags tlsCAFile
     tlsCertificateKeyFile tlsCertificateKeyFilePassword`,
  ],
];

const knownOptions = new Map(
  namesByValue.flatMap(([value, names]) =>
    names.split(/\s+/).map((name) => [name.toLowerCase(), { name, value }]),
  ),
);

/** One `name=value` of a string. */
export interface StringOption {
  /** The key that all spellings of the option share. */
  readonly key: string;
  /** The name and the value as they stand in the string. */
  readonly whole: string;
  /** The decoded value. */
  readonly value: string;
  /** The value as it stands in the string. */
  readonly text: string;
  /** The name, if drivers know it. Any other one may be part of a password that is not percent-encoded. */
  readonly knownName: string | undefined;
  /** Whether drivers accept the value. True for any value of an option that they do not know. */
  readonly isValid: boolean;
}

/** Reads the options of a string, in their order. */
export function optionsIn(options: string | undefined): StringOption[] {
  if (!options) return [];
  return options.split("&").map((whole) => {
    const [encodedName = "", ...encodedValue] = whole.split("=");
    const name = percentDecode(encodedName);
    const text = encodedValue.join("=");
    const known = knownOptions.get(name.toLowerCase());
    return {
      key: optionKey(name),
      whole,
      value: percentDecode(text),
      text,
      knownName: known?.name,
      isValid: valuePatterns[known?.value ?? "any"].test(text),
    };
  });
}

/** Returns the key that all spellings of an option share. `ssl` is an alias of `tls`. */
export function optionKey(name: string): string {
  const lowerCase = name.toLowerCase();
  return lowerCase === "ssl" ? "tls" : lowerCase;
}

/**
 * Percent-encodes everything except the unreserved characters (RFC 3986 2.3).
 *
 * @param text well-formed Unicode text
 * @returns the encoded text
 * @throws URIError for a lone surrogate
 * @example
 * percentEncode("p@ss!"); // "p%40ss%21"
 */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Decodes percent-encoded text. Returns incorrectly encoded text unchanged. */
export function percentDecode(text: string): string {
  return isPercentEncoded(text) ? decodeURIComponent(text) : text;
}
