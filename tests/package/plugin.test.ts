import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";
import { projectId, settingsFor, useService } from "../support/service";

const root = join(__dirname, "..", "..");
const { version } = JSON.parse(readFileSync(join(root, "plugin", "package.json"), "utf8")) as {
  version: string;
};

describe("the packed pulumi-resource-clouddb", () => {
  const cleanup = useCleanup("test");
  const service = useService();

  it("names the version and license of every bundled package", () => {
    const licenses = readFileSync(join(root, "plugin/dist/plugin.bundle.LICENSES.txt"), "utf8");
    for (const name of ["@grpc/grpc-js", "google-protobuf", "undici", "zod", "semver"]) {
      assert.match(licenses, new RegExp(`^${name}@\\d+\\.\\d+\\.\\d+ \\(.+\\)$`, "m"));
    }
  });

  it("is a plugin that the Pulumi CLI installs from a file and finds for any program", async () => {
    const folder = temporaryFolder(cleanup);
    const tarball = execFileSync(process.execPath, [join(root, "plugin/tarball.mjs"), folder], {
      encoding: "utf8",
    }).trim();
    assert.ok(statSync(tarball).size < 1_000_000, "less than 1 MB");
    mkdirSync(join(folder, "backend"));
    const env = {
      ...process.env,
      ...settingsFor(service),
      PULUMI_HOME: join(folder, "home"),
      PULUMI_BACKEND_URL: `file://${join(folder, "backend")}`,
      PULUMI_CONFIG_PASSPHRASE: "",
      PULUMI_SKIP_UPDATE_CHECK: "1",
    };
    const program = join(root, ".clouddb", "tests", `installed-${process.pid}`);
    cleanup(() => execFileSync("rm", ["-rf", program]));
    mkdirSync(program, { recursive: true });
    writeFileSync(join(program, "Pulumi.yaml"), "name: installed\nruntime: nodejs\n");
    writeFileSync(join(program, "package.json"), '{ "main": "index.js" }');
    writeFileSync(
      join(program, "index.js"),
      `const { CustomResource } = require("@pulumi/pulumi");
const args = { projectId: "${projectId}", clusterName: "orders", recommended: undefined };
const options = { version: "${version}" };
const orders = new CustomResource("clouddb:index:ClusterConnectionStrings", "orders", args, options);
exports.url = orders.recommended;
`,
    );
    // The service runs in this process, so that nothing may block it.
    const pulumi = async (...args: string[]) => {
      const started = startCommand(cleanup, "pulumi", args, { cwd: program, env });
      const { code, stdout, stderr } = await started.result;
      assert.equal(code, 0, stdout + stderr);
      return stdout;
    };
    await pulumi("plugin", "install", "resource", "clouddb", version, "--file", tarball);
    assert.match(await pulumi("plugin", "ls"), new RegExp(`clouddb +resource +${version}`));
    await pulumi("stack", "init", "test");
    assert.match(await pulumi("preview"), /url *: "db\+srv:\/\/orders\./);
  });
});
