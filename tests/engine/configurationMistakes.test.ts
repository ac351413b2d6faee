// Mistakes in a stack's configuration that Pulumi itself does not notice.
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import type { EngineEvent } from "@pulumi/pulumi/automation";
import type { Simulator } from "clouddb-simulator";
import { key, projectId, settingsFor, startService } from "../service";
import { type TestStack, testStack } from "./stack";

const provider = join(__dirname, "..", "..", "provider");

describe("a mistake in a stack's configuration", () => {
  let service: Simulator;
  let tested: TestStack | undefined;

  before(async () => {
    service = await startService();
  });
  after(() => service.stop());
  beforeEach(() => {
    service.reset();
  });
  afterEach(() => {
    tested?.remove();
  });

  /** A stack whose key is in its configuration alone. */
  const stackOf = async (program: string, settings: Record<string, string> = {}) => {
    const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...rest } = settingsFor(service);
    tested = await testStack(program, { ...rest, ...settings });
    await tested.stack.setConfig("clouddb:publicKey", { value: key.publicKey });
    return tested;
  };
  const setKey = (secret: boolean) =>
    tested?.stack.setConfig("clouddb:privateKey", { value: key.privateKey, secret });

  const preview = async () => {
    const said: string[] = [];
    const onEvent = ({ diagnosticEvent }: EngineEvent) => {
      const { severity = "", message = "" } = diagnosticEvent ?? {};
      if (severity === "warning") said.push(message.trim());
    };
    const result = tested?.stack.preview({ onEvent });
    await result;
    return said;
  };

  const both = `
    const projectId = "${projectId}";
    new clouddb.PrivateIpMode("orders", { projectId, enabled: true });
    exports.ready = clouddb.getPrivateIpModeReadiness({ projectId }).then(({ ready }) => ready);
  `;

  it("logs one warning if a key is stored in plain text, and none once it is a secret", async () => {
    await stackOf(both);
    await setKey(false);
    assert.deepEqual(await preview(), [
      "clouddb:privateKey is stored in plain text in the stack's configuration: run pulumi config set --secret clouddb:privateKey",
    ]);
    await setKey(true);
    assert.deepEqual(await preview(), []);
  });

  it("is an error that names the right setting, in a resource and in a function", async () => {
    for (const program of [
      `new clouddb.PrivateIpMode("orders", { projectId: "${projectId}", enabled: true });`,
      `exports.x = clouddb.getPrivateIpModeReadiness({ projectId: "${projectId}" });`,
    ]) {
      tested?.remove();
      const { stack, failure } = await stackOf(program, { CLOUDDB_BASE_URL: "" });
      await setKey(true);
      await stack.setConfig("clouddb:baseURL", { value: service.url });
      const output = await failure(stack.preview());
      assert.match(output, /clouddb:baseURL is not a setting; did you mean clouddb:baseUrl\?/);
      assert.doesNotMatch(output, /\n\s+at /);
    }
  });

  it("is a warning for a misspelled setting that is not needed, and none for other keys", async () => {
    const { stack } = await stackOf(`new clouddb.PrivateIpMode("orders", {
      projectId: "${projectId}", enabled: true });`);
    await setKey(true);
    await stack.setConfig("clouddb:requestPerMinute", { value: "50" });
    await stack.setConfig("clouddb:team", { value: "data" });
    assert.deepEqual(await preview(), [
      "clouddb:requestPerMinute is not a setting; did you mean clouddb:requestsPerMinute?",
    ]);
  });

  it("does not become another organization's credentials: a raw provider is refused by name", async () => {
    const { stack, failure } = await stackOf(`
      const provider = new pulumi.ProviderResource("pulumi-nodejs", "raw", {
        "clouddb:publicKey": "partner", "clouddb:privateKey": pulumi.secret("partner-secret"),
      });
      const args = { projectId: "${projectId}", clusterName: "orders" };
      exports.url = clouddb.getConnectionStringsOutput(args, { provider }).recommended;
    `);
    await setKey(true);
    const output = await failure(stack.preview());
    assert.match(output, /error: the provider "raw".* is not a clouddb\.Provider/);
    assert.doesNotMatch(output, /\n\s+at |partner-secret/);
    assert.deepEqual(service.requests, []);
  });

  it("names the invalid setting of an explicit provider", async () => {
    const { stack, failure } = await stackOf(`
      const provider = new clouddb.Provider("partner", {
        publicKey: "a", privateKey: "b", requestsPerMinute: 0.5 });
      new clouddb.PrivateIpMode("orders", { projectId: "${projectId}", enabled: true }, { provider });
    `);
    const output = await failure(stack.preview());
    assert.match(output, /clouddb:requestsPerMinute .*must be a whole number/);
  });

  it("does not hide a second holder of a project that another copy of the package declares", async () => {
    const { stack, failure, folder } = await stackOf(`
      const copy = require("./copy/node_modules/pulumi-clouddb");
      const projectId = "${projectId}";
      new clouddb.PrivateIpMode("one", { projectId, enabled: true });
      new copy.PrivateIpMode("two", { projectId, enabled: true });
    `);
    await setKey(true);
    for (const part of ["dist", "package.json"]) {
      const to = join(folder, "copy", "node_modules", "pulumi-clouddb", part);
      cpSync(join(provider, part), to, { recursive: true });
    }
    const output = await failure(stack.preview());
    assert.match(output, /'two'.*"one" already holds private IP mode of this project/s);
  });
});
