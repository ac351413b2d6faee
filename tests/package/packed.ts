/** pulumi-clouddb as it is packed for users, not what a working copy holds. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** Unpacks it into the node_modules of a folder. Below the repository its dependencies are found. */
export function unpackProvider(folder: string): void {
  const target = join(folder, "node_modules", "pulumi-clouddb");
  mkdirSync(target, { recursive: true });
  const npm = ["pack", "--silent", "--pack-destination", folder];
  const provider = join(__dirname, "..", "..", "provider");
  execFileSync("npm", npm, { cwd: provider, stdio: ["ignore", "ignore", "inherit"] });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  assert.ok(tarball !== undefined, "npm pack makes a package");
  const tar = ["-xzf", join(folder, tarball), "--strip-components=1", "-C", target];
  execFileSync("tar", tar);
}
