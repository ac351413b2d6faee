/** The packages as npm packs them for users. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..", "..");

/** Packs the two packages into the node_modules of a folder, in the repository, where their dependencies are. */
export function unpackProvider(folder: string, checkout = root): void {
  const modules = join(folder, "node_modules");
  unpack("connection-strings", join(modules, "clouddb-connection-strings"), checkout);
  unpack("provider", join(modules, "pulumi-clouddb"), checkout);
}

/** Packs a workspace package and unpacks the tarball into a folder. */
export function unpack(workspace: string, target: string, checkout = root): void {
  const packing = `${target}.packing`;
  for (const folder of [target, packing]) mkdirSync(folder, { recursive: true });
  const tarball = pack(workspace, packing, checkout);
  execFileSync("tar", ["-xzf", join(packing, tarball), "--strip-components=1", "-C", target]);
  rmSync(packing, { recursive: true });
}

/** Packs a workspace package. */
export function pack(workspace: string, folder: string, checkout = root): string {
  const npm = ["pack", "--silent", "--pack-destination", folder];
  const cwd = join(checkout, workspace);
  // On Windows, npm is a .cmd file, which only a shell can start.
  const shell = process.platform === "win32";
  execFileSync("npm", npm, { cwd, shell, stdio: ["ignore", "ignore", "inherit"] });
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  assert.ok(tarball !== undefined, "npm pack creates a tarball");
  return tarball;
}
