import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { LocalWorkspace } from "@pulumi/pulumi/automation";
import type { Simulator } from "clouddb-simulator";
import { settingsFor, startService } from "../service";
import { type TestStack, exampleStack } from "./stack";

describe("examples/app-config", () => {
  let service: Simulator;
  let tested: TestStack;

  const run = (command: string, args: string[], input?: string) =>
    execFileSync(command, args, {
      cwd: tested.folder,
      env: { ...process.env, ...tested.environment, PULUMI_STACK: "test" },
      encoding: "utf8",
      stdio: ["pipe", "pipe", "pipe"],
      ...(input === undefined ? {} : { input }),
    });

  before(async () => {
    service = await startService();
    tested = await exampleStack("app-config", settingsFor(service));
    await tested.stack.setConfig("databaseUser", { value: "app" });
    await tested.stack.setConfig("databasePassword", { value: "s3cret/:@!", secret: true });
    const { stdout } = await tested.stack.up();
    assert.doesNotMatch(stdout, /s3cret/);
  });
  after(async () => {
    tested.remove();
    await service.stop();
  });

  it("writes a .env file for an application from the stack's outputs", () => {
    const outputs = run("pulumi", ["stack", "output", "--json", "--show-secrets"]);
    const said = run(process.execPath, ["write-env.mjs", ".env"], outputs);
    assert.doesNotMatch(said, /s3cret/);
    const file = join(tested.folder, ".env");
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const variables = parseEnv(readFileSync(file, "utf8"));
    assert.match(
      variables["DATABASE_URL"] ?? "",
      /^db\+srv:\/\/app:s3cret%2F%3A%40%21@orders-pri\.[^/]+\/\?retryWrites=true$/,
    );
    assert.match(variables["REPORTS_DATABASE_URL"] ?? "", /@orders\.[^/]+$/);
    assert.equal(variables["DATABASE_VERSION"], "7.0.12");

    const app = run(process.execPath, ["--env-file=.env", "app.mjs"]);
    assert.match(app, /^connecting to orders-pri\.\S+ \(peeringPrivate\) with retryWrites=true/);
    assert.doesNotMatch(app, /s3cret/);
  });

  it("keeps an existing .env file if outputs are hidden or missing", () => {
    const file = join(tested.folder, ".env");
    writeFileSync(file, "KEPT=1\n");
    for (const outputs of ['{"DATABASE_URL":"[secret]"}', "{}", "s3cret", '{"A":"s3cret\'"}']) {
      assert.throws(
        () => run(process.execPath, ["write-env.mjs", ".env"], outputs),
        (error: Error & { stderr?: string }) =>
          /write-env: /.test(error.stderr ?? "") && !/s3cret/.test(error.stderr ?? ""),
      );
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
