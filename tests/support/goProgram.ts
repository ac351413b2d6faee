/** Builds programs from Go modules once, and keeps them beside the Pulumi CLI that scripts/firstRun builds. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { Missing } from "./missing";

const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
const cache = join(caches, "pulumi-clouddb");

/**
 * Builds a program, unless it was built before.
 *
 * @param module the folder of the module
 * @param name the name of the executable
 * @param target the package of the program
 * @returns the executable
 * @throws Missing if Go is not installed, or the modules cannot be downloaded
 */
export function buildWithGo(module: string, name: string, target: string): string {
  const program = join(cache, `${name}-${versionOf(module)}`, name);
  if (existsSync(program)) return program;
  mkdirSync(dirname(program), { recursive: true });
  const temporary = `${program}.${process.pid}`;
  const go = (...args: string[]) =>
    execFileSync("go", args, {
      cwd: module,
      env: { ...process.env, GOWORK: "off" },
      stdio: ["ignore", "ignore", "pipe"],
    });
  const tags = "-tags=osusergo,grpcnotrace";
  try {
    go("list", "-mod=readonly", "-deps", tags, target);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new Missing(
      isMissing ? "Go is not installed" : `Go cannot download modules: ${String(error)}`,
    );
  }
  // The flags of the CLI's build, whose compiled packages are then used again.
  const flags = ["-mod=readonly", "-trimpath", tags, "-gcflags=all=-l -dwarf=false"];
  go("build", ...flags, "-ldflags=-s -w", "-o", temporary, target);
  renameSync(temporary, program);
  return program;
}

/** Returns a digest of the module's files, which changes with the versions of its dependencies. */
function versionOf(module: string): string {
  const hash = createHash("sha256");
  const files = readdirSync(module, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(go|mod|sum)$/.test(file))
    .sort();
  for (const file of files) hash.update(file).update(readFileSync(join(module, file)));
  return hash.digest("hex").slice(0, 12);
}
