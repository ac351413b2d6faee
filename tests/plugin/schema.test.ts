import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod";
import { classifyArgs, functions, withCredentialsArgs } from "../../plugin/src/functions";
import {
  argsSchema,
  querySchema,
  nullOutputs,
} from "../../provider/src/clusterConnectionStrings/args";
import { args as modeArgs, checkedInputs } from "../../provider/src/privateIpMode/args";
import { secretKeys, settingKeys } from "../../provider/src/session/settings";

const property = z.object({
  type: z.optional(z.string()),
  $ref: z.optional(z.string()),
  description: z.optional(z.string()),
  secret: z.optional(z.boolean()),
});
const properties = z.record(z.string(), property);
const object = z.object({ properties, required: z.array(z.string()) });
const resource = z.object({
  description: z.string(),
  inputProperties: properties,
  requiredInputs: z.array(z.string()),
  properties,
  required: z.array(z.string()),
});
const schema = z
  .object({
    version: z.string(),
    config: z.object({ variables: properties }),
    provider: z.object({ inputProperties: properties }),
    types: z.record(
      z.string(),
      z.object({
        description: z.string(),
        enum: z.optional(z.array(z.object({ value: z.string(), description: z.string() }))),
        properties: z.optional(properties),
      }),
    ),
    resources: z.record(z.string(), resource),
    functions: z.record(
      z.string(),
      z.object({ description: z.string(), inputs: object, outputs: object }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(__dirname, "..", "..", "plugin", "schema.json"), "utf8")));

/** The form of an argument, in the terms of both schemas. */
interface Form {
  readonly type: string;
  readonly values?: readonly string[];
  readonly fields?: readonly string[];
}

/** Describes a property of the plugin's schema. */
function formOf({ type, $ref }: z.output<typeof property>): Form {
  if ($ref === undefined) return { type: String(type) };
  const referenced = schema.types[$ref.replace("#/types/", "")];
  assert.ok(referenced !== undefined, `${$ref} exists`);
  return referenced.enum === undefined
    ? { type: "object", fields: Object.keys(referenced.properties ?? {}).sort() }
    : { type: "string", values: referenced.enum.map(({ value }) => value).sort() };
}

const jsonSchema = z.object({
  type: z.optional(z.string()),
  enum: z.optional(z.array(z.string())),
  anyOf: z.optional(z.array(z.unknown())),
  oneOf: z.optional(z.array(z.unknown())),
  properties: z.optional(z.record(z.string(), z.unknown())),
});

/** Describes an argument that the provider validates. */
function formOfJson(value: unknown): Form {
  const {
    type = "object",
    enum: values,
    anyOf,
    oneOf,
    properties: fields,
  } = jsonSchema.parse(value);
  const members = (anyOf ?? oneOf)?.map((each) => jsonSchema.parse(each));
  if (members !== undefined) {
    const names = new Set(members.flatMap(({ properties: each = {} }) => Object.keys(each)));
    return { type: "object", fields: [...names].sort() };
  }
  if (values !== undefined) return { type, values: [...values].sort() };
  return fields === undefined ? { type } : { type, fields: Object.keys(fields).sort() };
}

function mapValues<From, To>(all: Record<string, From>, map: (value: From) => To) {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, map(value)]));
}

/** Asserts that the plugin's schema has the arguments that the provider validates. */
function assertSameArguments(
  described: { properties: z.output<typeof properties>; required: readonly string[] },
  validated: z.core.$ZodType,
) {
  const json = z
    .object({ properties: z.record(z.string(), z.unknown()), required: z.array(z.string()) })
    .parse(z.toJSONSchema(validated, { io: "input" }));
  assert.deepEqual(mapValues(described.properties, formOf), mapValues(json.properties, formOfJson));
  assert.deepEqual([...described.required].sort(), [...json.required].sort());
}

describe("the schema of the plugin", () => {
  const outputNames = [
    ...["projectId", "clusterName", "recommended", "recommendedKind", "privateEndpoints"],
    ...Object.keys(nullOutputs),
  ];
  const mode = schema.resources["clouddb:index:PrivateIpMode"];
  const lookup = schema.resources["clouddb:index:ClusterConnectionStrings"];
  assert.ok(mode !== undefined && lookup !== undefined);

  it("has the settings, with secret ones marked", () => {
    for (const each of [schema.config.variables, schema.provider.inputProperties]) {
      assert.deepEqual(Object.keys(each), settingKeys);
      const secrets = Object.keys(each).filter((name) => each[name]?.secret);
      assert.deepEqual(secrets, secretKeys);
    }
  });

  it("has the arguments of PrivateIpMode", () => {
    const described = { properties: mode.inputProperties, required: mode.requiredInputs };
    assertSameArguments(described, modeArgs);
  });

  it("has the arguments of ClusterConnectionStrings", () => {
    const described = { properties: lookup.inputProperties, required: lookup.requiredInputs };
    assertSameArguments(described, argsSchema);
  });

  it("has the outputs of both resources", () => {
    assert.deepEqual(Object.keys(mode.properties).sort(), Object.keys(checkedInputs.shape).sort());
    const outputs = new Set([...Object.keys(argsSchema.shape), ...outputNames]);
    assert.deepEqual(Object.keys(lookup.properties).sort(), [...outputs].sort());
  });

  it("has the functions and their arguments", () => {
    const validated: Record<string, z.core.$ZodType> = {
      getConnectionStrings: querySchema,
      withCredentials: withCredentialsArgs,
      classifyConnectionString: classifyArgs,
    };
    assert.deepEqual(Object.keys(schema.functions).sort(), [...functions.keys()].sort());
    for (const [name, args] of Object.entries(validated)) {
      const described = schema.functions[`clouddb:index:${name}`]?.inputs;
      assert.ok(described !== undefined);
      assertSameArguments(described, args);
    }
    const found = schema.functions["clouddb:index:getConnectionStrings"]?.outputs.properties ?? {};
    assert.deepEqual(Object.keys(found).sort(), [...outputNames].sort());
  });

  it("documents every property of everything", () => {
    const undocumented: string[] = [];
    const visit = (where: string, value: unknown) => {
      if (typeof value !== "object" || value === null) return;
      for (const [key, inner] of Object.entries(value)) {
        const isMap = ["properties", "inputProperties", "variables"].includes(key);
        if (!isMap) visit(`${where}.${key}`, inner);
        for (const [name, each] of isMap ? Object.entries(properties.parse(inner)) : []) {
          if (!/^[A-Z`].*\.$/s.test(each.description ?? "")) undocumented.push(`${where}.${name}`);
        }
      }
    };
    visit("schema", schema);
    assert.deepEqual(undocumented, []);
  });
});
