// Feeds arbitrary input to all functions: no input may cause an undocumented error.
import assert from "node:assert/strict";
import fc from "fast-check";
import {
  ConnectionStringError,
  type ConnectionStringParts,
  type ServiceStrings,
  type Wanted,
  classify,
  clusterDomain,
  clusterStrings,
  format,
  isLegacy,
  legacyToStandard,
  parse,
  select,
  withCredentials,
} from "../../../connection-strings/src";

/** 100,000 inputs, split into tests that stay far below the timeout. */
const [testCount, inputsPerTest] = [5, 20_000];

/** Pieces of connection strings, and characters that are invalid in them. */
const pieces = [
  ...["db", "db+srv", "://", ":", "/", "?", "#", "@", ",", ".", "-", "%", "&", "=", "[", "]"],
  ...["orders", "ab1cd", "db.example", "-shard-00-00", "-config-00-01", "-pri", "-pl-0", "-lb"],
  ...["us-east-1", "gcp", "azure", "27017", "99999", " ", "\n", "\0", "é", "😀", "\ud800", ""],
];

/** A fast random number generator: fast-check would spend most of the time on its shrinking trees. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Returns undefined if a call throws a ConnectionStringError; fails on any other error. */
function resultOrDocumentedError<T>(input: unknown, call: () => T): T | undefined {
  try {
    return call();
  } catch (error) {
    if (error instanceof ConnectionStringError) return undefined;
    assert.fail(`${JSON.stringify(input)} throws ${String(error)}`);
  }
}

const ids = fc.constantFrom("vpce-1", "vpce-2", "constructor", "__proto__");
const regions = fc.constantFrom("US_EAST_1", "us-east-1", "eastus2");

/** Every combination of network and form that an application can request. */
const everyRequest: readonly Wanted[] = (["srv", "hosts"] as const).flatMap((form) => [
  { form },
  { form, network: { kind: "peering" } },
  { form, network: { kind: "privateEndpoint" } },
  { form, network: { kind: "privateEndpoint", endpointId: "vpce-1" } },
  { form, network: { kind: "privateEndpoint", region: "us-east-1" } },
]);

/** Strings of every kind, many of them optimized. */
const anyString = fc
  .record({
    scheme: fc.constantFrom("db://", "db+srv://", "DB+SRV://"),
    name: fc.constantFrom(
      ...["orders", "orders-pri", "orders-shard-00-00", "orders-pl-0", "pl-0-us-east-1"],
      ...["orders-pl-0-lb", "pl-1-lb", "Orders-PL-0-LB", "orders-pl-0-us-east-1-lb"],
    ),
    domain: fc.constantFrom(
      ...[".ab1cd.db.example", ".ab1cd.eu.db.example", ".ab1cd.example", ".example."],
      ...["-ab1cd.db.example", "-ab1cd.eu.db.example", "-ab1cd.example"],
    ),
    options: fc.constantFrom("", "/?tls=true"),
  })
  .map(({ scheme, name, domain, options }) => `${scheme}${name}${domain}${options}`);

/** A value of the documented type, or any other JSON value. */
const orAnything = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: fc.jsonValue() });

const endpointRecord = fc.record(
  {
    connectionString: anyString,
    srvConnectionString: anyString,
    srvShardOptimizedConnectionString: anyString,
    undocumentedField: anyString,
    endpoints: fc.array(fc.record({ endpointId: ids, region: regions }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const stringsById = orAnything(fc.dictionary(ids, orAnything(anyString)));

/** The record of a cluster, as a service may return it, with documented and undocumented values. */
const serviceRecord = fc.record(
  {
    standard: orAnything(anyString),
    standardSrv: orAnything(anyString),
    private: orAnything(anyString),
    privateSrv: orAnything(anyString),
    privateEndpoint: orAnything(fc.array(orAnything(endpointRecord), { maxLength: 2 })),
    awsPrivateLink: stringsById,
    awsPrivateLinkSrv: stringsById,
  },
  { requiredKeys: [] },
);

describe("arbitrary input", () => {
  // Most inputs cause an error: creating stack traces would take most of the time.
  const { stackTraceLimit } = Error;
  before(() => {
    Error.stackTraceLimit = 0;
  });
  after(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  for (let test = 1; test <= testCount; test += 1) {
    it(`causes only documented errors in ${inputsPerTest} texts (${test} of ${testCount})`, () => {
      const seed = (Date.now() + test) % 2 ** 32;
      const pick = randomNumbers(seed);
      let parsed = 0;
      for (let count = 0; count < inputsPerTest; count += 1) {
        const length = pick(12);
        const start = pick(2) === 0 ? ["db", pick(2) === 0 ? "+srv" : "", "://"] : [];
        const body = Array.from({ length }, () => pieces[pick(pieces.length)] ?? "");
        const text = [...start, ...body].join("");
        const domain = pick(2) === 0 ? "db.example" : undefined;
        const kind = classify(text, { domain }).kind;
        const parts = resultOrDocumentedError(text, () => parse(text));
        if (parts === undefined) assert.equal(kind, "unknown", `seed ${seed}`);
        else {
          parsed += 1;
          assert.equal(format(parts), text, `seed ${seed}`);
        }
        const standard = resultOrDocumentedError(text, () => legacyToStandard(text, { domain }));
        assert.equal(standard !== undefined, isLegacy(text, { domain }), `seed ${seed}`);
        resultOrDocumentedError(text, () =>
          withCredentials(text, { username: text, password: text }),
        );
        clusterDomain([text]);
      }
      assert.ok(parsed > inputsPerTest / 100, `only ${parsed} inputs are connection strings`);
    });
  }

  it("causes only documented errors if it is of any type (property)", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (value, other) => {
        const text = value as string;
        assert.equal(classify(text).kind, "unknown");
        resultOrDocumentedError(text, () => parse(text));
        resultOrDocumentedError(text, () => legacyToStandard(text));
        resultOrDocumentedError(text, () =>
          withCredentials(text, { username: other as string, password: "p" }),
        );
        const strings = clusterStrings({ standard: text, privateEndpoint: [], other });
        assert.ok(select(strings).kind !== "selected");
      }),
      { numRuns: 2000 },
    );
  });

  it("is sorted and selected without an error if it is any JSON value (property)", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const strings = clusterStrings(value as ServiceStrings);
        for (const wanted of everyRequest) select(strings, wanted);
      }),
      { numRuns: 2000 },
    );
  });

  it("never yields a string with lb in its host name for optimized: false (property)", () => {
    let selected = 0;
    fc.assert(
      fc.property(serviceRecord, (record) => {
        const strings = clusterStrings(record as ServiceStrings);
        for (const wanted of everyRequest) {
          const selection = select(strings, { ...wanted, optimized: false });
          if (selection.kind !== "selected") continue;
          selected += 1;
          assert.doesNotMatch(selection.connectionString, /-lb[.-]/i);
        }
      }),
      { numRuns: 2000 },
    );
    assert.ok(selected > 500, `only ${selected} strings are selected`);
  });

  it("keeps every string of a private endpoint in some output (property)", () => {
    const map = fc.dictionary(ids, anyString);
    const record = fc.record({
      privateEndpoint: fc.array(endpointRecord, { maxLength: 3 }),
      awsPrivateLink: map,
      awsPrivateLinkSrv: map,
    });
    fc.assert(
      fc.property(record, (anyRecord) => {
        const texts = JSON.stringify(anyRecord).match(/"db(\+srv)?:[^"]*"/gi) ?? [];
        const outputs = JSON.stringify(clusterStrings(anyRecord));
        for (const text of texts) assert.ok(outputs.includes(text), text);
      }),
      { numRuns: 2000 },
    );
  });

  it("is formatted only if it parses back to the same text (property)", () => {
    const text = fc.string({ unit: "binary", maxLength: 6 });
    const parts = fc.record({
      scheme: fc.oneof(fc.constantFrom("db", "db+srv"), text),
      userInfo: fc.option(text, { nil: undefined }),
      hosts: fc.array(fc.record({ name: text, port: fc.option(fc.integer(), { nil: undefined }) })),
      database: fc.option(text, { nil: undefined }),
      options: fc.option(text, { nil: undefined }),
    });
    fc.assert(
      fc.property(parts, (anyParts: ConnectionStringParts) => {
        const formatted = resultOrDocumentedError(anyParts, () => format(anyParts));
        if (formatted !== undefined) assert.equal(format(parse(formatted)), formatted);
      }),
      { numRuns: 5000 },
    );
  });
});
