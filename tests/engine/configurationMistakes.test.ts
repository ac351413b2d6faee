import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { key, projectId, settingsFor } from "../service";
import { type TestStack, collectDiagnostics } from "./stack";
import { useStack } from "./useStack";

const provider = join(__dirname, "..", "..", "provider");

describe("a mistake in a stack's configuration", () => {
  const { service, createStack } = useStack();

  /** Creates a stack whose configuration contains the public key. The environment contains no key. */
  const create = async (program: string, settings: Record<string, string> = {}) => {
    const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...rest } = settingsFor(service);
    const tested = await createStack(program, { environment: { ...rest, ...settings } });
    await tested.stack.setConfig("clouddb:publicKey", { value: key.publicKey });
    return tested;
  };
  const setPrivateKey = ({ stack }: TestStack, secret: boolean) =>
    stack.setConfig("clouddb:privateKey", { value: key.privateKey, secret });

  const previewWarnings = async ({ stack }: TestStack) => {
    const { messages, onEvent } = collectDiagnostics("warning");
    await stack.preview({ onEvent });
    return messages;
  };

  const resourceAndFunction = `
    const projectId = "${projectId}";
    new clouddb.PrivateIpMode("orders", { projectId, enabled: true });
    exports.ready = clouddb.getPrivateIpModeReadiness({ projectId }).then(({ ready }) => ready);
  `;

  it("causes one warning for a key in plain text, and none for a secret", async () => {
    const tested = await create(resourceAndFunction);
    await setPrivateKey(tested, false);
    assert.deepEqual(await previewWarnings(tested), [
      "clouddb:privateKey is stored in plain text in the stack's configuration: run pulumi config set --secret clouddb:privateKey",
    ]);
    await setPrivateKey(tested, true);
    assert.deepEqual(await previewWarnings(tested), []);
  });

  it("is reported with the nearest setting, for a resource and for a function", async () => {
    for (const program of [
      `new clouddb.PrivateIpMode("orders", { projectId: "${projectId}", enabled: true });`,
      `exports.x = clouddb.getPrivateIpModeReadiness({ projectId: "${projectId}" });`,
    ]) {
      const tested = await create(program, { CLOUDDB_BASE_URL: "" });
      await setPrivateKey(tested, true);
      await tested.stack.setConfig("clouddb:baseURL", { value: service.url });
      const output = await tested.failure(tested.stack.preview());
      assert.match(output, /clouddb:baseURL is not a setting; did you mean clouddb:baseUrl\?/);
      assert.doesNotMatch(output, /\n\s+at /);
    }
  });

  it("causes a warning for a misspelled optional setting, and none for an unrelated key", async () => {
    const tested = await create(`new clouddb.PrivateIpMode("orders", {
      projectId: "${projectId}", enabled: true });`);
    await setPrivateKey(tested, true);
    await tested.stack.setConfig("clouddb:requestPerMinute", { value: "50" });
    await tested.stack.setConfig("clouddb:team", { value: "data" });
    assert.deepEqual(await previewWarnings(tested), [
      "clouddb:requestPerMinute is not a setting; did you mean clouddb:requestsPerMinute?",
    ]);
  });

  it("is reported for a provider that is not a clouddb.Provider, before any request", async () => {
    const tested = await create(`
      const provider = new pulumi.ProviderResource("pulumi-nodejs", "raw", {
        "clouddb:publicKey": "partner", "clouddb:privateKey": pulumi.secret("partner-secret"),
      });
      const args = { projectId: "${projectId}", clusterName: "orders" };
      exports.url = clouddb.getConnectionStringsOutput(args, { provider }).recommended;
    `);
    await setPrivateKey(tested, true);
    const output = await tested.failure(tested.stack.preview());
    assert.match(output, /error: the provider "raw".* is not a clouddb\.Provider/);
    assert.doesNotMatch(output, /\n\s+at |partner-secret/);
    assert.deepEqual(service.requests, []);
  });

  it("is reported with the name of the setting for an explicit provider", async () => {
    const tested = await create(`
      const provider = new clouddb.Provider("partner", {
        publicKey: "a", privateKey: "b", requestsPerMinute: 0.5 });
      new clouddb.PrivateIpMode("orders", { projectId: "${projectId}", enabled: true }, { provider });
    `);
    const output = await tested.failure(tested.stack.preview());
    assert.match(output, /clouddb:requestsPerMinute .*must be a whole number/);
  });

  it("is reported if another copy of the package manages the mode of the same project", async () => {
    const tested = await create(`
      const copy = require("./copy/node_modules/pulumi-clouddb");
      const projectId = "${projectId}";
      new clouddb.PrivateIpMode("one", { projectId, enabled: true });
      new copy.PrivateIpMode("two", { projectId, enabled: true });
    `);
    await setPrivateKey(tested, true);
    for (const part of ["dist", "package.json"]) {
      const to = join(tested.folder, "copy", "node_modules", "pulumi-clouddb", part);
      cpSync(join(provider, part), to, { recursive: true });
    }
    const output = await tested.failure(tested.stack.preview());
    assert.match(output, /'two'.*"one" already manages private IP mode of this project/s);
  });
});
