/** Builds programs from Go modules once, and keeps them in node_modules/.cache. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { Missing } from "./missing";

const cache = join(__dirname, "..", "node_modules", ".cache", "clouddb");

/**
 * Builds a program, unless it was built before.
 *
 * @param module the folder of the module
 * @param name the name of the executable
 * @param target the package of the program
 * @returns the executable
 * @throws Missing if Go is not installed
 */
export function buildWithGo(module: string, name: string, target: string): string {
  const program = join(cache, `${name}-${versionOf(module)}`, name);
  if (existsSync(program)) return program;
  mkdirSync(dirname(program), { recursive: true });
  const temporary = `${program}.${process.pid}`;
  const flags = ["-mod=readonly", "-trimpath", "-tags=osusergo,grpcnotrace", "-ldflags=-s -w"];
  try {
    execFileSync("go", ["build", ...flags, "-o", temporary, target], {
      cwd: module,
      env: { ...process.env, GOWORK: "off" },
      stdio: ["ignore", "ignore", "pipe"],
    });
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw isMissing ? new Missing("Go is not installed") : error;
  }
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
