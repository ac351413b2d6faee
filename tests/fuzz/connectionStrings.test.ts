import assert from "node:assert/strict";
import fc from "fast-check";
import {
  ConnectionStringError,
  type ConnectionStringParts,
  type ServiceStrings,
  classify,
  clusterDomain,
  clusterStrings,
  format,
  parse,
  select,
  withCredentials,
} from "../../connection-strings/src";
import { hostileText, hostileValue, mutated } from "./hostile";
import { isOneOf, outcomeOf, plantedSecret, property } from "./properties";

const documented = isOneOf(ConnectionStringError);

const valid = fc.constantFrom(
  "db+srv://orders.ab1cd.db.example",
  "db://orders-shard-00-00.ab1cd.db.example:27017,orders-shard-00-01.ab1cd.db.example:27017",
  "db://orders-shard-00-00-pri.ab1cd.db.example:27017/orders?tls=true&replicaSet=a",
  "db+srv://orders-pl-0-us-east-1-lb.ab1cd.db.example",
  "db+srv://orders-ab1cd.gcp.db.example",
);

/** A valid string with hostile text and a password at some place in it. */
const damaged = fc
  .tuple(valid, fc.nat({ max: 200 }), hostileText, fc.boolean())
  .map(([text, at, part, hasPassword]) => {
    const string = hasPassword ? text.replace("://", `://user:${plantedSecret}@`) : text;
    const index = at % (string.length + 1);
    return `${string.slice(0, index)}${part}${string.slice(index)}`;
  });

const plain = { noNullPrototype: true } as const;
const letters = "abcdefghijklmnopqrstuvwxyz0123456789";
const text = (characters: string, maxLength: number, minLength = 1) =>
  fc.string({ unit: fc.constantFrom(...Array.from(characters)), minLength, maxLength });
const labels = fc.array(text(`${letters}-_`, 8), { minLength: 1, maxLength: 4 });
const domainName = labels.map((parts) => `${parts.join(".")}.example`);
const hostName = fc.oneof(
  domainName,
  fc.ipV4(),
  fc.ipV6().map((address) => `[${address}]`),
);
const optionalPort = fc.option(fc.integer({ min: 1, max: 65535 }), { nil: undefined });
const encoded = fc.string({
  unit: fc.constantFrom(...Array.from(`${letters}!$`), "%25", "%C3%A9"),
  minLength: 1,
  maxLength: 6,
});
const userInfo = fc
  .tuple(encoded, fc.option(encoded, { nil: undefined }))
  .map(([user, password]) => (password === undefined ? user : `${user}:${password}`));
const scheme = text("abcdefghijklmnopqrstuvwxyz", 8);
const otherParts = {
  userInfo: fc.option(userInfo, { nil: undefined }),
  database: fc.option(text(`${letters}%-_`, 8, 0), { nil: undefined }),
  options: fc.option(text(`${letters}%=&,/:?`, 20, 0), { nil: undefined }),
};
const hostList = fc.record(
  {
    scheme,
    ...otherParts,
    hosts: fc.array(fc.record({ name: hostName, port: optionalPort }, plain), {
      minLength: 1,
      maxLength: 4,
    }),
  },
  plain,
);
const srvForm = fc.record(
  {
    scheme: scheme.map((name) => `${name}+srv`),
    ...otherParts,
    hosts: fc.tuple(fc.record({ name: domainName, port: fc.constant(undefined) }, plain)),
  },
  plain,
);

/** The parts of a valid connection string, in either form. */
const arbitraryParts: fc.Arbitrary<ConnectionStringParts> = fc.oneof(hostList, srvForm);

const record = {
  standard: "db://orders-shard-00-00.ab1cd.db.example:27017",
  standardSrv: "db+srv://orders.ab1cd.db.example",
  private: "db://orders-shard-00-00-pri.ab1cd.db.example:27017",
  privateSrv: "db+srv://orders-pri.ab1cd.db.example",
  privateEndpoint: [
    {
      connectionString: "db://pl-0-us-east-1.ab1cd.db.example:1024",
      srvConnectionString: "db+srv://orders-pl-0-us-east-1.ab1cd.db.example",
      srvShardOptimizedConnectionString: "db+srv://orders-pl-0-lb.ab1cd.db.example",
      endpoints: [{ endpointId: "vpce-1", providerName: "A", region: "US_EAST_1" }],
    },
  ],
  awsPrivateLink: { "vpce-2": "db://pl-1-eu-west-1.ab1cd.db.example:1024" },
};

const network = fc.constantFrom(
  undefined,
  { kind: "peering" as const },
  { kind: "privateEndpoint" as const },
  { kind: "privateEndpoint" as const, region: "us-east-1" },
  { kind: "privateEndpoint" as const, endpointId: "__proto__" },
);

const ids = fc.constantFrom("vpce-1", "vpce-2", "constructor", "__proto__");

/** Strings of every kind, many of them optimized. */
const anyString = fc
  .tuple(
    fc.constantFrom("db://", "db+srv://", "DB+SRV://"),
    fc.constantFrom(
      ...["orders", "orders-pri", "orders-shard-00-00", "orders-pl-0", "pl-0-us-east-1"],
      ...["orders-pl-0-lb", "pl-1-lb", "Orders-PL-0-LB", "orders-pl-0-us-east-1-lb"],
      ...["pl-00-000-us-east1-gcp"],
    ),
    fc.constantFrom(
      ...[".ab1cd.db.example", ".ab1cd.eu.db.example", ".ab1cd.example", ".example."],
      ...["-ab1cd.db.example", "-ab1cd.eu.db.example", "-ab1cd.azure.db.example"],
    ),
    fc.constantFrom("", "/?tls=true"),
  )
  .map((texts) => texts.join(""));
const stringsById = fc.dictionary(ids, anyString);

/** The record of a cluster with strings of any kind in documented and undocumented fields. */
const serviceRecord = fc.record(
  {
    standard: anyString,
    standardSrv: anyString,
    privateSrv: anyString,
    undocumented: anyString,
    privateEndpoint: fc.array(
      fc.record(
        {
          connectionString: anyString,
          srvConnectionString: anyString,
          srvShardOptimizedConnectionString: anyString,
          undocumentedField: anyString,
          endpoints: fc.array(
            fc.record({
              endpointId: ids,
              region: fc.constantFrom("US_EAST_1", "us-east-1", "eastus2"),
            }),
            { maxLength: 2 },
          ),
        },
        { requiredKeys: [] },
      ),
      { maxLength: 3 },
    ),
    awsPrivateLink: stringsById,
    awsPrivateLinkSrv: stringsById,
  },
  { requiredKeys: [] },
);

describe("invalid or malicious connection strings", () => {
  property("are parsed, or cause an error without the password", {
    inputs: fc.tuple(damaged, hostileText),
    check: async ([text, domain]) => {
      const { kind } = classify(text, { domain });
      const parsed = await outcomeOf(() => parse(text), documented);
      if (parsed.kind === "error") assert.equal(kind, "unknown");
      clusterDomain([text, domain]);
    },
  });

  property("get the credentials that the parser returns, or an error without them", {
    inputs: fc.tuple(valid, hostileText, hostileText, fc.option(hostileText, { nil: undefined })),
    check: async ([text, username, password, authSource]) => {
      const options = { authSource };
      const credentials = { username, password: `${password}${plantedSecret}`, options };
      const added = await outcomeOf(() => withCredentials(text, credentials), documented);
      if (added.kind === "error") return;
      const [name = "", secret = ""] = (parse(added.value).userInfo ?? "").split(":");
      assert.equal(decodeURIComponent(name), username);
      assert.equal(decodeURIComponent(secret), credentials.password);
      assert.match(added.value, /^[!-~]+$/);
    },
  });

  property("of any record are sorted and selected, using only the record", {
    inputs: fc.tuple(
      mutated(fc.constant(record), fc.oneof(hostileValue, damaged)),
      network,
      fc.constantFrom("srv" as const, "hosts" as const),
    ),
    check: ([input, wanted, form]) => {
      const strings = clusterStrings(input as ServiceStrings);
      const selected = select(strings, { form, network: wanted });
      if (selected.kind !== "selected") return;
      const texts = textsIn(input);
      assert.ok(texts.has(selected.connectionString), selected.connectionString);
    },
  });

  property("are formatted exactly as they were parsed", {
    inputs: arbitraryParts,
    check: (parts) => {
      const text = format(parts);
      const { form, ...parsedParts } = parse(text);
      assert.deepEqual(parsedParts, parts);
      assert.equal(form, parts.scheme.endsWith("+srv") ? "srv" : "hosts");
    },
  });

  property("of any type cause only documented errors", {
    inputs: fc.tuple(fc.anything(), fc.anything()),
    check: async ([value, other]) => {
      const text = value as string;
      assert.equal(classify(text).kind, "unknown");
      await outcomeOf(() => parse(text), documented);
      const credentials = { username: other as string, password: "p" };
      await outcomeOf(() => withCredentials(text, credentials), documented);
    },
  });

  property("get each option once, in any spelling", {
    inputs: fc.tuple(
      fc.dictionary(
        fc.constantFrom("retryWrites", "RETRYWRITES", "retrywrites", "w", "W", "tls", "ssl", "SSL"),
        fc.constantFrom("1", "true"),
      ),
      fc.uniqueArray(
        fc.constantFrom("retryWrites=1", "retry%57rites=true", "W=1", "x=1", "ssl=1", "TLS=true"),
      ),
    ),
    check: async ([options, existing]) => {
      const uri = `db+srv://orders.ab1cd.db.example/?${existing.join("&")}`;
      const credentials = { username: "app", password: "p", options };
      const text = await outcomeOf(() => withCredentials(uri, credentials), documented);
      if (text.kind === "error") return;
      const nameOf = (option: string) => {
        const name = decodeURIComponent(option).split("=")[0]?.toLowerCase();
        return name === "ssl" ? "tls" : name;
      };
      const added = text.value.slice(uri.length + "app:p@".length).split("&");
      const names = added.filter((option) => option !== "").map(nameOf);
      assert.equal(new Set(names).size, names.length);
      assert.ok(existing.map(nameOf).every((name) => !names.includes(name)));
    },
  });

  property("of a record are all in some output, and optimized: false never selects lb", {
    inputs: fc.tuple(serviceRecord, network, fc.constantFrom("srv" as const, "hosts" as const)),
    check: ([input, wanted, form]) => {
      const strings = clusterStrings(input);
      const outputs = textsIn(strings);
      for (const text of textsIn(input)) {
        if (String(text).includes("://")) assert.ok(outputs.has(text), String(text));
      }
      const selected = select(strings, { network: wanted, form, optimized: false });
      if (selected.kind === "selected") assert.doesNotMatch(selected.connectionString, /-lb[.-]/i);
    },
  });
});

/** Returns every text in a value, at any depth. */
function textsIn(value: unknown): Set<unknown> {
  if (typeof value !== "object" || value === null) return new Set([value]);
  return new Set(Object.values(value).flatMap((each: unknown) => [...textsIn(each)]));
}
