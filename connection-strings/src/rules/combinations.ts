/** What drivers refuse together: options, the form of the string, its hosts, and the user of a mechanism. */
import type { StringForm } from "../parsing";
import { type Exception, type Finding, type Verdict, driverFinding } from "./drivers";
import { mechanisms } from "./optionValues";

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

/** The mechanisms that identify a user by a certificate, a role or a token. */
export const mechanismsWithoutName: readonly string[] = [
  "MONGODB-X509",
  "MONGODB-AWS",
  "MONGODB-OIDC",
];

/** The mechanisms of users that are not in a database. Their only source is `$external`. */
export const mechanismsWithoutPassword: readonly string[] = [...mechanismsWithoutName, "GSSAPI"];

/** Which drivers refuse options together. By default, all do, and the advice is to remove an option. */
type Combination = readonly [
  applies: boolean,
  /** Such as `srvMaxHosts with replicaSet`. */
  what: string,
  verdict?: Verdict,
  details?: { readonly advice?: string; readonly exception?: Exception },
];

/** Returns the combinations that drivers refuse. */
export function combinationFindings(input: DriverInput): Finding[] {
  const { options, published } = input;
  const parts = [ofClusters, ofTls, ofProxies, ofOthers, ofUsers];
  const all = parts.flatMap((part) => part(input));
  return all.flatMap(([applies, what, verdict = "node go pymongo", details]) => {
    if (!applies) return [];
    const named = what.split(/\W+/).filter((word) => options.has(word.toLowerCase()));
    const label = (word: string) =>
      published.has(word) && !named.includes(word) ? `the ${word} in TXT` : word;
    const advice =
      named.length > 0
        ? `Remove ${named.join(" or ")}.`
        : "Use the name that the service returned, and no other one.";
    const finding = { code: "option-conflict", subject: named[0], advice, ...details } as const;
    return driverFinding(verdict, what.replaceAll(/\w+/g, label), finding);
  });
}

function readerOf({ options }: DriverInput) {
  const valueOf = (name: string) => options.get(name.toLowerCase());
  return {
    valueOf,
    has: (name: string) => options.has(name.toLowerCase()),
    /** Returns NaN for anything but an integer from 0. */
    integerOf: (name: string) => Number(/^\d+$/.exec(valueOf(name) ?? "")?.[0]),
  };
}

/** The form of the string, and the options about the kind of the cluster. */
function ofClusters(input: DriverInput): Combination[] {
  const { form, hostCount, published } = input;
  const { has, valueOf, integerOf } = readerOf(input);
  const isList = form === "hosts";
  const isSeveral = hostCount > 1;
  const isReplicaSet = has("replicaSet") || published.has("replicaSet");
  // The Go driver ignores the case.
  const isDirect = valueOf("directConnection")?.toLowerCase() === "true";
  const isLimited = integerOf("srvMaxHosts") > 0;
  const isBalanced = [valueOf("loadBalanced"), published.get("loadBalanced")].includes("true");
  return [
    [isList && has("srvMaxHosts"), "srvMaxHosts with a list of hosts"],
    [isList && has("srvServiceName"), "srvServiceName with a list of hosts"],
    [
      isList && has("srvAllowedHostsSuffix"),
      "srvAllowedHostsSuffix with a list of hosts",
      "node pymongo",
    ],
    [isDirect && !isList, "directConnection with an SRV name"],
    [isDirect && isSeveral, "directConnection with several hosts"],
    [isBalanced && isSeveral, "loadBalanced with several hosts"],
    [isBalanced && isReplicaSet, "loadBalanced with replicaSet"],
    [isBalanced && isDirect, "loadBalanced with directConnection"],
    [isBalanced && isLimited, "loadBalanced with srvMaxHosts"],
    [isLimited && isReplicaSet, "srvMaxHosts with replicaSet"],
  ];
}

const refusedInTests = { exception: "the specification refuses it" } as const;
const addedByCode = { exception: "code can add what is missing" } as const;

function ofTls(input: DriverInput): Combination[] {
  const { has, valueOf } = readerOf(input);
  const differs = has("tls") && has("ssl") && valueOf("tls") !== valueOf("ssl");
  const exclusive = [
    "tlsInsecure",
    "tlsAllowInvalidCertificates",
    "tlsDisableOCSPEndpointCheck",
    "tlsDisableCertificateRevocationCheck",
  ].filter(has);
  const isInsecure = has("tlsInsecure") && has("tlsAllowInvalidHostnames");
  const isOff = valueOf("tls") === "false" || valueOf("ssl") === "false";
  const checks = ["tlsInsecure", "tlsAllowInvalidCertificates", "tlsAllowInvalidHostnames"];
  const files = [
    "tlsCAFile",
    "tlsCRLFile",
    "tlsCertificateKeyFile",
    "tlsCertificateKeyFilePassword",
  ];
  const unused = [
    ...files.filter(valueOf),
    ...[...checks, "tlsDisableOCSPEndpointCheck"].filter((name) => valueOf(name) === "false"),
  ].join(" and ");
  return [
    [isOff && unused !== "", `${unused} with tls=false`, "pymongo"],
    [differs, "tls with another value of ssl"],
    [exclusive.length > 1, exclusive.join(" with "), "node", refusedInTests],
    [isInsecure, "tlsInsecure with tlsAllowInvalidHostnames", "node", refusedInTests],
  ];
}

function ofProxies(input: DriverInput): Combination[] {
  const { has, integerOf } = readerOf(input);
  const ofProxy = ["proxyPort", "proxyUsername", "proxyPassword"].filter(has).join(" and ");
  const port = integerOf("proxyPort");
  const isHalf = has("proxyUsername") !== has("proxyPassword");
  const halves = has("proxyUsername")
    ? "proxyUsername without proxyPassword"
    : "proxyPassword without proxyUsername";
  return [
    [
      ofProxy !== "" && !has("proxyHost"),
      `${ofProxy} without proxyHost`,
      "node",
      {
        ...refusedInTests,
        advice: "Add proxyHost, or remove the other options of the proxy.",
      },
    ],
    [
      has("proxyHost") && (port === 0 || port > 65_535),
      "the value of proxyPort",
      "node",
      { advice: "Write an integer from 1 to 65535." },
    ],
    [isHalf, halves, "node", { ...refusedInTests, advice: "Add both, or none." }],
  ];
}

/** The options about pools, reads and writes. */
function ofOthers(input: DriverInput): Combination[] {
  const { has, valueOf, integerOf } = readerOf(input);
  const poolSize = has("maxPoolSize") ? integerOf("maxPoolSize") : 100;
  const isUnlimited = poolSize === 0;
  const isUnacknowledged = /^[ +-]*0+$/.test(valueOf("w") ?? "");
  const mode = valueOf("readPreference")?.toLowerCase();
  const isPrimary = mode === undefined || mode === "primary";
  const ofMode = mode === undefined ? "without readPreference" : "with readPreference=primary";
  const advice = "Add readPreference, or set it in code.";
  const unlessAdded = mode === undefined ? { ...addedByCode, advice } : {};
  return [
    [
      integerOf("minPoolSize") > poolSize,
      isUnlimited ? "minPoolSize with maxPoolSize=0" : "minPoolSize above maxPoolSize",
      isUnlimited ? "node" : "node go pymongo",
    ],
    [isUnacknowledged && valueOf("journal") === "true", "w=0 with journal=true", "go pymongo"],
    [
      isPrimary && integerOf("maxStalenessSeconds") > 0,
      `maxStalenessSeconds ${ofMode}`,
      "go pymongo",
      unlessAdded,
    ],
    [
      isPrimary && has("readPreferenceTags"),
      `readPreferenceTags ${ofMode}`,
      input.hasTags ? "go pymongo" : "go",
      unlessAdded,
    ],
  ];
}

/** The properties of the mechanisms that have any. */
const propertiesOf: ReadonlyMap<string, readonly string[]> = new Map([
  ["GSSAPI", ["SERVICE_NAME", "CANONICALIZE_HOST_NAME", "SERVICE_REALM", "SERVICE_HOST"]],
  ["MONGODB-AWS", ["AWS_SESSION_TOKEN"]],
  ["MONGODB-OIDC", ["ENVIRONMENT", "TOKEN_RESOURCE"]],
]);

/** What the authentication mechanism requires of the user, the source and the properties. */
function ofUsers(input: DriverInput): Combination[] {
  const { hasName, hasPassword } = input;
  const { valueOf } = readerOf(input);
  const mechanism = mechanisms.find((name) => name === valueOf("authMechanism")?.toUpperCase());
  const isExternal = mechanismsWithoutPassword.includes(mechanism ?? "");
  const lacksPassword = hasName && !hasPassword;
  const refusing = new Map<string | undefined, Verdict>([
    [undefined, "pymongo"],
    ["PLAIN", "go"],
    ["MONGODB-AWS", "node go pymongo"],
  ]).get(mechanism);
  const withoutPassword: Combination = [
    lacksPassword && (!isExternal || mechanism === "MONGODB-AWS"),
    "a user without a password",
    refusing ?? "go pymongo",
    { ...addedByCode, advice: "Add the password, or set it in code." },
  ];
  if (mechanism === undefined) return [withoutPassword];
  const pairs = (valueOf("authMechanismProperties") ?? "").matchAll(/([^:,]+):([^,]*)/g);
  const properties = new Map(Array.from(pairs, ([, name = "", value = ""]) => [name, value]));
  const isOther = (name: string) => !propertiesOf.get(mechanism)?.includes(name);
  return [
    withoutPassword,
    [
      !hasName && !mechanismsWithoutName.includes(mechanism),
      `${mechanism} without a user`,
      "node go pymongo",
      { ...addedByCode, advice: "Add the user name, or set it in code." },
    ],
    [
      hasPassword && ["MONGODB-X509", "MONGODB-OIDC"].includes(mechanism),
      `a password with ${mechanism}`,
      "node go pymongo",
      { advice: "Remove the password." },
    ],
    [
      isExternal && (valueOf("authSource") ?? "$external") !== "$external",
      `${mechanism} with another authSource than $external`,
    ],
    [
      [...properties.keys()].some(isOther),
      `${mechanism} with another property in authMechanismProperties`,
      "go",
    ],
    ...(mechanism === "MONGODB-AWS" ? ofAws(input, properties) : []),
    ...(mechanism === "MONGODB-OIDC" ? ofOidc(input, properties) : []),
  ];
}

type Properties = ReadonlyMap<string, string>;

function ofAws({ hasName, hasPassword }: DriverInput, properties: Properties): Combination[] {
  return [
    [
      hasPassword,
      "MONGODB-AWS with a user and a password",
      "node",
      {
        advice:
          "It reads them from the environment of AWS, so set them there, or use an earlier version.",
      },
    ],
    [
      !hasName && properties.has("AWS_SESSION_TOKEN"),
      "AWS_SESSION_TOKEN without a user",
      "node go",
      { advice: "Remove it, or add the user and the password." },
    ],
  ];
}

function ofOidc({ hasName }: DriverInput, properties: Properties): Combination[] {
  const environment = properties.get("ENVIRONMENT") ?? "";
  const isCloud = environment === "azure" || environment === "gcp";
  const isKnown = isCloud || ["", "k8s", "test"].includes(environment);
  return [
    [
      environment === "" || (isCloud && !properties.get("TOKEN_RESOURCE")),
      isCloud ? "MONGODB-OIDC without TOKEN_RESOURCE" : "MONGODB-OIDC without ENVIRONMENT",
      "node go pymongo",
      { ...addedByCode, advice: "Add it to authMechanismProperties, or a callback in code." },
    ],
    [
      !isKnown,
      "the ENVIRONMENT in authMechanismProperties",
      "node go pymongo",
      {
        advice: "Write azure, gcp or k8s.",
      },
    ],
    [
      hasName && environment !== "" && environment !== "azure",
      "a user with this ENVIRONMENT of MONGODB-OIDC",
      environment === "test" ? "node go pymongo" : "node",
      { advice: "Remove the user." },
    ],
  ];
}
