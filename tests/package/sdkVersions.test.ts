/**
 * pulumi-clouddb imports single modules of Pulumi's SDK (docs/decisions/0011-only-parts-of-the-sdk.md),
 * so it is tested with the oldest and the newest version that its package.json allows.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, useCleanup } from "../cleanup";
import { pack } from "./packed";
import manifest from "../../provider/package.json";

const supported = manifest.peerDependencies["@pulumi/pulumi"];

/** Creates resources in a mocked run, and prints how the SDK's main module sees them. */
const program = `
const pulumi = require("@pulumi/pulumi");
const clouddb = require("pulumi-clouddb");
const mocks = { newResource: ({ name, inputs }) => ({ id: name, state: { ...inputs, standard: null } }), call: () => ({}) };
void (async () => {
  await pulumi.runtime.setMocks(mocks);
  const args = { projectId: pulumi.output("p"), clusterName: "orders" };
  const provider = new clouddb.Provider("partner", { publicKey: "key", privateKey: "secret" });
  const lookup = new clouddb.ClusterConnectionStrings("orders", args, { provider });
  const mode = new clouddb.PrivateIpMode("orders", { projectId: "p", enabled: true });
  const url = clouddb.withCredentials("db://orders.example", { username: "u", password: "p" });
  pulumi.all([lookup.clusterName, lookup.standard, mode.enabled, pulumi.isSecret(url)]).apply((values) => {
    const isResource = [lookup, mode].every((each) => each instanceof pulumi.CustomResource);
    console.log(JSON.stringify({ values, isResource, isOutput: pulumi.Output.isInstance(url) }));
  });
})();
`;

describe("pulumi-clouddb with supported versions of @pulumi/pulumi", function () {
  this.timeout(300_000);
  const cleanup = useCleanup("test");

  for (const [age, version] of [
    ["oldest", supported.replace("^", "")],
    ["newest", supported],
  ] as const) {
    it(`creates resources with the ${age} supported version, ${version}`, () => {
      const folder = temporaryFolder(cleanup);
      const tarballs = ["connection-strings", "provider"].map((name) => {
        mkdirSync(join(folder, name));
        return `./${name}/${pack(name, join(folder, name))}`;
      });
      writeFileSync(join(folder, "package.json"), '{ "private": true }');
      const packages = [...tarballs, `@pulumi/pulumi@${version}`];
      const options = ["--silent", "--prefer-offline", "--no-audit", "--no-fund"];
      execFileSync("npm", ["install", ...options, ...packages], { cwd: folder });
      const printed = execFileSync(process.execPath, ["-e", program], {
        cwd: folder,
        encoding: "utf8",
      });
      assert.deepEqual(JSON.parse(printed), {
        values: ["orders", null, true, true],
        isResource: true,
        isOutput: true,
      });
    });
  }
});
