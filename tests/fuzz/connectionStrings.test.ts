import assert from "node:assert/strict";
import fc from "fast-check";
import {
  ConnectionStringError,
  classify,
  clusterDomain,
  clusterStrings,
  diagnose,
  parse,
  select,
  withCredentials,
} from "../../connection-strings/src";
import { unusualText } from "./inputs";
import { outcomeOf, plantedSecret, property } from "./properties";

const valid = fc.constantFrom(
  "db+srv://orders.ab1cd.db.example",
  "db://orders-shard-00-00.ab1cd.db.example:27017,orders-shard-00-01.ab1cd.db.example:27017",
  "db://orders-shard-00-00-pri.ab1cd.db.example:27017/orders?tls=true&replicaSet=a",
  "db+srv://orders-pl-0-us-east-1-lb.ab1cd.db.example",
  "db+srv://orders-ab1cd.gcp.db.example",
);

/** A valid string into which unusual text and a password are inserted. */
const damaged = fc
  .tuple(valid, fc.nat({ max: 200 }), unusualText, fc.boolean())
  .map(([text, at, part, hasPassword]) => {
    const string = hasPassword ? text.replace("://", `://user:${plantedSecret}@`) : text;
    const index = at % (string.length + 1);
    return `${string.slice(0, index)}${part}${string.slice(index)}`;
  });

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
    fc.constantFrom("db://", "db+srv://"),
    fc.constantFrom(
      "orders",
      "orders-pri",
      "orders-shard-00-00",
      "pl-0-us-east-1",
      "Orders-PL-0-LB",
      "orders-pl-0-us-east-1-lb",
    ),
    fc.constantFrom(".ab1cd.db.example", ".example.", "-ab1cd.azure.db.example"),
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

describe("connection strings with unusual text", () => {
  property("are parsed, or cause an error without the password", {
    inputs: fc.tuple(damaged, unusualText),
    check: ([text, domain]) => {
      const { kind } = classify(text, { domain });
      const parsed = outcomeOf(() => parse(text), ConnectionStringError);
      if (parsed.kind === "error") assert.equal(kind, "unknown");
      clusterDomain([text, domain]);
      // Everything that the parser rejects has a diagnosis.
      const diagnosis = diagnose(text);
      if (parsed.kind === "error") assert.notDeepEqual(diagnosis, []);
      assert.ok(!JSON.stringify(diagnosis).toLowerCase().includes(plantedSecret));
    },
  });

  property("get the credentials that the parser returns, or an error without them", {
    inputs: fc.tuple(valid, unusualText, unusualText, fc.option(unusualText, { nil: undefined })),
    check: ([text, username, password, authSource]) => {
      const options = { authSource };
      const credentials = { username, password: `${password}${plantedSecret}`, options };
      const added = outcomeOf(() => withCredentials(text, credentials), ConnectionStringError);
      if (added.kind === "error") return;
      const [name = "", secret = ""] = (parse(added.value).userInfo ?? "").split(":");
      assert.equal(decodeURIComponent(name), username);
      assert.equal(decodeURIComponent(secret), credentials.password);
      assert.match(added.value, /^[!-~]+$/);
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
  return new Set(Object.values(value).flatMap((child: unknown) => [...textsIn(child)]));
}
