import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { scratchFolder, temporaryFolder, useCleanup } from "../support/cleanup";
import { pulumiIn } from "../engine/terminal";
import { servePlugins } from "../support/pluginServer";
import { projectId, settingsFor, useService } from "../support/service";

const root = join(__dirname, "..", "..");
const { version } = JSON.parse(readFileSync(join(root, "plugin", "package.json"), "utf8")) as {
  version: string;
};

describe("the archive of the plugin", () => {
  const cleanup = useCleanup("test");
  const service = useService();

  it("has the name that the CLI requests from a server, and then works without the server", async () => {
    const archive = createArchive();
    assert.ok(statSync(archive).size < 1_000_000, "less than 1 MB");
    const server = await servePlugins(cleanup, dirname(archive));
    const { pulumi, program } = newProgram();
    await pulumi("plugin", "install", "resource", "clouddb", version, "--server", server.url);
    assert.deepEqual(server.requested, [`/${basename(archive)}`]);
    assert.match(await pulumi("plugin", "ls"), new RegExp(`clouddb +resource +${version}`));
    program();
    await pulumi("stack", "init", "test");
    const preview = await pulumi("preview");
    assert.match(preview, /url *: "db\+srv:\/\/orders\./);
    assert.doesNotMatch(preview, /warning/);
    assert.equal(server.requested.length, 1);
  });

  function createArchive(): string {
    const command = [join(root, "plugin/archive.mjs"), temporaryFolder(cleanup)];
    return execFileSync(process.execPath, command, { encoding: "utf8" }).trim();
  }

  /** Prepares the folder of a program that requests a version of the plugin, with a separate PULUMI_HOME. */
  function newProgram() {
    const folder = scratchFolder(cleanup);
    const home = temporaryFolder(cleanup);
    const pulumi = pulumiIn(cleanup, folder, {
      ...settingsFor(service),
      PULUMI_HOME: home,
      // npm adds the plugin of this repository to PATH.
      PULUMI_IGNORE_AMBIENT_PLUGINS: "true",
    });
    return {
      pulumi: async (...args: string[]) => (await pulumi(args)).stdout,
      program: () => {
        writeFileSync(join(folder, "Pulumi.yaml"), "name: installed\nruntime: nodejs\n");
        writeFileSync(join(folder, "package.json"), '{ "main": "index.js" }');
        const program = `const { CustomResource } = require("@pulumi/pulumi");
const args = { projectId: "${projectId}", clusterName: "orders", recommended: undefined };
const options = { version: "${version}" };
const orders = new CustomResource("clouddb:index:ClusterConnectionStrings", "orders", args, options);
exports.url = orders.recommended;
`;
        writeFileSync(join(folder, "index.js"), program);
      },
    };
  }
});
