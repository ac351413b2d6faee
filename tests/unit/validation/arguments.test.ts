import assert from "node:assert/strict";
import * as pulumi from "@pulumi/pulumi";
import { argsSchema, querySchema } from "../../../provider/src/clusterConnectionStrings/args";
import { argsSchema as privateIpModeArgs } from "../../../provider/src/privateIpMode/args";
import { argsSchema as urlArgs } from "../../../provider/src/databaseUrl/args";
import { readInputs } from "../../../provider/src/host/inputs";
import { readArguments } from "../../../provider/src/validation/arguments";
import { unknown } from "../../lifecycles/providerProcess";

const lookup = { projectId: "p", clusterName: "orders" };
const mode = { projectId: "p", enabled: false };

describe("the failure for an invalid argument", () => {
  const name = "clusterName must be the name of a cluster";
  const endpoint = (rest: object) => ({ network: { kind: "privateEndpoint", ...rest } });
  const kinds = '{ kind: "internet" }, { kind: "peering" } or { kind: "privateEndpoint" }';
  const invalid: [inputs: object, reason: string][] = [
    [{ projectId: "" }, "projectId must be a project ID, not empty"],
    [{ projectId: "." }, "projectId must be a project ID, not . or .."],
    [{ projectId: ".." }, "projectId must be a project ID, not . or .."],
    ...[" ", "a\nb", "a/b", "%2e", "é", "a?b"].map((projectId): [object, string] => [
      { projectId },
      "projectId must be a project ID, with only ASCII letters, digits, -, ., _ and ~",
    ]),
    [{ clusterName: "a\nb" }, `${name}, without control or invisible characters`],
    [{ clusterName: "" }, `${name}, not empty`],
    [{ network: "peering" }, `network must be ${kinds}, not text`],
    [{ network: { kind: "vpn" } }, `network.kind must be ${kinds}`],
    [{ form: false }, 'form must be "srv" or "hosts", not a boolean'],
    [{ clusterName: 7 }, `${name}, not a number`],
    [{ projectId: ["p"] }, "projectId must be a project ID, not a list"],
    [{ clusterName: undefined }, "clusterName is missing; it must be the name of a cluster"],
    [endpoint({ endpointId: "" }), "network.endpointId must be an endpoint ID, not empty"],
    [endpoint({ region: "" }), "network.region must be a region, not empty"],
    [{ form: "uri" }, 'form must be "srv" or "hosts"'],
    [{ optimized: "yes" }, "optimized must be a boolean, not text"],
    [{ waitSeconds: "60" }, "waitSeconds must be a number of seconds, not text"],
    [{ waitSeconds: -1 }, "waitSeconds must not be negative"],
    [{ waitSeconds: 7201 }, "waitSeconds must be at most 7200"],
    [{ waitSeconds: 1.5 }, "waitSeconds must be a whole number of seconds"],
    [{ enabled: "false" }, "enabled must be a boolean, not text"],
    [{ enabled: null }, "enabled must be a boolean, not null"],
  ];
  for (const [inputs, reason] of invalid) {
    it(`says: ${reason}`, () => {
      const read =
        "enabled" in inputs
          ? readInputs(privateIpModeArgs, { ...mode, ...inputs })
          : readInputs(argsSchema, { ...lookup, ...inputs });
      const failures = [{ property: Object.keys(inputs)[0], reason, code: "argument" }];
      assert.deepEqual(read, { kind: "invalid", failures });
    });
  }
});

describe("the failure for an option of a DatabaseUrl", () => {
  const option = "must be text, a number, a boolean or a list of these";
  for (const [name, value, reason] of [
    ["w", NaN, `options.w ${option}, not NaN`],
    ["w", -Infinity, `options.w ${option}, not -Infinity`],
    ["w", { a: 1 }, `options.w ${option}, not an object`],
    ["__proto__", 1, "options must not contain the name __proto__. Remove it"],
  ] as const) {
    it(`says: ${reason}`, () => {
      const options = Object.fromEntries([[name, value]]);
      const failures = [{ property: "options", reason, code: "argument" }];
      for (const connectionString of ["db://orders.example", unknown]) {
        const inputs = readInputs(urlArgs, { connectionString, options });
        assert.deepEqual(inputs, { kind: "invalid", failures });
      }
    });
  }
});

describe("an output in a text", () => {
  const secret = pulumi.secret("hunter2");
  // oxlint-disable-next-line typescript/no-base-to-string -- what a program does by mistake
  const output = secret.toString();
  const remedy =
    "contains an output of Pulumi that the program converted to text. Build the text with pulumi.interpolate or apply.";
  const inPython = "p-Calling __str__ on an Output[T] is not supported.";

  it("is refused without its text, which may contain a password, and without a property, whose value the engine prints", () => {
    const region = { kind: "privateEndpoint", region: inPython };
    const url = { connectionString: `db://app:s3cret-${output}@a.example` };
    for (const [inputs, path] of [
      [readInputs(privateIpModeArgs, { ...mode, projectId: output }), "projectId"],
      [readInputs(argsSchema, { clusterName: unknown, form: JSON.stringify(secret) }), "form"],
      [readInputs(argsSchema, { ...lookup, network: region }), "network.region"],
      [readInputs(urlArgs, url), "connectionString"],
      [readInputs(urlArgs, { options: { tags: ["a", `x-${output}`] } }), "options.tags.1"],
    ] as const) {
      const failures = [{ property: "", reason: `${path} ${remedy}`, code: "argument" }];
      assert.deepEqual(inputs, { kind: "invalid", failures });
    }
    assert.throws(() => readArguments(querySchema, "arguments", { ...lookup, network: region }), {
      message: `invalid arguments: network.region ${remedy}`,
      code: "argument",
    });
  });
});

describe("a misspelled argument", () => {
  const misspelled = { network: { kind: "privateEndpoint", endPointId: "vpce-1" } };

  const all = Object.keys(argsSchema.shape).join(", ");
  const cases: [inputs: object, property: string, reason: string][] = [
    [{ fom: "srv" }, "fom", '"fom"; did you mean form?'],
    // While another argument is unknown.
    [{ projectId: unknown, fom: 5 }, "fom", '"fom"; did you mean form?'],
    [misspelled, "network", '"network.endPointId"; did you mean network.endpointId?'],
    [
      { network: { kind: "internet", region: "us-east-1" } },
      "network",
      '"network.region"; expected only network.kind',
    ],
    // Without its value.
    [{ privateKey: "s3cret" }, "", `"privateKey"; expected one of ${all}`],
    [{ "f\u001bom": 1 }, "f\u001bom", '"f\\u{1b}om"; did you mean form?'],
  ];
  for (const [inputs, property, reason] of cases) {
    it(`is reported: ${reason}`, () => {
      const expected = { property, reason: `there is no argument ${reason}`, code: "argument" };
      const { failures } = { failures: [], ...readInputs(argsSchema, { ...lookup, ...inputs }) };
      assert.deepEqual(failures, [expected]);
    });
  }

  it("is not reported for an unknown number, for which the engine has a separate marker", () => {
    const waitSeconds = "3eeb2bf0-c639-47a8-9e75-3b44932eb421";
    assert.deepEqual(readInputs(argsSchema, { ...lookup, waitSeconds }), { kind: "unknown" });
  });

  const reason = 'there is no argument "clustername"; did you mean clusterName?';

  it("is the only failure if the argument is required, even if its value is not known yet", () => {
    const failures = [{ property: "clustername", reason, code: "argument" }];
    for (const args of [
      { projectId: "p", clustername: "orders" },
      { projectId: unknown, clustername: "orders" },
      { projectId: "p", clustername: unknown },
    ])
      assert.deepEqual(readInputs(argsSchema, args), { kind: "invalid", failures });
  });

  it("is the only problem of a function", () => {
    const call = () =>
      readArguments(querySchema, "arguments", { projectId: "p", clustername: "o" });
    assert.throws(call, { message: `invalid arguments: ${reason}` });
  });

  it("does not hide another name, or an invalid value of the argument itself", () => {
    const reasonsFor = (args: object) => {
      const read = readInputs(argsSchema, { projectId: "p", ...args });
      return read.kind === "invalid" ? read.failures.map((failure) => failure.reason) : [];
    };
    const missing = "clusterName is missing; it must be the name of a cluster";
    assert.equal(reasonsFor({ cluster: "orders" })[1], missing);
    const invalid = "clusterName must be the name of a cluster, not a number";
    assert.deepEqual(reasonsFor({ clustername: "o", clusterName: 7 }), [reason, invalid]);
  });

  it("of a function is reported with its path", () => {
    assert.throws(
      () => readArguments(querySchema, "lookup arguments", { ...lookup, ...misspelled }),
      /^ProviderError: invalid lookup arguments: network: there is no argument "network\.endPointId"; did you mean network\.endpointId\?/,
    );
  });
});
