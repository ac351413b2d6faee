import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { LocalWorkspace } from "@pulumi/pulumi/automation";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

describe("examples/app-config", () => {
  const { createExample, run } = useStack({ lifetime: "file" });
  let tested: TestStack;

  before(async () => {
    tested = await createExample("app-config");
    await tested.stack.setConfig("databaseUser", { value: "app" });
    await tested.stack.setConfig("databasePassword", { value: "s3cret/:@!", secret: true });
    const { stdout } = await tested.stack.up();
    assert.doesNotMatch(stdout, /s3cret/);
  });

  const environment = { PULUMI_STACK: "test" };
  const node = (args: readonly string[], input?: string) =>
    run(tested, process.execPath, args, input === undefined ? {} : { input }).result;

  it("writes a .env file for an application from the stack's outputs", async () => {
    const output = ["stack", "output", "--json", "--show-secrets"];
    const outputs = await run(tested, "pulumi", output, { environment }).result;
    const { code, stdout, stderr } = await node(["write-config.mjs", ".env"], outputs.stdout);
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout, /s3cret/);
    const file = join(tested.folder, ".env");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const variables = parseEnv(readFileSync(file, "utf8"));
    assert.match(
      variables["DATABASE_URL"] ?? "",
      /^db\+srv:\/\/app:s3cret%2F%3A%40%21@orders-pri\.[^/]+\/\?retryWrites=true$/,
    );
    assert.match(variables["REPORTS_DATABASE_URL"] ?? "", /@orders\.[^/]+$/);
    assert.equal(variables["DATABASE_VERSION"], "7.0.12");

    const { stdout: app } = await node(["--env-file=.env", "app.mjs"]);
    assert.match(app, /^connecting to orders-pri\.\S+ \(peeringPrivate\) with retryWrites=true/);
    assert.doesNotMatch(app, /s3cret/);
  });

  it("writes a Kubernetes Secret with the chosen outputs", async () => {
    const outputs = JSON.stringify({
      DATABASE_URL: "db://app:s3cret@a",
      REPORTS: "x",
      PORT: 27017,
    });
    const args = ["write-config.mjs", "--secret", "orders", "secret.json", "DATABASE_URL", "PORT"];
    const { code, stderr } = await node(args, outputs);
    assert.equal(code, 0, stderr);
    const manifest: unknown = JSON.parse(readFileSync(join(tested.folder, "secret.json"), "utf8"));
    assert.deepEqual(manifest, {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "orders" },
      stringData: { DATABASE_URL: "db://app:s3cret@a", PORT: "27017" },
    });
  });

  it("keeps an existing .env file if outputs are hidden or missing", async () => {
    const file = join(tested.folder, ".env");
    writeFileSync(file, "KEPT=1\n");
    for (const outputs of ['{"DATABASE_URL":"[secret]"}', "{}", "s3cret", '{"A":"s3cret\'"}']) {
      const { code, stderr } = await node(["write-config.mjs", ".env"], outputs);
      assert.notEqual(code, 0);
      assert.match(stderr, /write-config: /);
      assert.doesNotMatch(stderr, /s3cret/);
    }
    assert.equal(readFileSync(file, "utf8"), "KEPT=1\n");
  });

  it("passes the string to a second stack as a secret", async () => {
    const app = await LocalWorkspace.createOrSelectStack(
      { stackName: "test", workDir: join(tested.folder, "app") },
      { envVars: tested.environment },
    );
    await app.setConfig("databaseStack", { value: "organization/clouddb-app-config/test" });
    const { outputs, stdout } = await app.up();
    const deployed = outputs["deployed"];
    assert.match(
      JSON.stringify(deployed?.value),
      /"DATABASE_URL":"db\+srv:\/\/app:s3cret%2F%3A%40%21@orders-pri/,
    );
    assert.equal(deployed?.secret, true);
    assert.equal(outputs["databaseVersion"]?.value, "7.0.12");
    assert.doesNotMatch(stdout, /s3cret/);
  });
});
