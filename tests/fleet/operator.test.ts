import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { parseAllDocuments } from "yaml";
import { startCommand } from "../command";
import { processFolder, useCleanup } from "../cleanup";

const example = join(__dirname, "..", "..", "examples", "fleet");

/** The fields of a resource that these tests read. */
interface StackResource {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly stack: string;
    readonly prerequisites?: readonly { readonly name: string }[];
    readonly envRefs: Record<string, unknown>;
  };
}

describe("the Stack resources of a fleet", () => {
  const cleanup = useCleanup("test");
  const operator = (...args: string[]) => {
    const script = ["--require", "ts-node/register/transpile-only", "operatorMain.ts", ...args];
    return startCommand(cleanup, process.execPath, script, { cwd: example }).result;
  };

  it("have only fields of the operator's resource, with one resource per stack", async () => {
    const { stdout, stderr } = await operator();
    const resources = parseAllDocuments(stdout).map((document) => document.toJS() as StackResource);
    const schema = readFileSync(join(__dirname, "stackResource.schema.json"), "utf8");
    const validate = new Ajv({ allErrors: true }).compile(JSON.parse(schema) as object);
    for (const resource of resources) {
      assert.ok(validate(resource), `${stderr}${JSON.stringify(validate.errors)}`);
    }
    assert.deepEqual(
      resources.map(({ spec }) => spec.stack),
      ["orders-mode", "orders-eu", "orders-reports", "partner"].map(
        (name) => `organization/clouddb-fleet/${name}`,
      ),
    );
  });

  it("wait for the previous stack of the project, and take passwords from secrets", async () => {
    const { stdout } = await operator();
    const resources = parseAllDocuments(stdout).map((document) => document.toJS() as StackResource);
    assert.deepEqual(
      resources.map(({ spec }) => spec.prerequisites?.map(({ name }) => name) ?? []),
      [[], ["orders-mode"], ["orders-eu"], []],
    );
    for (const { spec } of resources) {
      const secret = { name: "pulumi-state", key: "password" };
      assert.deepEqual(spec.envRefs["PGPASSWORD"], { type: "Secret", secret });
    }
  });

  it("are rejected if the URL of the backend contains a password", async () => {
    const text = readFileSync(join(example, "operator.json"), "utf8");
    const file = join(processFolder, "operator.json");
    writeFileSync(file, text.replace("pulumi@", "pulumi:hunter2@"));
    const { code, stderr } = await operator(file);
    assert.equal(code, 2);
    assert.match(stderr, /contains a password/);
    assert.doesNotMatch(stderr, /hunter2/);
  });
});
