/** The packages as npm packs them for users, which a working copy may differ from. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..", "..");

/**
 * Unpacks pulumi-clouddb and clouddb-connection-strings into the node_modules of a folder. In a folder
 * below the repository, their dependencies are found in the repository's node_modules.
 *
 * @param folder the folder of a program
 */
export function unpackProvider(folder: string): void {
  unpack("connection-strings", join(folder, "node_modules", "clouddb-connection-strings"));
  unpack("provider", join(folder, "node_modules", "pulumi-clouddb"));
}

/**
 * Packs a workspace package and unpacks the tarball.
 *
 * @param workspace the folder of the package in the repository
 * @param target the folder to unpack to
 */
export function unpack(workspace: string, target: string): void {
  const packing = `${target}.packing`;
  for (const folder of [target, packing]) mkdirSync(folder, { recursive: true });
  const npm = ["pack", "--silent", "--pack-destination", packing];
  const cwd = join(root, workspace);
  execFileSync("npm", npm, { cwd, stdio: ["ignore", "ignore", "inherit"] });
  const tarball = readdirSync(packing).find((name) => name.endsWith(".tgz"));
  assert.ok(tarball !== undefined, "npm pack creates a tarball");
  execFileSync("tar", ["-xzf", join(packing, tarball), "--strip-components=1", "-C", target]);
  rmSync(packing, { recursive: true });
}
