/**
 * The options that the specification of connection strings names, and which drivers refuse which of their values
 * (https://github.com/mongodb/specifications/blob/master/source/uri-options/uri-options.md).
 */
import { type Exception, type Finding, type Verdict, all, refusals } from "./drivers";

/** What drivers do with a decoded value that matches. Without a verdict, they accept it. */
type Row = readonly [pattern: RegExp, verdict?: Verdict, exception?: Exception];

interface Option {
  readonly name: string;
  /** What a value must be. Undefined if a driver refuses the option itself. */
  readonly expected: string | undefined;
  /** The first row counts that matches. */
  readonly rows: readonly Row[];
}

/** Describes options that can have the same values. */
function options(names: string, expected: string | undefined, ...rows: Row[]): Option[] {
  return names.split(" ").map((name) => ({ name, expected, rows }));
}

const any = /^/;
const empty = /^$/;
const zero = /^0+$/;
const isFlag = /^(?:true|false)$/;
const flag = "true or false";
const others: Row = [any, "node go"];
const flags: readonly Row[] = [[isFlag], others];
const integer = "an integer from 0";
/** The Node.js driver takes whatever begins with an integer, such as 1.5. PyMongo takes or ignores it. */
const beginsWithInteger = /^[\s+]*\d/;
const integers: readonly Row[] = [[/^\d{1,18}$/], [beginsWithInteger, "go"], others];
const texts: readonly Row[] = [[empty, "node"]];
const files: readonly Row[] = [[empty, all]];

/** The mechanisms that identify a user by a certificate, a role or a token. */
export const mechanismsWithoutName = ["MONGODB-X509", "MONGODB-AWS", "MONGODB-OIDC"];

/** The mechanisms of users that are not in a database. Their only source is `$external`. */
export const mechanismsWithoutPassword = [...mechanismsWithoutName, "GSSAPI"];

const otherMechanisms = ["SCRAM-SHA-1", "SCRAM-SHA-256", "PLAIN", "GSSAPI"];
export const mechanisms = [...otherMechanisms, ...mechanismsWithoutName];
const modes = "primary primaryPreferred secondary secondaryPreferred nearest".split(" ");

/** Returns a pattern that matches one of some names. */
function oneOf(names: readonly string[], flags = ""): RegExp {
  return new RegExp(`^(?:${names.join("|")})$`, flags);
}

const table: readonly Option[][] = [
  options("tls ssl journal loadBalanced retryReads retryWrites tlsInsecure", flag, ...flags),
  options("enableOverloadRetargeting", flag, ...flags),
  options("directConnection", flag, [isFlag], [/^(?:true|false)$/i, "node"], others),
  options("tlsAllowInvalidCertificates tlsAllowInvalidHostnames", flag, [isFlag], [any, "node"]),
  options("serverSelectionTryOnce uuidRepresentation", undefined, [any, "node"]),
  // An earlier name, which is no longer in the specification.
  options(
    "wTimeout",
    "wTimeoutMS instead",
    [beginsWithInteger, "ignored by pymongo"],
    [any, "node"],
  ),
  options(
    "tlsDisableCertificateRevocationCheck tlsDisableOCSPEndpointCheck",
    undefined,
    [isFlag, "node"],
    others,
  ),
  options("connectTimeoutMS localThresholdMS maxAdaptiveRetries", integer, ...integers),
  options("maxIdleTimeMS maxPoolSize minPoolSize srvMaxHosts", integer, ...integers),
  options("serverSelectionTimeoutMS socketTimeoutMS", integer, ...integers),
  options("proxyPort waitQueueTimeoutMS wTimeoutMS", integer, [beginsWithInteger], [any, "node"]),
  options("timeoutMS", integer, [/^\d{1,18}$/], [any, "go"]),
  options("maxConnecting", "an integer from 1", [zero, "node"], ...integers),
  options(
    "heartbeatFrequencyMS",
    "an integer from 500",
    [zero, "go"],
    [/^0*[1-4]?\d?\d$/, "go pymongo"],
    ...integers,
  ),
  options(
    "maxStalenessSeconds",
    "an integer from 90",
    [zero, "node"],
    [/^-1$/, "node go", "accepted by the specification"],
    ...integers,
  ),
  options(
    "zlibCompressionLevel",
    "an integer from -1 to 9",
    [/^(?:-1|0*\d)$/],
    [/^[\s+-]*\d/, "go"],
    others,
  ),
  options(
    "w",
    "an integer from 0, or text",
    [/^-0*[1-9]\d*$/, "go", "refused by the specification"],
    ...texts,
  ),
  options("authSource", "text", ...files),
  options("appName", "text of up to 128 bytes", [/^.{129}/s, "ignored by pymongo"], ...texts),
  // A port belongs into proxyPort.
  options("proxyHost", "a host without a port", [/^[^:]*:[^:]*$/, "node"], ...texts),
  options("proxyPassword proxyUsername readConcernLevel replicaSet", "text", ...texts),
  options("tlsCertificateKeyFilePassword srvAllowedHostsSuffix", "text", ...texts),
  options("tlsCAFile tlsCertificateKeyFile tlsCRLFile", "a path", ...files),
  options("srvServiceName", "a name", [/^[\w.-]{1,62}$/], [empty, "node go"], [any, "go"]),
  options("serverMonitoringMode", "auto, poll or stream", [/^(?:auto|poll|stream)$/], others),
  options(
    "compressors",
    "a list of snappy, zlib and zstd",
    [/^(?:(?:none|snappy|zlib|zstd)(?:,(?!$)|$))+$/],
    [any, "node"],
  ),
  options(
    "readPreference",
    `one of ${modes.join(", ")}`,
    [oneOf(modes)],
    [oneOf([...modes, ""], "i"), "node"],
    others,
  ),
  options(
    "authMechanism",
    `one of ${mechanisms.join(", ")}`,
    [oneOf(mechanisms)],
    [oneOf(mechanisms, "i"), "ignored by pymongo"],
    [empty, "node"],
    // The Node.js driver takes a part of a name, too.
    [/^(?:DEFAULT|SCRAM(?:-SHA)?|(?:SHA-)?(?:1|256)|SHA|MONGODB|X509|AWS|OIDC)$/i, "go"],
    others,
  ),
  options(
    "readPreferenceTags",
    "tags such as dc:ny,rack:1",
    [/^$|^[^:,]*:[^:,]*(?:,[^:,]*:[^:,]*)*$/],
    [/^[^:,]*:[^,]*(?:,[^:,]*:[^,]*)*$/, "go"],
    others,
  ),
  options(
    "authMechanismProperties",
    "pairs such as SERVICE_NAME:x,SERVICE_REALM:y",
    [/(?:^|,)ALLOWED_HOSTS:/, "node"],
    [
      /(?:^|,)CANONICALIZE_HOST_NAME:(?!(?:true|false|none|forward|forwardAndReverse)(?:,|$))/,
      "node pymongo",
    ],
    [/^[^:,]+:[^,]+(?:,[^:,]+:[^,]+)*$/],
    [/^[^:,]+:[^,]*(?:,[^:,]+:[^,]*)*$/, "ignored by pymongo"],
    [/^[^:,]*:[^,]*(?:,[^:,]*:[^,]*)*$/, "go"],
    others,
  ),
];

const optionsByName: ReadonlyMap<string, Option> = new Map(
  table.flat().map((option) => [option.name.toLowerCase(), option]),
);

/** The names in lower case, because drivers ignore the case. */
export const optionNames: readonly string[] = [...optionsByName.keys()];

/** Returns the name of an option as the specification writes it; undefined for the name of no option. */
export function knownName(name: string): string | undefined {
  return optionsByName.get(name.toLowerCase())?.name;
}

/** Returns what drivers refuse or ignore about the decoded value of an option. */
export function valueFindings(lowerName: string, value: string): Finding[] {
  const option = optionsByName.get(lowerName);
  const [, verdict, exception] = option?.rows.find(([pattern]) => pattern.test(value)) ?? [];
  if (option === undefined || verdict === undefined) return [];
  const { name: subject, expected } = option;
  const isEmpty = value === "";
  const [what, advice] = isEmpty
    ? [`${subject} without a value`, "Add a value, or remove it."]
    : expected === undefined
      ? [subject, "Remove it, unless only other drivers read it."]
      : [`the value of ${subject}`, `Write ${expected}.`];
  // The specification refuses an empty source, and no other empty value.
  const isAccepted = isEmpty && subject !== "authSource";
  return refusals({ code: "option-value", subject }, [
    [true, what, verdict, advice, isAccepted ? "accepted by the specification" : exception],
  ]);
}
