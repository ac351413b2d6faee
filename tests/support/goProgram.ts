/** Builds programs from Go modules once, and keeps them beside the Pulumi CLI that scripts/firstRun builds. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
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
 * @param tags build tags of the program
 * @param prepare returns the folder to build in, if it is not that of the module; `temporary` is free for it
 * @returns the executable
 * @throws Missing if Go is not installed, or the modules cannot be downloaded
 */
export function buildWithGo(
  module: string,
  name: string,
  target: string,
  tags: readonly string[] = [],
  prepare: (go: (...args: string[]) => string, temporary: string) => string = () => module,
): string {
  const program = join(cache, `${name}-${versionOf(module)}`, name);
  if (existsSync(program)) return program;
  mkdirSync(dirname(program), { recursive: true });
  const temporary = mkdtempSync(`${program}.`);
  const goIn =
    (cwd: string) =>
    (...args: string[]) =>
      execFileSync("go", args, {
        cwd,
        env: { ...process.env, GOWORK: "off" },
        stdio: ["ignore", "pipe", "pipe"],
        encoding: "utf8",
        // `go list` prints thousands of packages.
        maxBuffer: 1 << 26,
      });
  const allTags = `-tags=${["osusergo", "grpcnotrace", ...tags].join()}`;
  let go = goIn(module);
  try {
    go = goIn(prepare(go, join(temporary, "module")));
    go("list", "-mod=readonly", "-deps", allTags, target);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new Missing(
      isMissing ? "Go is not installed" : `Go cannot download modules: ${String(error)}`,
    );
  }
  // The flags of the CLI's build, whose compiled packages are then used again.
  const flags = ["-mod=readonly", "-trimpath", allTags, "-gcflags=all=-l -dwarf=false"];
  go("build", ...flags, "-ldflags=-s -w", "-o", join(temporary, name), target);
  renameSync(join(temporary, name), program);
  rmSync(temporary, { recursive: true, force: true });
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
