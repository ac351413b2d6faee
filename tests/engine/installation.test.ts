import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { projectId, settingsFor, useService } from "../support/service";
import { folderStack } from "./stack";

const root = join(__dirname, "..", "..");

describe("a program that gets pulumi-clouddb from a shared package", () => {
  const service = useService();
  const cleanup = useCleanup("test");

  it("fails with the folder to install it in, and succeeds afterwards", async () => {
    const workspace = temporaryFolder(cleanup);
    const folder = join(workspace, "infra");
    const shared = join(workspace, "shared");
    // As pnpm installs them, outside of this repository, whose folder node_modules contains pulumi-clouddb.
    const link = (target: string, path: string) => {
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(target, path, "junction");
    };
    const pulumi = join(root, "node_modules", "@pulumi", "pulumi");
    for (const project of [folder, shared]) {
      link(pulumi, join(project, "node_modules", "@pulumi", "pulumi"));
    }
    link(join(root, "provider"), join(shared, "node_modules", "pulumi-clouddb"));
    link(shared, join(folder, "node_modules", "shared"));
    const files = {
      [join(shared, "index.js")]: 'module.exports = require("pulumi-clouddb");',
      [join(folder, "package.json")]: '{ "main": "index.js" }',
      [join(folder, "Pulumi.yaml")]:
        "name: tested\nruntime: { name: nodejs, options: { typescript: false } }\n",
      [join(folder, "index.js")]: `const { PrivateIpMode } = require("shared");
new PrivateIpMode("orders", { projectId: "${projectId}", enabled: true });`,
    };
    for (const [path, text] of Object.entries(files)) writeFileSync(path, text);

    const { stack, failure } = await folderStack(folder, settingsFor(service));
    const message = await failure(stack.preview());
    const expected = `loads pulumi-clouddb for the resource "orders" from ${folder}, where it is not installed.`;
    assert.ok(message.includes(expected), message);
    assert.doesNotMatch(message, /Cannot find module/);

    link(join(root, "provider"), join(folder, "node_modules", "pulumi-clouddb"));
    assert.deepEqual((await stack.preview()).changeSummary, { create: 2 });
  });
});
