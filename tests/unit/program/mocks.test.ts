import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import { unknown } from "@pulumi/pulumi/output";
import schema from "../../../plugin/schema.json";
import * as clouddb from "../../../provider/src";
import { scratchFolder, useCleanup } from "../../support/cleanup";
import { startCommand } from "../../support/command";
import { projectId, settingsFor, useService } from "../../support/service";
import { valueOf } from "./mockedEngine";

/** A function with arguments for it. */
interface Called {
  readonly name: string;
  readonly args: object;
  readonly direct: (options?: pulumi.InvokeOptions) => Promise<unknown>;
  readonly output: (options?: pulumi.InvokeOutputOptions) => pulumi.Output<unknown>;
}

const lookup = { projectId, clusterName: "orders", network: { kind: "peering" } } as const;
const named = { projectId, names: ["orders"], network: { kind: "peering" } } as const;
const functions: readonly Called[] = [
  {
    name: "getConnectionStrings",
    args: lookup,
    direct: (options) => clouddb.getConnectionStrings(lookup, options),
    output: (options) => clouddb.getConnectionStringsOutput(lookup, options),
  },
  {
    name: "getClusters",
    args: named,
    direct: (options) => clouddb.getClusters(named, options),
    output: (options) => clouddb.getClustersOutput(named, options),
  },
];

describe("under Pulumi's mocks", () => {
  const service = useService();
  const before = { ...process.env };
  let calls: pulumi.runtime.MockCallArgs[];
  const answer = { recommended: "db+srv://mocked.example" };
  const mock = async (preview = false) => {
    calls = [];
    await pulumi.runtime.setMocks(
      {
        newResource: ({ name, inputs }) => ({ id: name, state: inputs as object }),
        call: (args) => {
          calls.push(args);
          return answer;
        },
      },
      "project",
      "stack",
      preview,
    );
    // As in the shell of someone who also deploys.
    Object.assign(process.env, settingsFor(service));
  };
  afterEach(() => {
    for (const name of Object.keys(settingsFor(service))) Reflect.deleteProperty(process.env, name);
    Object.assign(process.env, before);
    assert.deepEqual(service.requests, []);
  });

  for (const { name, args, direct, output } of functions) {
    it(`${name} asks the mock, with the token of the plugin, and sends no request`, async () => {
      await mock();
      const token = `clouddb:index:${name}`;
      assert.ok(Object.hasOwn(schema.functions, token));
      assert.deepEqual([await direct(), await valueOf(output())], [answer, answer]);
      const expected = { token, inputs: args, provider: "" };
      assert.deepEqual(calls, [expected, expected]);
    });

    it(`${name} tells the mock which provider it uses`, async () => {
      await mock();
      const provider = new clouddb.Provider("partner", { publicKey: "p", privateKey: "s" });
      const providers = [provider];
      const parent = new pulumi.ComponentResource("test:index:Parent", "p", {}, { providers });
      await direct({ provider });
      await valueOf(output({ parent }));
      assert.deepEqual(
        calls.map((call) => call.provider?.split("::").slice(2)),
        Array(2).fill(["pulumi:providers:pulumi-nodejs", "partner", "partner"]),
      );
    });
  }

  it("a call whose arguments are not known in a preview does not ask the mock", async () => {
    await mock(true);
    const args = { projectId: pulumi.output(unknown).apply(String) };
    const result = clouddb.getClustersOutput(args);
    assert.equal(await Promise.resolve(Reflect.get(result, "isKnown")), false);
    assert.deepEqual(calls, []);
  });
});

describe("a program with mocks", () => {
  const cleanup = useCleanup("test");

  it("fails with what the mock must return if it returns no URL", async () => {
    const folder = scratchFolder(cleanup);
    const run = async (outputs: string) => {
      const program = `
const pulumi = require("@pulumi/pulumi");
pulumi.runtime.setMocks({ newResource: ({ name }) => ({ id: name, state: ${outputs} }), call: () => ({}) }).then(() => {
  const { DatabaseUrl } = require("pulumi-clouddb");
  new DatabaseUrl("orders", { connectionString: "db://orders.example", username: "app", password: "x" }).url.apply(console.log);
});`;
      writeFileSync(join(folder, "index.js"), program);
      return await startCommand(cleanup, process.execPath, ["index.js"], { cwd: folder }).result;
    };
    assert.equal((await run('{ url: "mocked" }')).stdout, "mocked\n");
    const { stderr } = await run("{}");
    assert.match(
      stderr,
      /the url of a DatabaseUrl is undefined\. Under pulumi\.runtime\.setMocks, .* url: /,
    );
  });
});
