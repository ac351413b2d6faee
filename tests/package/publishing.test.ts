/** Tests the files of the published packages. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { pack } from "./packed";

const root = join(__dirname, "..", "..");

/** A published package. */
interface Package {
  /** Its folder in the repository. */
  readonly folder: string;
  readonly name: string;
  /** Its files other than those that the compiler writes for each source file. */
  readonly files: readonly string[];
  /** The source files whose compiled files are published. */
  readonly isPublished: (source: string) => boolean;
}

const packages: readonly Package[] = [
  {
    folder: "connection-strings",
    name: "clouddb-connection-strings",
    files: ["bin/clouddb-connection-strings.js"],
    isPublished: () => true,
  },
  {
    folder: "provider",
    name: "pulumi-clouddb",
    files: [
      "bin/pulumi-clouddb.js",
      "dist/runtime.bundle.LICENSES.txt",
      "dist/runtime.bundle.js",
      "dist/runtime.d.ts",
      "dist/undici.bundle.js",
    ],
    isPublished: (source) => source !== "runtime.ts",
  },
  {
    folder: "simulator",
    name: "clouddb-simulator",
    files: ["bin/clouddb-simulator.js", ...filesIn("simulator/page").map((name) => `page/${name}`)],
    isPublished: () => true,
  },
  {
    folder: "plugin",
    name: "pulumi-resource-clouddb",
    files: [
      "dist/plugin.bundle.LICENSES.txt",
      "dist/plugin.bundle.js",
      "launcher.js",
      "pulumi-resource-",
      "pulumi-resource-clouddb",
      "pulumi-resource-clouddb.cmd",
      "schema.json",
    ],
    isPublished: () => false,
  },
];

describe("the tarball of", function () {
  this.timeout(300_000);
  const cleanup = useCleanup("file");
  const tarballs = new Map<string, string>();

  before(() => {
    const folder = temporaryFolder(cleanup);
    for (const { folder: workspace } of packages) {
      const target = join(folder, workspace);
      mkdirSync(target);
      tarballs.set(workspace, join(target, pack(workspace, target)));
    }
  });

  const tarballOf = (workspace: string) => tarballs.get(workspace) ?? "";

  for (const { folder, name, files, isPublished } of packages) {
    it(`${name} contains exactly the files that users need`, () => {
      const listed = execFileSync("tar", ["-tzf", tarballOf(folder)], { encoding: "utf8" });
      const sources = filesIn(join(folder, "src")).filter(isPublished);
      const compiled = sources.flatMap((source) => {
        const module = source.replace(/\.ts$/, "");
        return [`dist/${module}.js`, `dist/${module}.d.ts`];
      });
      assert.deepEqual(
        listed.trim().split("\n").sort(),
        ["LICENSE", "README.md", "package.json", ...files, ...compiled]
          .map((file) => `package/${file}`)
          .sort(),
      );
    });
  }
});

/** Returns the files in a folder of the repository, with paths relative to it. */
function filesIn(folder: string): string[] {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  const start = join(root, folder).length + 1;
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(start));
}
