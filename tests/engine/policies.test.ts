import assert from "node:assert/strict";
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { projectId } from "../support/service";
import type { TestStack } from "./stack";
import { useStack } from "./useStack";

const root = join(__dirname, "..", "..");

const lookup = (name: string, more = "") =>
  `new clouddb.ClusterConnectionStrings("${name}", { projectId: "${projectId}", clusterName: "orders", ${more} })`;
const mode = `new clouddb.PrivateIpMode("mode", { projectId: "${projectId}", enabled: false });`;
const peering = "network: { kind: 'peering' }";
const withPassword = `const user = { username: "app", password: "pw" };
  exports.url = clouddb.withCredentials(${lookup("private", peering)}.recommended, user);`;

describe("examples/policies", () => {
  const { createStack, run } = useStack({ lifetime: "file" });
  let prod: TestStack;

  before(async () => {
    prod = await createStack("", { stackName: "prod" });
  });

  /** Previews a program with the policies, and returns what the CLI prints. */
  const preview = async (program: string, config: object = {}) => {
    prod.program(program);
    const pack = policyPack(prod.folder);
    const configFile = join(prod.folder, "policy-config.json");
    writeFileSync(configFile, JSON.stringify(config));
    const environment = { READINESS_FOLDER: prod.folder };
    const args = ["preview", "--policy-pack", pack, "--policy-pack-config", configFile];
    const { code, stdout, stderr } = await run(prod, "pulumi", args, { environment }).result;
    return { code, output: stdout + stderr };
  };

  it("reports each violation of a production stack with its remedy", async () => {
    const { code, output } = await preview(`${lookup("orders")}; ${mode}`);
    assert.notEqual(code, 0);
    assert.match(output, /private-network-in-production[^]*The network of orders is not private/);
    assert.match(output, new RegExp(`There is no readiness report of project ${projectId}`));
  });

  it("refuses credentials in outputs that are not listed, in any text", async () => {
    const inText = "exports.inText = pulumi.interpolate`URL=${exports.url}`;";
    const notEncoded = 'exports.notEncoded = "db://app:1/pw@a.db.example";';
    const others = 'exports.others = ["db://a.db.example:1/?w=1", "https://a.example:1/@b"];';
    const { code, output } = await preview([withPassword, inText, notEncoded, others].join("\n"));
    assert.notEqual(code, 0);
    const refused = output.matchAll(
      /The output (\w+) contains a connection string with credentials/g,
    );
    const names = new Set(Array.from(refused, ([, name]) => name));
    assert.deepEqual([...names].sort(), ["inText", "notEncoded", "url"]);
    assert.doesNotMatch(output, /:pw@/);
  });

  it("allows a listed output, and disabling with a readiness report", async () => {
    const cli = join(root, "provider", "dist", "cli.js");
    const args = [cli, "readiness", "--project", projectId, "--json"];
    const readiness = await run(prod, process.execPath, args).result;
    writeFileSync(join(prod.folder, `readiness-${projectId}.json`), readiness.stdout);
    const config = { "no-credentials-in-outputs": { secretOutputs: ["url"] } };
    const { code, output } = await preview(`${withPassword}; ${mode}`, config);
    assert.equal(code, 0, output);
  });
});

/**
 * Compiles the policies next to a stack, with an executable that starts them. A released CLI starts the folder
 * itself; the language host of the CLI that `npm run up` builds from Go modules cannot.
 */
function policyPack(folder: string): string {
  const pack = join(folder, "policies");
  const executable = join(pack, "pulumi-analyzer-clouddb");
  const entryPoints = [join(root, "examples", "policies", "index.ts")];
  buildSync({ entryPoints, outdir: pack, format: "cjs", platform: "node", target: "node20" });
  cpSync(join(root, "examples", "policies", "PulumiPolicy.yaml"), join(pack, "PulumiPolicy.yaml"));
  writeFileSync(join(pack, "package.json"), '{ "main": "index.js", "version": "0.1.0" }');
  const start = `#!/usr/bin/env node
process.chdir(__dirname);
process.argv.push(".");
require("@pulumi/pulumi/cmd/run-policy-pack");
`;
  writeFileSync(executable, start, { mode: 0o755 });
  return executable;
}
