/** Mistakes that only the program and its configuration show, with pulumi-clouddb in this process. */
import assert from "node:assert/strict";
import { cpSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as pulumi from "@pulumi/pulumi";
import type { PulumiFn } from "@pulumi/pulumi/automation";
import * as clouddb from "pulumi-clouddb";
import { key, projectId, settingsFor } from "../service";
import { type TestStack, collectDiagnostics } from "./stack";
import { useStack } from "./useStack";

const provider = join(__dirname, "..", "..", "provider");

describe("a mistake in a stack's configuration", () => {
  const { service, createInline } = useStack();

  /** Creates a stack whose configuration contains the key. The environment contains no key. */
  const create = async (program: PulumiFn, isSecret = true) => {
    const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...rest } = settingsFor(service);
    const tested = await createInline(program, { environment: rest });
    await tested.stack.setAllConfig({
      "clouddb:publicKey": { value: key.publicKey },
      "clouddb:privateKey": { value: key.privateKey, secret: isSecret },
    });
    return tested;
  };
  const mode = () => {
    new clouddb.PrivateIpMode("orders", { projectId, enabled: true });
    return Promise.resolve({});
  };
  const previewWarnings = async ({ stack }: TestStack<PulumiFn>) => {
    const { messages, onEvent } = collectDiagnostics("warning");
    await stack.preview({ onEvent });
    return messages;
  };

  it("logs one warning each for a plain-text key and a misspelled setting, and none for an unrelated key", async () => {
    const tested = await create(async () => {
      await mode();
      return clouddb.getPrivateIpModeReadiness({ projectId });
    }, false);
    const plainText =
      "clouddb:privateKey is stored in plain text in the stack's configuration. Run:\n  pulumi config set --secret clouddb:privateKey";
    assert.deepEqual(await previewWarnings(tested), [plainText]);
    await tested.stack.setAllConfig({
      "clouddb:privateKey": { value: key.privateKey, secret: true },
      "clouddb:requestPerMinute": { value: "50" },
      "clouddb:team": { value: "data" },
    });
    const misspelled =
      "clouddb:requestPerMinute is not a setting; did you mean clouddb:requestsPerMinute?";
    // The program and the provider process each read the settings.
    assert.deepEqual([...new Set(await previewWarnings(tested))], [misspelled]);
  });

  it("is reported with the nearest setting", async () => {
    const tested = await create(mode);
    tested.stack.workspace.envVars["CLOUDDB_BASE_URL"] = "";
    await tested.stack.setConfig("clouddb:baseURL", { value: service.url });
    const output = await tested.failure(tested.stack.preview());
    assert.match(output, /clouddb:baseURL is not a setting; did you mean clouddb:baseUrl\?/);
    assert.doesNotMatch(output, /\n\s+at /);
  });

  it("is reported for a provider that is not a clouddb.Provider, before any request", async () => {
    const tested = await create(() => {
      const raw = new (class extends pulumi.ProviderResource {})("pulumi-nodejs", "raw", {
        "clouddb:publicKey": "partner",
        "clouddb:privateKey": pulumi.secret("partner-secret"),
      });
      const args = { projectId, clusterName: "orders" };
      const found = clouddb.getConnectionStringsOutput(args, { provider: raw });
      return Promise.resolve({ url: found.recommended });
    });
    const output = await tested.failure(tested.stack.preview());
    assert.match(output, /error: the provider "raw".* is not a clouddb\.Provider/);
    assert.doesNotMatch(output, /partner-secret/);
    assert.deepEqual(service.requests, []);
  });

  it("is reported if another copy of the package manages the mode of the same project", async () => {
    const tested = await create(mode);
    const copied = join(tested.folder, "copy", "node_modules", "pulumi-clouddb");
    for (const part of ["dist", "package.json"]) {
      cpSync(join(provider, part), join(copied, part), { recursive: true });
    }
    tested.program(async () => {
      await mode();
      const copy = createRequire(tested.folder)(copied) as typeof clouddb;
      new copy.PrivateIpMode("two", { projectId, enabled: true });
      return {};
    });
    const output = await tested.failure(tested.stack.preview());
    assert.match(output, /'two'.*"orders" already manages private IP mode of this project/s);
  });
});
