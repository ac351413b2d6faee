/**
 * Deploys with the oldest and the newest version of Pulumi's SDK that pulumi-clouddb accepts, on each
 * supported version of Node.js (docs/compatibility.md). pulumi-clouddb imports single modules of the SDK
 * (docs/decisions/0011-only-parts-of-the-sdk.md), and the SDK contains the code of the provider process.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { noteFolder, temporaryFolder, useCleanup } from "../cleanup";
import { startCommand } from "../command";
import { projectId, settingsFor, useService } from "../service";
import { pack } from "./packed";
import manifest from "../../provider/package.json";

const supported = manifest.peerDependencies["@pulumi/pulumi"];

/** Uses the resources, an explicit provider and a function, and reports what runs them. */
const program = `
const pulumi = require("@pulumi/pulumi");
const clouddb = require("pulumi-clouddb");
const projectId = "${projectId}";
const provider = new clouddb.Provider("same", { publicKey: "demo", privateKey: "demo-secret" });
const mode = new clouddb.PrivateIpMode("orders", { projectId, enabled: true });
const args = { projectId: mode.projectId, clusterName: "orders" };
const orders = new clouddb.ClusterConnectionStrings("orders", args, { provider });
exports.url = clouddb.withCredentials(orders.recommended, { username: "app", password: "p@ss" });
exports.again = clouddb.getConnectionStringsOutput(args).recommended;
exports.legacy = orders.legacy.apply((text) => text === undefined);
exports.isResource = [mode, orders].every((each) => each instanceof pulumi.CustomResource);
exports.isSecret = pulumi.isSecret(exports.url);
exports.node = Number.parseInt(process.versions.node);
`;

describe("pulumi-clouddb with supported versions of @pulumi/pulumi", function () {
  this.timeout(300_000);
  const service = useService();
  const notes = noteFolder();

  for (const [age, version] of [
    ["oldest", supported.replace("^", "")],
    ["newest", supported],
  ] as const) {
    describe(`the ${age}, ${version}`, () => {
      const cleanup = useCleanup("file");
      let folder: string;

      before(() => {
        folder = temporaryFolder(cleanup);
        install(folder, version);
        writeFileSync(join(folder, "Pulumi.yaml"), "name: versions\nruntime: nodejs\n");
        writeFileSync(join(folder, "index.js"), program);
      });

      for (const node of [20, 22, 24]) {
        it(`deploys, and shows drift in a preview, on Node.js ${node}`, async () => {
          const backend = join(folder, `backend-${node}`);
          mkdirSync(backend);
          const env = {
            ...process.env,
            ...settingsFor(service),
            TMPDIR: notes,
            PATH: `${folderOfNode(node)}${delimiter}${process.env["PATH"] ?? ""}`,
            PULUMI_BACKEND_URL: `file://${backend}`,
            PULUMI_CONFIG_PASSPHRASE: "",
            PULUMI_SKIP_UPDATE_CHECK: "1",
          };
          // The service runs in this process, so that nothing may block it.
          const pulumi = async (...args: string[]) => {
            const started = startCommand(cleanup, "pulumi", args, { cwd: folder, env });
            const { code, stdout, stderr } = await started.result;
            assert.equal(code, 0, stdout + stderr);
            return stdout;
          };
          await pulumi("stack", "init", "test");
          await pulumi("up", "--yes", "--skip-preview");
          const outputs = await pulumi("stack", "output", "--json", "--show-secrets");
          const { url, again, ...rest } = JSON.parse(outputs) as Record<string, unknown>;
          assert.match(String(url), /^db\+srv:\/\/app:p%40ss@orders\./);
          assert.match(String(again), /^db\+srv:\/\/orders\./);
          assert.deepEqual(rest, { legacy: true, isResource: true, isSecret: true, node });

          // SDKs before 3.216.0 ignore the inputs that a provider reads, and the engine compares inputs.
          service.project().setPrivateIpMode(false);
          const preview = await pulumi("preview", "--refresh", "--diff");
          assert.match(preview, /enabled *: false => true/);
        });
      }
    });
  }
});

/** Installs the packed packages and a version of the SDK into a folder. */
function install(folder: string, sdk: string): void {
  const tarballs = ["connection-strings", "provider"].map((name) => {
    mkdirSync(join(folder, name));
    return `./${name}/${pack(name, join(folder, name))}`;
  });
  writeFileSync(join(folder, "package.json"), '{ "private": true, "main": "index.js" }');
  const options = ["--silent", "--prefer-offline", "--no-audit", "--no-fund"];
  const packages = [...tarballs, `@pulumi/pulumi@${sdk}`];
  execFileSync("npm", ["install", ...options, ...packages], { cwd: folder });
}

/** Returns the folder of the executable of a version of Node.js, from npm's package `node`. */
function folderOfNode(major: number): string {
  const args = ["--yes", "--prefer-offline", "--package", `node@${major}`];
  const command = ["--", "node", "--print", "process.execPath"];
  const path = execFileSync("npm", ["exec", "--silent", ...args, ...command], { encoding: "utf8" });
  return dirname(path.trim());
}
