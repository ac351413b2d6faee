/** Builds programs from Go modules once, and keeps them beside the Pulumi CLI that scripts/firstRun builds. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
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
import { z } from "zod";
import { Missing } from "./missing";

const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
const cache = join(caches, "pulumi-clouddb");

/** A program of a published module. */
interface PublishedProgram {
  readonly name: string;
  /** The module and its version. */
  readonly module: string;
  readonly version: string;
  /** The package of the program, relative to the module. Default: the module's own */
  readonly target?: string;
  readonly tags?: readonly string[];
  /** Changes the copy of the sources, or copies files beside the executable. */
  readonly prepare?: (sources: string, destination: string) => void;
}

/** Builds a program once, and returns the executable. Throws Missing without Go, or if modules cannot be downloaded. */
export function buildWithGo(module: string, name: string, target: string): string {
  return buildOnce(name, versionOf(module), (temporary) => {
    build(module, join(temporary, name), target, []);
  });
}

/** Like {@link buildWithGo}, for a published module, whose digest Go looks up in its checksum database. */
export function buildPublished({
  name,
  module,
  version,
  target = ".",
  tags = [],
  prepare,
}: PublishedProgram): string {
  return buildOnce(name, version, (temporary) => {
    const sources = join(temporary, "sources");
    const downloaded = download(cache, "mod", "download", "-json", `${module}@${version}`);
    const { Dir } = z.object({ Dir: z.string() }).parse(JSON.parse(downloaded));
    cpSync(Dir, sources, { recursive: true });
    // The module cache is read-only, and so are its copies.
    execFileSync("chmod", ["-R", "u+w", sources]);
    prepare?.(sources, dirname(temporary));
    build(sources, join(temporary, name), target, tags);
  });
}

/** Calls a function with a temporary folder, in which it builds the program, unless it was built before. */
function buildOnce(name: string, version: string, create: (temporary: string) => void): string {
  const program = join(cache, `${name}-${version}`, name);
  if (existsSync(program)) return program;
  mkdirSync(dirname(program), { recursive: true });
  const temporary = mkdtempSync(`${program}.`);
  try {
    create(temporary);
    renameSync(join(temporary, name), program);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return program;
}

function build(module: string, output: string, target: string, tags: readonly string[]): void {
  const allTags = `-tags=${["osusergo", "grpcnotrace", ...tags].join()}`;
  download(module, "list", "-mod=readonly", "-deps", allTags, target);
  // The flags of the CLI's build, whose compiled packages are then used again.
  const flags = ["-mod=readonly", "-trimpath", allTags, "-gcflags=all=-l -dwarf=false"];
  go(module, "build", ...flags, "-ldflags=-s -w", "-o", output, target);
}

/** Runs a command of Go that downloads modules. */
function download(cwd: string, ...args: string[]): string {
  try {
    return go(cwd, ...args);
  } catch (error) {
    const isMissing = error instanceof Error && "code" in error && error.code === "ENOENT";
    throw new Missing(
      isMissing ? "Go is not installed" : `Go cannot download modules: ${String(error)}`,
    );
  }
}

function go(cwd: string, ...args: string[]): string {
  return execFileSync("go", args, {
    cwd,
    env: { ...process.env, GOWORK: "off" },
    stdio: ["ignore", "pipe", "pipe"],
    encoding: "utf8",
    // `go list` prints thousands of packages.
    maxBuffer: 1 << 26,
  });
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
