import assert from "node:assert/strict";
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
    ["an escape sequence", "a\u001b[2Jb"],
    ["a line break", "a\nb"],
    ["a C1 control character", "a\u009bb"],
    ["DEL", "a\u007f"],
    ["a line separator", "a\u2028b"],
    ["a bidirectional control", "a\u202eb"],
    ["half of a surrogate pair", "a\ud800"],
    ["the marker of an unknown value", marker],
    ["a megabyte", "x".repeat(2 ** 20)],
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

  for (const [what, malformed, problem] of [
    ["is null", null, /expected object/],
    ["is text", "odd", /expected object/],
    ["has no name", { dbVersion: "7.0.12" }, /^name: /],
    ["has a number as its version", { name: "odd", dbVersion: 7 }, /^dbVersion: /],
    ["has no object of strings", { name: "odd", connectionStrings: ["a"] }, /^connectionStrings: /],
  ] as const) {
    it(`is malformed if it ${what}`, () => {
      assert.match(problemOf(malformed) ?? "", problem);
    });
  }

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

  it("keeps only safe values in strings under other names", () => {
    const asset = { [signature]: "c44067f5c5f8e5ae3b8bdd3b1a5f3d1a", path: "/etc/hostname" };
    let deep: unknown = "x";
    for (let depth = 0; depth < 20; depth += 1) deep = [deep];
    const text = JSON.stringify({
      plain: { text: "a", list: [1, true, { b: "c" }] },
      asset,
      nested: { inner: [asset, "kept"] },
      unknownText: marker,
      surrogate: "\ud800",
      control: "a\u001b[2J",
      numbers: [1.5, "1e400", "-1e400"],
      long: "x".repeat(20_000),
      deep: { deep },
      __defaults: ["standardSrv"],
      "a\nb": "x",
      [signature]: "1b47061264138c4ac30d75fd1eb44270",
    });
    const others: unknown = JSON.parse(text.replaceAll(/"(-?1e400)"/g, "$1"));
    const parsed = read({ name: "odd", connectionStrings: others });
    assert.ok(parsed.kind === "cluster");
    const kept: Record<string, unknown> = { ...parsed.connectionStrings };
    const { deep: bounded, ...rest } = kept;
    const isSet = ([, value]: [string, unknown]) =>
      Array.isArray(value) ? value.length > 0 : value;
    assert.deepEqual(Object.fromEntries(Object.entries(rest).filter(isSet)), {
      plain: { text: "a", list: [1, true, { b: "c" }] },
      nested: { inner: ["kept"] },
      numbers: [1.5],
    });
    assert.ok(JSON.stringify(bounded).length < 40);
  });
});
