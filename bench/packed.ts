/** What is measured: pulumi-clouddb as it is packed for users, not what a working copy holds. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..");

/** Below the repository, whose node_modules hold what the package depends on. */
export const benchFolder = join(root, ".clouddb", "bench");

/** Packs it into the node_modules of an empty {@link benchFolder}. */
export function packProvider(): void {
  rmSync(benchFolder, { recursive: true, force: true });
  const target = join(benchFolder, "node_modules", "pulumi-clouddb");
  mkdirSync(target, { recursive: true });
  const npm = ["pack", "--silent", "--pack-destination", benchFolder];
  execFileSync("npm", npm, { cwd: join(root, "provider"), stdio: "ignore" });
  const tarball = readdirSync(benchFolder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error("npm pack made no package of provider/");
  const tar = ["-xzf", join(benchFolder, tarball), "--strip-components=1", "-C", target];
  execFileSync("tar", tar);
}
