import assert from "node:assert/strict";
import { clusterStrings } from "../../../connection-strings/src";
import { clusterReader } from "../../../provider/src/service/schemas";

const signature = "4dabf18193072939515e22adb298388d";
const marker = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";

const read = clusterReader("db");

/** Returns what is wrong with a record; undefined if it is a cluster. */
function problemOf(record: unknown): string | undefined {
  const parsed = read(record);
  return parsed.kind === "malformed" ? parsed.problem : undefined;
}

const record = {
  id: "field-id",
  name: "field-name",
  clusterType: "field-type",
  stateName: "field-state",
  dbVersion: "field-version",
  dbMajorVersion: "field-major",
  connectionStrings: {
    standard: "field-standard",
    standardSrv: "field-standardSrv",
    private: "field-private",
    privateSrv: "field-privateSrv",
    privateEndpoint: [
      {
        connectionString: "field-connectionString",
        srvConnectionString: "field-srvConnectionString",
        srvShardOptimizedConnectionString: "field-optimized",
        endpoints: [
          { endpointId: "field-endpoint", providerName: "field-provider", region: "field-region" },
        ],
      },
    ],
    awsPrivateLink: { "field-linkId": "field-link" },
    awsPrivateLinkSrv: { "field-linkSrvId": "field-linkSrv" },
  },
};
const json = JSON.stringify(record);
const fields = [...json.matchAll(/field-\w+/g)].map(([field]) => field);

describe("the record of a cluster", () => {
  it("is parsed if every field is plain text", () => {
    assert.equal(fields.length, 20);
    assert.equal(problemOf(record), undefined);
  });

  it("is parsed even if its provider is malformed", () => {
    for (const value of [null, 1, "", "\u001b[2J", [], [1], {}, { providerName: 1 }]) {
      assert.equal(problemOf({ ...record, providerSettings: value }), undefined);
    }
  });

  for (const [what, text] of [
    ["the marker of an unknown value", marker],
    ["the key of Pulumi's special records", signature],
  ] as const) {
    it(`is malformed if any field is ${what}`, () => {
      for (const field of fields) {
        const odd: unknown = JSON.parse(json.replace(`"${field}"`, JSON.stringify(text)));
        const problem = problemOf(odd) ?? `${field} was accepted`;
        assert.match(problem, /^\w+(?:\.\w+)?: /, field);
        assert.ok(problem.length < 500, problem);
      }
    });
  }

  it("is parsed if its name has any characters, which messages escape", () => {
    for (const name of ["a\u001b[2Jb", "a\nb", "a\u202eb"]) {
      assert.equal(problemOf({ ...record, name }), undefined);
    }
  });

  for (const [what, malformed, problem] of [
    ["is null", null, /^must be an object, not null$/],
    ["is text", "odd", /^must be an object, not text$/],
    ["has a number as its name", { name: 7, dbVersion: "7.0.12" }, /^name: /],
    ["has a number as its version", { name: "odd", dbVersion: 7 }, /^dbVersion: /],
    ["has no object of strings", { name: "odd", connectionStrings: ["a"] }, /^connectionStrings: /],
  ] as const) {
    it(`is malformed if it ${what}`, () => {
      assert.match(problemOf(malformed) ?? "", problem);
    });
  }

  it("is that of a cluster without a name if only the name is missing, null or empty", () => {
    for (const name of [undefined, null, ""]) {
      const parsed = read({ id: "x", name, dbVersion: "7.0.12", dbMajorVersion: "7.0" });
      const versions = { version: "7.0.12", majorVersion: "7.0" };
      assert.deepEqual(parsed, { kind: "nameless", id: "x", name: undefined, ...versions });
    }
    assert.equal(read({ dbVersion: 7 }).kind, "malformed");
  });

  it("is parsed if its fields are null or empty", () => {
    const connectionStrings = { standard: null, private: "" };
    const parsed = read({ id: "", name: "c", clusterType: null, dbVersion: "", connectionStrings });
    assert.ok(parsed.kind === "cluster");
    const { id, type, version, connectionStrings: strings } = parsed;
    assert.deepEqual([id, type, version], [undefined, undefined, undefined]);
    assert.deepEqual([strings?.standard, strings?.private], [undefined, undefined]);
  });

  it("is described by its first five problems", () => {
    const privateEndpoint = Array.from({ length: 500 }, () => 1);
    const problem = problemOf({ name: "orders", connectionStrings: { privateEndpoint } }) ?? "";
    assert.match(problem, /^connectionStrings\.privateEndpoint: .*; and 495 more$/);
    assert.ok(problem.length < 1000);
  });

  it("keeps only plain text under other names", () => {
    const asset = { [signature]: "c44067f5c5f8e5ae3b8bdd3b1a5f3d1a", path: "/etc/hostname" };
    const values = { asset, list: ["a"], flag: true, number: 1, unknownText: marker, none: null };
    const texts = { analyticsSrv: "db+srv://orders-an.ab1cd.db.example" };
    const privateEndpoint = [{ ...values, ...texts }];
    const parsed = read({
      name: "odd",
      connectionStrings: { ...values, ...texts, privateEndpoint },
    });
    assert.ok(parsed.kind === "cluster");
    const { others, privateEndpoints } = clusterStrings(parsed.connectionStrings);
    assert.deepEqual(others, texts);
    assert.deepEqual(privateEndpoints, [{ endpointIds: [], others: texts }]);
    const kept = JSON.stringify(parsed.connectionStrings);
    for (const name of Object.keys(values)) assert.ok(!kept.includes(name), kept);
  });
});
