import assert from "node:assert/strict";
import {
  type ConnectionStringParts,
  format,
  legacyToStandard,
  optimizedSrvEligibility,
  parse,
  planProviderChange,
  withCredentials,
} from "../../../connection-strings/src";

const orders = "db+srv://orders.ab1cd.db.example";
const user = { username: "app", password: "secret" };
const loneSurrogate = "\ud800";

const facts = {
  sharded: true,
  regions: [{ name: "us-east-1", provider: "A" }],
  version: "7.0.12",
  privateEndpoint: true,
  regionalizedPrivateEndpoints: false,
  driverMeetsMinimum: true,
} as const;

const move = {
  tier: "dedicated",
  from: "B",
  to: "A",
  createdAt: "2019-06-03T08:00:00Z",
  legacyString: false,
  legacyBackups: false,
  peered: false,
  multiRegion: false,
  privateIpMode: false,
} as const;

const parts: ConnectionStringParts = {
  scheme: "db",
  userInfo: undefined,
  hosts: [{ name: "a.db.example", port: 27017 }],
  database: "a b",
  options: undefined,
};

describe("the message of a ConnectionStringError", () => {
  for (const [call, message] of [
    [
      () => withCredentials("db+srv://a:b@orders.db.example", user),
      "the connection string already contains credentials, or an @ that is not percent-encoded: pass",
    ],
    [() => withCredentials(orders, { ...user, username: "" }), "the username is empty"],
    [
      () => withCredentials(orders, { ...user, password: loneSurrogate }),
      "the password is not well-formed Unicode text (it contains a lone surrogate)",
    ],
    [
      () => withCredentials(orders, { ...user, options: { name: loneSurrogate } }),
      "an option is not well-formed Unicode text (it contains a lone surrogate)",
    ],
    [
      () => withCredentials(orders, { ...user, options: { tls: true, TLS: false } }),
      "the option tls (alias: ssl) is passed twice with different values",
    ],
    [
      () => withCredentials(`${orders}/?tls=true`, { ...user, options: { tls: false } }),
      "the connection string already has the option tls (alias: ssl) with another value",
    ],
    [
      () => parse("orders"),
      "the text is not a connection string: expected <scheme>://<host>:<port>,... or <scheme>+srv",
    ],
    [
      () => parse("db://orders:99999"),
      "a host of the connection string is not <host> or <host>:<port> with a port of 1 to 65535",
    ],
    [
      () => parse("db+srv://orders:27017"),
      "a connection string in SRV form must have exactly one host name, without a port",
    ],
    [
      () => format({ ...parts, database: "a?b" }),
      "a part of the connection string contains characters that must be percent-encoded",
    ],
    [
      () => legacyToStandard(orders),
      "the connection string is not a legacy string: legacy host names have a hyphen before",
    ],
    [
      () => optimizedSrvEligibility({ ...facts, version: "seven" }),
      "the database version is not <major>.<minor> or <major>.<minor>.<patch>",
    ],
    [() => optimizedSrvEligibility({ ...facts, regions: [] }), "the cluster has no regions"],
    [
      () => planProviderChange({ ...move, createdAt: "yesterday" }),
      "createdAt is not an ISO 8601 date, such as 2019-06-03T08:00:00Z",
    ],
  ] as const) {
    it(`is: ${message}`, () => {
      assert.throws(call, (error: Error) => error.message.startsWith(message));
    });
  }
});
