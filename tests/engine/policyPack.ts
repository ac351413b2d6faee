/** Policy packs for the real CLI. */
import { cpSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";

const example = join(__dirname, "..", "..", "examples", "policies");

/**
 * Writes a policy pack to a folder. It has an executable, because the language host that `npm run up` builds starts no
 * folder.
 *
 * @param code of the policies. Default: those of examples/policies
 * @returns the value of --policy-pack
 */
export function policyPack(folder: string, code?: string): string {
  const pack = join(folder, "policies");
  const executable = join(pack, "pulumi-analyzer-clouddb");
  const entryPoints = [join(example, "index.ts")];
  buildSync({ entryPoints, outdir: pack, format: "cjs", platform: "node", target: "node20" });
  if (code !== undefined) writeFileSync(join(pack, "index.js"), code);
  cpSync(join(example, "PulumiPolicy.yaml"), join(pack, "PulumiPolicy.yaml"));
  writeFileSync(join(pack, "package.json"), '{ "main": "index.js", "version": "0.1.0" }');
  const start = `#!/usr/bin/env node
process.chdir(__dirname);
process.argv.push(".");
require("@pulumi/pulumi/cmd/run-policy-pack");
`;
  writeFileSync(executable, start, { mode: 0o755 });
  return executable;
}
