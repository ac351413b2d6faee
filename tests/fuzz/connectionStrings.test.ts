import assert from "node:assert/strict";
import fc from "fast-check";
import {
  ConnectionStringError,
  type ServiceStrings,
  classify,
  clusterDomain,
  clusterStrings,
  isLegacy,
  legacyToStandard,
  parse,
  select,
  withCredentials,
} from "../../connection-strings/src";
import { hostileName, hostileText, hostileValue, mutated } from "./hostile";
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

describe("hostile connection strings", () => {
  property("are parsed, or cause an error without the password", {
    subject: "connection strings",
    inputs: fc.tuple(damaged, hostileText),
    check: async ([text, domain]) => {
      const { kind } = classify(text, { domain });
      const parsed = await outcomeOf(() => parse(text), documented);
      if (parsed.kind === "error") assert.equal(kind, "unknown");
      const standard = await outcomeOf(() => legacyToStandard(text, { domain }), documented);
      assert.equal(standard.kind === "value", isLegacy(text, { domain }));
      clusterDomain([text, domain]);
    },
  });

  property("get the credentials that the parser returns, or an error without them", {
    subject: "connection strings",
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

  property("of any record are sorted and selected, from the record alone", {
    subject: "connection strings",
    inputs: fc.tuple(
      mutated(fc.constant(record), fc.oneof(hostileValue, damaged)),
      network,
      fc.constantFrom("srv" as const, "hosts" as const),
    ),
    check: ([input, wanted, form]) => {
      const strings = clusterStrings(input as ServiceStrings);
      const selected = select(strings, {
        form,
        ...(wanted === undefined ? {} : { network: wanted }),
      });
      if (selected.kind !== "selected") return;
      const texts = textsIn(input);
      assert.ok(texts.has(selected.connectionString), selected.connectionString);
    },
  });

  property("do not take a name of a record for anything else", {
    subject: "connection strings",
    inputs: fc.dictionary(hostileName, fc.oneof(valid, hostileValue)),
    check: (input) => {
      select(clusterStrings(input));
    },
  });
});

/** Returns every text in a value, at any depth. */
function textsIn(value: unknown): Set<unknown> {
  if (typeof value !== "object" || value === null) return new Set([value]);
  return new Set(Object.values(value).flatMap((each: unknown) => [...textsIn(each)]));
}
