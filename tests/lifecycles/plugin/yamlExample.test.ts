import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import * as z from "zod";

const root = join(__dirname, "..", "..", "..");
const named = z.record(z.string(), z.unknown());
const schema = z
  .object({
    resources: z.record(
      z.string(),
      z.object({ inputProperties: named, requiredInputs: z.array(z.string()), properties: named }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(root, "plugin", "schema.json"), "utf8")));
const program = z
  .object({
    resources: z.record(z.string(), z.object({ type: z.string(), properties: named })),
    outputs: z.record(z.string(), z.string()),
  })
  .parse(parse(readFileSync(join(root, "examples", "yaml", "Pulumi.yaml"), "utf8")));

/** The CLI that these tests can build has no language host for YAML. */
describe("the example in YAML", () => {
  const typeOf = (name: string) => {
    const token = program.resources[name]?.type.replace("clouddb:", "clouddb:index:") ?? "";
    const type = schema.resources[token];
    assert.ok(type !== undefined, `${name} has a type of the schema`);
    return type;
  };

  it("passes arguments that exist, and every required one", () => {
    for (const [name, { properties }] of Object.entries(program.resources)) {
      const { inputProperties, requiredInputs } = typeOf(name);
      for (const argument of Object.keys(properties)) assert.ok(argument in inputProperties);
      for (const required of requiredInputs) assert.ok(required in properties);
    }
  });

  it("exports outputs that exist", () => {
    for (const output of Object.values(program.outputs)) {
      const [, resource = "", property = ""] = /^\$\{(\w+)\.(\w+)\}$/.exec(output) ?? [];
      assert.ok(property in typeOf(resource).properties, output);
    }
  });
});
