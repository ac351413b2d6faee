import assert from "node:assert/strict";
import fc from "fast-check";
import {
  ConnectionStringError,
  classify,
  clusterDomain,
  diagnose,
  parse,
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
});
