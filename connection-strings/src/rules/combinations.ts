/** What drivers refuse together: options, the form of the string, its hosts, and the user of a mechanism. */
import type { StringForm } from "../parsing";
import { type Finding, type Refusal, type Verdict, all, refusals } from "./drivers";
import { mechanisms, mechanismsWithoutName, mechanismsWithoutPassword } from "./optionValues";

/** What a driver reads in a string before it connects, and in the TXT record of its name. */
export interface DriverInput {
  readonly form: StringForm;
  readonly hostCount: number;
  readonly hasName: boolean;
  readonly hasPassword: boolean;
  /** The decoded values by the names in lower case. */
  readonly options: ReadonlyMap<string, string>;
  /** Whether one of the readPreferenceTags has a value, and PyMongo ignores none. */
  readonly hasTags: boolean;
  /** The options in the TXT record, if it was read. */
  readonly published: URLSearchParams;
}

/** Returns the combinations that drivers refuse. By default, the advice is to remove an option. */
export function combinationFindings(input: DriverInput): Finding[] {
  const { options, published } = input;
  const read = { ...input, ...readerOf(input) };
  const parts = [ofClusters, ofTls, ofProxies, ofOthers, ofUsers];
  const rows = parts.flatMap((part) => part(read));
  return rows.flatMap(([applies, what, verdict, ownAdvice, exception]) => {
    const named = what.split(/\W+/).filter((word) => options.has(word.toLowerCase()));
    const label = (word: string) =>
      published.has(word) && !named.includes(word) ? `the ${word} in TXT` : word;
    const removal =
      named.length > 0
        ? `Remove ${named.join(" or ")}.`
        : "Use the name that the service returned, and no other one.";
    return refusals({ code: "option-conflict", subject: named[0] }, [
      [applies, what.replaceAll(/\w+/g, label), verdict, ownAdvice ?? removal, exception],
    ]);
  });
}

type Input = DriverInput & ReturnType<typeof readerOf>;

function readerOf({ options }: DriverInput) {
  const get = (name: string) => options.get(name.toLowerCase());
  return {
    get,
    has: (name: string) => options.has(name.toLowerCase()),
    /** Returns NaN for anything but an integer from 0. */
    integerOf: (name: string) => Number(/^\d+$/.exec(get(name) ?? "")?.[0]),
  };
}

/** The form of the string, and the options about the kind of the cluster. */
function ofClusters({ form, hostCount, published, has, get, integerOf }: Input): Refusal[] {
  const isList = form === "hosts";
  const isSeveral = hostCount > 1;
  const isReplicaSet = has("replicaSet") || published.has("replicaSet");
  // The Go driver ignores the case.
  const isDirect = get("directConnection")?.toLowerCase() === "true";
  const isLimited = integerOf("srvMaxHosts") > 0;
  const isBalanced = [get("loadBalanced"), published.get("loadBalanced")].includes("true");
  const suffix = "srvAllowedHostsSuffix";
  return [
    [isList && has("srvMaxHosts"), "srvMaxHosts with a list of hosts", all],
    [isList && has("srvServiceName"), "srvServiceName with a list of hosts", all],
    [isList && has(suffix), `${suffix} with a list of hosts`, "node pymongo"],
    [isDirect && !isList, "directConnection with an SRV name", all],
    [isDirect && isSeveral, "directConnection with several hosts", all],
    [isBalanced && isSeveral, "loadBalanced with several hosts", all],
    [isBalanced && isReplicaSet, "loadBalanced with replicaSet", all],
    [isBalanced && isDirect, "loadBalanced with directConnection", all],
    [isBalanced && isLimited, "loadBalanced with srvMaxHosts", all],
    [isLimited && isReplicaSet, "srvMaxHosts with replicaSet", all],
  ];
}

const bySpecification = "refused by the specification";
const byCode = "completed by code";

function ofTls({ has, get }: Input): Refusal[] {
  const differs = has("tls") && has("ssl") && get("tls") !== get("ssl");
  const exclusive = [
    "tlsInsecure",
    "tlsAllowInvalidCertificates",
    "tlsDisableOCSPEndpointCheck",
    "tlsDisableCertificateRevocationCheck",
  ].filter(has);
  const isInsecure = has("tlsInsecure") && has("tlsAllowInvalidHostnames");
  const isOff = get("tls") === "false" || get("ssl") === "false";
  const files = "tlsCAFile tlsCRLFile tlsCertificateKeyFile tlsCertificateKeyFilePassword";
  const checks =
    "tlsInsecure tlsAllowInvalidCertificates tlsAllowInvalidHostnames tlsDisableOCSPEndpointCheck";
  const unused = [
    ...files.split(" ").filter(get),
    ...checks.split(" ").filter((name) => get(name) === "false"),
  ].join(" and ");
  return [
    [isOff && unused !== "", `${unused} with tls=false`, "pymongo"],
    [differs, "tls with another value of ssl", all],
    [exclusive.length > 1, exclusive.join(" with "), "node", undefined, bySpecification],
    [isInsecure, "tlsInsecure with tlsAllowInvalidHostnames", "node", undefined, bySpecification],
  ];
}

function ofProxies({ has, integerOf }: Input): Refusal[] {
  const others = ["proxyPort", "proxyUsername", "proxyPassword"].filter(has).join(" and ");
  const isAlone = others !== "" && !has("proxyHost");
  const withHost = "Add proxyHost, or remove the other options of the proxy.";
  const port = integerOf("proxyPort");
  const isNoPort = has("proxyHost") && (port === 0 || port > 65_535);
  const isHalf = has("proxyUsername") !== has("proxyPassword");
  const halves = has("proxyUsername")
    ? "proxyUsername without proxyPassword"
    : "proxyPassword without proxyUsername";
  return [
    [isAlone, `${others} without proxyHost`, "node", withHost, bySpecification],
    [isNoPort, "the value of proxyPort", "node", "Write an integer from 1 to 65535."],
    [isHalf, halves, "node", "Add both, or none.", bySpecification],
  ];
}

/** The options about pools, reads and writes. */
function ofOthers({ has, get, integerOf, hasTags }: Input): Refusal[] {
  const poolSize = has("maxPoolSize") ? integerOf("maxPoolSize") : 100;
  const isTooSmall = integerOf("minPoolSize") > poolSize;
  const isUnacknowledged = /^[ +-]*0+$/.test(get("w") ?? "");
  const mode = get("readPreference")?.toLowerCase();
  const isPrimary = mode === undefined || mode === "primary";
  const ofMode = mode === undefined ? "without readPreference" : "with readPreference=primary";
  const [advice, exception] =
    mode === undefined ? (["Add readPreference, or set it in code.", byCode] as const) : [];
  const isStale = isPrimary && integerOf("maxStalenessSeconds") > 0;
  const isTagged = isPrimary && has("readPreferenceTags");
  const ofTags = hasTags ? "go pymongo" : "go";
  return [
    poolSize === 0
      ? [isTooSmall, "minPoolSize with maxPoolSize=0", "node"]
      : [isTooSmall, "minPoolSize above maxPoolSize", all],
    [isUnacknowledged && get("journal") === "true", "w=0 with journal=true", "go pymongo"],
    [isStale, `maxStalenessSeconds ${ofMode}`, "go pymongo", advice, exception],
    [isTagged, `readPreferenceTags ${ofMode}`, ofTags, advice, exception],
  ];
}

/** The properties of the mechanisms that have any. */
const propertiesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ["GSSAPI", ["SERVICE_NAME", "CANONICALIZE_HOST_NAME", "SERVICE_REALM", "SERVICE_HOST"]],
  ["MONGODB-AWS", ["AWS_SESSION_TOKEN"]],
  ["MONGODB-OIDC", ["ENVIRONMENT", "TOKEN_RESOURCE"]],
]);

/** The drivers that refuse a user without a password, by the mechanism. */
const refusingWithoutPassword: ReadonlyMap<string | undefined, Verdict> = new Map([
  [undefined, "pymongo"],
  ["PLAIN", "go"],
  ["MONGODB-AWS", all],
]);

/** What the authentication mechanism requires of the user, the source and the properties. */
function ofUsers(input: Input): Refusal[] {
  const { hasName, hasPassword, get } = input;
  const mechanism = mechanisms.find((name) => name === get("authMechanism")?.toUpperCase());
  const isExternal = mechanismsWithoutPassword.includes(mechanism ?? "");
  const needsPassword = hasName && (!isExternal || mechanism === "MONGODB-AWS");
  const withoutPassword: Refusal = [
    needsPassword && !hasPassword,
    "a user without a password",
    refusingWithoutPassword.get(mechanism) ?? "go pymongo",
    "Add the password, or set it in code.",
    byCode,
  ];
  if (mechanism === undefined) return [withoutPassword];
  const needsName = !mechanismsWithoutName.includes(mechanism);
  const addName = "Add the user name, or set it in code.";
  const hasNoPassword = mechanism === "MONGODB-X509" || mechanism === "MONGODB-OIDC";
  const isElsewhere = isExternal && (get("authSource") ?? "$external") !== "$external";
  const pairs = (get("authMechanismProperties") ?? "").matchAll(/([^:,]+):([^,]*)/g);
  const properties = new Map(Array.from(pairs, ([, name = "", value = ""]) => [name, value]));
  const known = propertiesOf.get(mechanism) ?? [];
  const hasOther = [...properties.keys()].some((name) => !known.includes(name));
  return [
    withoutPassword,
    [needsName && !hasName, `${mechanism} without a user`, all, addName, byCode],
    [hasNoPassword && hasPassword, `a password with ${mechanism}`, all, "Remove the password."],
    [isElsewhere, `${mechanism} with another authSource than $external`, all],
    [hasOther, `${mechanism} with another property in authMechanismProperties`, "go"],
    ...(mechanism === "MONGODB-AWS" ? ofAws(input, properties) : []),
    ...(mechanism === "MONGODB-OIDC" ? ofOidc(input, properties) : []),
  ];
}

type Properties = ReadonlyMap<string, string>;

function ofAws({ hasName, hasPassword }: Input, properties: Properties): Refusal[] {
  const fromEnvironment =
    "It reads them from the environment of AWS, so set them there, or use an earlier version.";
  const isTokenAlone = !hasName && properties.has("AWS_SESSION_TOKEN");
  const addUser = "Remove it, or add the user and the password.";
  return [
    [hasPassword, "MONGODB-AWS with a user and a password", "node", fromEnvironment],
    [isTokenAlone, "AWS_SESSION_TOKEN without a user", "node go", addUser],
  ];
}

function ofOidc({ hasName }: Input, properties: Properties): Refusal[] {
  const environment = properties.get("ENVIRONMENT") ?? "";
  const isCloud = environment === "azure" || environment === "gcp";
  const isKnown = isCloud || ["", "k8s", "test"].includes(environment);
  const missing = isCloud ? "TOKEN_RESOURCE" : "ENVIRONMENT";
  const addIt = "Add it to authMechanismProperties, or a callback in code.";
  const hasUnusedName = hasName && environment !== "" && environment !== "azure";
  const refusing = environment === "test" ? all : "node";
  return [
    [!properties.get(missing), `MONGODB-OIDC without ${missing}`, all, addIt, byCode],
    [!isKnown, "the ENVIRONMENT in authMechanismProperties", all, "Write azure, gcp or k8s."],
    [hasUnusedName, "a user with this ENVIRONMENT of MONGODB-OIDC", refusing, "Remove the user."],
  ];
}
