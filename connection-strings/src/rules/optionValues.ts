/**
 * The options that the specification of connection strings names, and which drivers refuse which of their values
 * (https://github.com/mongodb/specifications/blob/master/source/uri-options/uri-options.md).
 */
import { connectionStringErrorCodes as codes } from "../errors";
import {
  type Finding,
  type Verdict,
  accepted,
  byAll,
  byGo,
  byGoAndPymongo,
  byNode,
  byNodeAndGo,
  byNodeAndPymongo,
  driverFinding,
  except,
  ignoredByPymongo,
} from "./drivers";

/** What drivers do with a decoded value that matches. */
interface Row {
  readonly pattern: RegExp;
  readonly verdict: Verdict;
}

const when = (pattern: RegExp, verdict: Verdict): Row => ({ pattern, verdict });
const otherwise = (verdict: Verdict) => when(/^/, verdict);

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

const boolean = "true or false";
const isFlag = when(/^(?:true|false)$/, accepted);
const integer = "an integer from 0";
/** The Node.js driver takes whatever begins with an integer, such as 1.5. PyMongo takes or ignores it. */
const beginsWithInteger = /^[\s+]*\d/;
const integerOfTwo = [
  when(/^\d{1,18}$/, accepted),
  when(beginsWithInteger, byGo),
  otherwise(byNodeAndGo),
];
const isZero = /^0+$/;
const isEmpty = /^$/;
const textOfTwo = [when(isEmpty, byNode), otherwise(accepted)];

/** The authentication mechanisms. */
export const mechanisms: readonly string[] =
  "SCRAM-SHA-1 SCRAM-SHA-256 PLAIN GSSAPI MONGODB-X509 MONGODB-AWS MONGODB-OIDC".split(" ");
const isMechanism = `^(?:${mechanisms.join("|")})$`;
const isMode = "^(?:primary|primaryPreferred|secondary|secondaryPreferred|nearest)$";

const table: readonly Option[][] = [
  options(
    "tls ssl journal loadBalanced retryReads retryWrites",
    boolean,
    isFlag,
    otherwise(byNodeAndGo),
  ),
  options("tlsInsecure enableOverloadRetargeting", boolean, isFlag, otherwise(byNodeAndGo)),
  options(
    "directConnection",
    boolean,
    isFlag,
    when(/^(?:true|false)$/i, byNode),
    otherwise(byNodeAndGo),
  ),
  options(
    "tlsAllowInvalidCertificates tlsAllowInvalidHostnames",
    boolean,
    isFlag,
    otherwise(byNode),
  ),
  options("serverSelectionTryOnce uuidRepresentation", undefined, otherwise(byNode)),
  options(
    "tlsDisableCertificateRevocationCheck tlsDisableOCSPEndpointCheck",
    undefined,
    when(isFlag.pattern, byNode),
    otherwise(byNodeAndGo),
  ),
  options(
    "connectTimeoutMS localThresholdMS maxAdaptiveRetries maxIdleTimeMS",
    integer,
    ...integerOfTwo,
  ),
  options(
    "maxPoolSize minPoolSize serverSelectionTimeoutMS socketTimeoutMS",
    integer,
    ...integerOfTwo,
  ),
  options("srvMaxHosts", integer, ...integerOfTwo),
  options(
    "proxyPort waitQueueTimeoutMS wTimeoutMS",
    integer,
    when(beginsWithInteger, accepted),
    otherwise(byNode),
  ),
  options("timeoutMS", integer, when(/^\d{1,18}$/, accepted), otherwise(byGo)),
  options("maxConnecting", "an integer from 1", when(isZero, byNode), ...integerOfTwo),
  options(
    "heartbeatFrequencyMS",
    "an integer from 500",
    when(isZero, byGo),
    when(/^0*[1-4]?\d?\d$/, byGoAndPymongo),
    ...integerOfTwo,
  ),
  options(
    "maxStalenessSeconds",
    "an integer from 90",
    when(isZero, byNode),
    when(/^-1$/, except(byNodeAndGo, "the specification accepts it")),
    ...integerOfTwo,
  ),
  options(
    "zlibCompressionLevel",
    "an integer from -1 to 9",
    when(/^(?:-1|0*\d)$/, accepted),
    when(/^[\s+-]*\d/, byGo),
    otherwise(byNodeAndGo),
  ),
  options(
    "w",
    "an integer from 0, or text",
    when(/^-0*[1-9]\d*$/, except(byGo, "the specification refuses it")),
    ...textOfTwo,
  ),
  options("authSource", "text", when(isEmpty, byAll), otherwise(accepted)),
  options("appName", "text of up to 128 bytes", when(/^.{129}/s, ignoredByPymongo), ...textOfTwo),
  // A port belongs into proxyPort.
  options("proxyHost", "a host without a port", when(/^[^:]*:[^:]*$/, byNode), ...textOfTwo),
  options("proxyPassword proxyUsername readConcernLevel replicaSet", "text", ...textOfTwo),
  options("tlsCertificateKeyFilePassword srvAllowedHostsSuffix", "text", ...textOfTwo),
  options(
    "tlsCAFile tlsCertificateKeyFile tlsCRLFile",
    "a path",
    when(isEmpty, byAll),
    otherwise(accepted),
  ),
  options(
    "srvServiceName",
    "a name",
    when(/^[\w.-]{1,62}$/, accepted),
    when(isEmpty, byNodeAndGo),
    otherwise(byGo),
  ),
  options(
    "serverMonitoringMode",
    "auto, poll or stream",
    when(/^(?:auto|poll|stream)$/, accepted),
    otherwise(byNodeAndGo),
  ),
  options(
    "compressors",
    "a list of snappy, zlib and zstd",
    when(/^(?:(?:none|snappy|zlib|zstd)(?:,(?!$)|$))+$/, accepted),
    otherwise(byNode),
  ),
  options(
    "readPreference",
    "primary, primaryPreferred, secondary, secondaryPreferred or nearest",
    when(new RegExp(isMode), accepted),
    when(new RegExp(`${isMode}|^$`, "i"), byNode),
    otherwise(byNodeAndGo),
  ),
  options(
    "authMechanism",
    `one of ${mechanisms.join(", ")}`,
    when(new RegExp(isMechanism), accepted),
    when(new RegExp(isMechanism, "i"), ignoredByPymongo),
    when(isEmpty, byNode),
    // The Node.js driver takes a part of a name, too.
    when(/^(?:DEFAULT|SCRAM(?:-SHA)?|(?:SHA-)?(?:1|256)|SHA|MONGODB|X509|AWS|OIDC)$/i, byGo),
    otherwise(byNodeAndGo),
  ),
  options(
    "readPreferenceTags",
    "tags such as dc:ny,rack:1",
    when(/^$|^[^:,]*:[^:,]*(?:,[^:,]*:[^:,]*)*$/, accepted),
    when(/^[^:,]*:[^,]*(?:,[^:,]*:[^,]*)*$/, byGo),
    otherwise(byNodeAndGo),
  ),
  options(
    "authMechanismProperties",
    "pairs such as SERVICE_NAME:x,SERVICE_REALM:y",
    when(/(?:^|,)ALLOWED_HOSTS:/, byNode),
    when(
      /(?:^|,)CANONICALIZE_HOST_NAME:(?!(?:true|false|none|forward|forwardAndReverse)(?:,|$))/,
      byNodeAndPymongo,
    ),
    when(/^[^:,]+:[^,]+(?:,[^:,]+:[^,]+)*$/, accepted),
    when(/^[^:,]+:[^,]*(?:,[^:,]+:[^,]*)*$/, ignoredByPymongo),
    when(/^[^:,]*:[^,]*(?:,[^:,]*:[^,]*)*$/, byGo),
    otherwise(byNodeAndGo),
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
  const { verdict = accepted } = option?.rows.find(({ pattern }) => pattern.test(value)) ?? {};
  if (option === undefined || verdict === accepted) return [];
  const { name: subject, expected } = option;
  const finding = { code: codes.optionValue, subject };
  if (value !== "") {
    const what = expected === undefined ? subject : `the value of ${subject}`;
    const advice =
      expected === undefined
        ? "Remove it, unless only other drivers read it."
        : `Write ${expected}.`;
    return [driverFinding(verdict, { ...finding, what, advice })];
  }
  // The specification refuses only an empty source.
  const ofEmpty =
    lowerName === "authsource" ? verdict : except(verdict, "the specification accepts it");
  const what = `${subject} without a value`;
  return [driverFinding(ofEmpty, { ...finding, what, advice: "Add a value, or remove it." })];
}
