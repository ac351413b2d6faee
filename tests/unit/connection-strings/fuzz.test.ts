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

/** 100,000 in all, in parts that stay far below the time limit of a test. */
const [partCount, inputs] = [5, 20_000];

/** Pieces that connection strings are made of, and what does not belong in them. */
const pieces = [
  ...["db", "db+srv", "://", ":", "/", "?", "#", "@", ",", ".", "-", "%", "&", "=", "[", "]"],
  ...["orders", "ab1cd", "db.example", "-shard-00-00", "-config-00-01", "-pri", "-pl-0", "-lb"],
  ...["us-east-1", "gcp", "azure", "27017", "99999", " ", "\n", "\0", "é", "😀", "\ud800", ""],
];

/** A generator of its own: fast-check would take most of the ten seconds for its shrinking trees. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Runs the work; anything thrown but the documented error is a defect. */
function documented<T>(text: unknown, work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConnectionStringError) return undefined;
    assert.fail(`${JSON.stringify(text)} gives ${String(error)}`);
  }
}

const ids = fc.constantFrom("vpce-1", "vpce-2", "constructor", "__proto__");
const regions = fc.constantFrom("US_EAST_1", "us-east-1", "eastus2");

/** Each network and form that an application may ask for. */
const wantedOfEveryKind: readonly Wanted[] = (["srv", "hosts"] as const).flatMap((form) => [
  { form },
  { form, network: { kind: "peering" } },
  { form, network: { kind: "privateEndpoint" } },
  { form, network: { kind: "privateEndpoint", endpointId: "vpce-1" } },
  { form, network: { kind: "privateEndpoint", region: "us-east-1" } },
]);

/** Strings of every kind, of which many are optimized. */
const anyString = fc
  .record({
    scheme: fc.constantFrom("db://", "db+srv://", "DB+SRV://"),
    name: fc.constantFrom(
      ...["orders", "orders-pri", "orders-shard-00-00", "orders-pl-0", "pl-0-us-east-1"],
      ...["orders-pl-0-lb", "pl-1-lb", "Orders-PL-0-LB", "orders-pl-0-us-east-1-lb"],
    ),
    end: fc.constantFrom(
      ...[".ab1cd.db.example", ".ab1cd.eu.db.example", ".ab1cd.example", ".example."],
      ...["-ab1cd.db.example", "-ab1cd.eu.db.example", "-ab1cd.example"],
    ),
    rest: fc.constantFrom("", "/?tls=true"),
  })
  .map(({ scheme, name, end, rest }) => `${scheme}${name}${end}${rest}`);

/** A value that the service's document shows, or any other. */
const orAnything = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 6, arbitrary: value }, { weight: 1, arbitrary: fc.jsonValue() });

const endpointRecord = fc.record(
  {
    connectionString: anyString,
    srvConnectionString: anyString,
    srvShardOptimizedConnectionString: anyString,
    another: anyString,
    endpoints: fc.array(fc.record({ endpointId: ids, region: regions }), { maxLength: 2 }),
  },
  { requiredKeys: [] },
);
const stringsById = orAnything(fc.dictionary(ids, orAnything(anyString)));

/** What a service may send for a cluster, in accordance with its document or not. */
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

describe("connection strings", () => {
  // Most inputs are refused: without it, most of the time would go into stack traces.
  const { stackTraceLimit } = Error;
  before(() => {
    Error.stackTraceLimit = 0;
  });
  after(() => {
    Error.stackTraceLimit = stackTraceLimit;
  });

  for (let part = 1; part <= partCount; part += 1) {
    it(`throw nothing but the documented error for ${inputs} arbitrary inputs, part ${part}`, () => {
      const seed = (Date.now() + part) % 2 ** 32;
      const pick = random(seed);
      let parsed = 0;
      for (let count = 0; count < inputs; count += 1) {
        const length = pick(12);
        const start = pick(2) === 0 ? ["db", pick(2) === 0 ? "+srv" : "", "://"] : [];
        const body = Array.from({ length }, () => pieces[pick(pieces.length)] ?? "");
        const text = [...start, ...body].join("");
        const domain = pick(2) === 0 ? "db.example" : undefined;
        const kind = classify(text, { domain }).kind;
        const parts = documented(text, () => parse(text));
        if (parts === undefined) assert.equal(kind, "unknown", `seed ${seed}`);
        else {
          parsed += 1;
          assert.equal(format(parts), text, `seed ${seed}`);
        }
        const standard = documented(text, () => legacyToStandard(text, { domain }));
        assert.equal(standard !== undefined, isLegacy(text, { domain }), `seed ${seed}`);
        documented(text, () => withCredentials(text, { username: text, password: text }));
        clusterDomain([text]);
      }
      assert.ok(parsed > inputs / 100, `${parsed} of them are connection strings`);
    });
  }

  it("throw nothing but the documented error for values of any type (property)", () => {
    fc.assert(
      fc.property(fc.anything(), fc.anything(), (value, other) => {
        const text = value as string;
        assert.equal(classify(text).kind, "unknown");
        documented(text, () => parse(text));
        documented(text, () => legacyToStandard(text));
        documented(text, () => withCredentials(text, { username: other as string, password: "p" }));
        const strings = clusterStrings({ standard: text, privateEndpoint: [], other });
        assert.ok(select(strings).kind !== "selected");
      }),
      { numRuns: 2000 },
    );
  });

  it("are sorted without an error for arbitrary JSON, and selected (property)", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const strings = clusterStrings(value as ServiceStrings);
        for (const wanted of wantedOfEveryKind) select(strings, wanted);
      }),
      { numRuns: 2000 },
    );
  });

  it("are never given with lb in a host name to optimized: false, whatever the service sends (property)", () => {
    let found = 0;
    fc.assert(
      fc.property(serviceRecord, (record) => {
        const strings = clusterStrings(record as ServiceStrings);
        for (const wanted of wantedOfEveryKind) {
          const selection = select(strings, { ...wanted, optimized: false });
          if (selection.kind !== "selected") continue;
          found += 1;
          assert.doesNotMatch(selection.connectionString, /-lb[.-]/i);
        }
      }),
      { numRuns: 2000 },
    );
    assert.ok(found > 500, `${found} strings are selected`);
  });

  it("are all kept in some output, whatever field a private endpoint has them in (property)", () => {
    const map = fc.dictionary(ids, anyString);
    const record = fc.record({
      privateEndpoint: fc.array(endpointRecord, { maxLength: 3 }),
      awsPrivateLink: map,
      awsPrivateLinkSrv: map,
    });
    fc.assert(
      fc.property(record, (given) => {
        const texts = JSON.stringify(given).match(/"db(\+srv)?:[^"]*"/gi) ?? [];
        const kept = JSON.stringify(clusterStrings(given));
        for (const text of texts) assert.ok(kept.includes(text), text);
      }),
      { numRuns: 2000 },
    );
  });

  it("refuse parts of any text that would be read back otherwise (property)", () => {
    const text = fc.string({ unit: "binary", maxLength: 6 });
    const parts = fc.record({
      scheme: fc.oneof(fc.constantFrom("db", "db+srv"), text),
      userInfo: fc.option(text, { nil: undefined }),
      hosts: fc.array(fc.record({ name: text, port: fc.option(fc.integer(), { nil: undefined }) })),
      database: fc.option(text, { nil: undefined }),
      options: fc.option(text, { nil: undefined }),
    });
    fc.assert(
      fc.property(parts, (given: ConnectionStringParts) => {
        const formatted = documented(given, () => format(given));
        if (formatted !== undefined) assert.equal(format(parse(formatted)), formatted);
      }),
      { numRuns: 5000 },
    );
  });
});
