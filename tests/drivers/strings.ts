/** Random connection strings, about which drivers disagree more often than about those of services. */
import fc from "fast-check";

const flags = `tls ssl directConnection journal loadBalanced retryReads retryWrites tlsAllowInvalidCertificates
  tlsAllowInvalidHostnames tlsDisableCertificateRevocationCheck tlsDisableOCSPEndpointCheck tlsInsecure
  enableOverloadRetargeting serverSelectionTryOnce`;
const integers = `connectTimeoutMS heartbeatFrequencyMS localThresholdMS maxConnecting maxIdleTimeMS maxPoolSize
  minPoolSize maxStalenessSeconds maxAdaptiveRetries proxyPort serverSelectionTimeoutMS socketTimeoutMS srvMaxHosts
  timeoutMS waitQueueTimeoutMS wTimeoutMS zlibCompressionLevel`;
const texts = `appName authSource proxyHost proxyPassword proxyUsername readConcernLevel replicaSet srvServiceName
  tlsCertificateKeyFilePassword uuidRepresentation w`;

/** Options and what they are set to, separated by white space. */
const values: readonly (readonly [weight: number, names: string, values: readonly string[]])[] = [
  [8, flags, ["true", "false", "true", "false", "TRUE", "yes", "1", "0", ""]],
  // PyMongo gives DNS no more time than for a connection.
  [
    8,
    integers,
    ["0", "-1", "-2", "101", "499", "500", "70000", "1.5e2", "abc", "+500", "0600", "", "true"],
  ],
  [
    7,
    texts,
    [
      "x",
      "admin",
      "$external",
      "majority",
      "0",
      "1",
      "-1",
      "a:b",
      "a%20b",
      "",
      "test",
      "a=b",
      "rs-0",
      "a%zz",
      "x%22",
    ],
  ],
  [
    3,
    "authMechanism",
    `SCRAM-SHA-1 SCRAM-SHA-256 PLAIN GSSAPI MONGODB-X509 MONGODB-AWS MONGODB-OIDC MONGODB-CR scram-sha-256 mongodb-x509
      X509 DEFAULT SCRAM-SHA-512`.split(/\s+/),
  ],
  [
    2,
    "authMechanismProperties",
    [
      "SERVICE_NAME:x",
      "SERVICE_NAME:",
      "ENVIRONMENT:k8s",
      "ENVIRONMENT:azure",
      "ENVIRONMENT:azure,TOKEN_RESOURCE:x",
      "ENVIRONMENT:x",
      "AWS_SESSION_TOKEN:x",
      "CANONICALIZE_HOST_NAME:true",
      "CANONICALIZE_HOST_NAME:x",
      "ALLOWED_HOSTS:x",
      "OTHER:x",
      "x",
      "",
    ],
  ],
  [
    3,
    "readPreference",
    ["primary", "secondary", "nearest", "primaryPreferred", "SECONDARY", "x", ""],
  ],
  [3, "readPreferenceTags", ["dc:ny", "dc:ny,rack:1", "", "dc", "a:b:c"]],
  [1, "compressors", ["zlib", "snappy,zlib", "none", "zlib,", "Zlib", "gzip", ""]],
  [1, "serverMonitoringMode", ["auto", "poll", "stream", "AUTO", "x", ""]],
];

const option = fc.oneof(
  ...values.map(([weight, names, all]) => ({
    weight,
    arbitrary: fc
      .tuple(fc.constantFrom(...names.split(/\s+/)), fc.constantFrom(...all), fc.nat(19))
      .map(([name, value, at]) => {
        // The Node.js driver reads only one spelling of an option that a string repeats.
        const isLower = at === 0 && name !== "readPreferenceTags";
        return `${isLower ? name.toLowerCase() : name}=${value}`;
      }),
  })),
  { weight: 1, arbitrary: fc.constantFrom("", "w", "=x", "retryWrite=true", "a;b=c", "w=1;w=2") },
);

/** The hosts accept no connection, and any name of a cluster has one of them. */
export const connectionStrings = fc
  .record({
    location: fc.constantFrom(
      ["mongodb://", "a.db.example:1"],
      ["mongodb://", "a.db.example:1,b.db.example:1"],
      ["mongodb+srv://", "orders.db.example"],
    ),
    user: fc.constantFrom("", "", "u@", "u:@", "u:p@", "u:p@", "u%40:p%2F@", "%3Cuser%3E:p@"),
    path: fc.constantFrom(
      "",
      "/",
      "/",
      "/",
      "/shop",
      "/admin",
      "/a.b",
      "/$external",
      "/shop/",
      "//shop",
      "/a%20b",
      "/a$b",
      "/a+b",
      "/%zz",
      "/%ff",
    ),
    options: fc.array(option, { maxLength: 4 }),
  })
  .map(({ location: [scheme = "", hosts = ""], user, path, options }) => {
    const query = options.length === 0 ? "" : `?${options.join("&")}`;
    return `${scheme}${user}${hosts}${path}${query}`;
  });
