/** Tests what the packages ship and install, and where the development dependencies come from. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { temporaryFolder, useCleanup } from "../support/cleanup";

const root = join(__dirname, "..", "..");

/** Licenses that allow use and distribution under Apache-2.0 without further conditions. */
const permissive = ["Apache-2.0", "MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD"];

const sbomSchema = z.object({
  components: z.array(
    z.object({
      name: z.string(),
      licenses: z
        .array(
          z.union([
            z
              .object({ license: z.object({ id: z.string() }) })
              .transform(({ license }) => license.id),
            z.object({ expression: z.string() }).transform(({ expression }) => expression),
          ]),
        )
        .min(1),
    }),
  ),
});

describe("what the packages install and bundle", () => {
  const cleanup = useCleanup("file");

  /** Installs the packed packages, and lists what is installed, as release.yml does. */
  function listInstalled() {
    const folder = temporaryFolder(cleanup);
    const npm = (cwd: string, ...args: string[]) =>
      execFileSync("npm", [...args, "--loglevel", "error"], { cwd, encoding: "utf8" });
    const packages = ["connection-strings", "provider", "plugin", "simulator"];
    npm(root, "pack", "--pack-destination", folder, ...packages.flatMap((name) => ["-w", name]));
    const tarballs = readdirSync(folder).map((file) => `./${file}`);
    npm(folder, "init", "--yes");
    npm(folder, "install", "--ignore-scripts", "--prefer-offline", ...tarballs);
    const document = npm(folder, "sbom", "--sbom-format", "cyclonedx", "--omit", "peer");
    return sbomSchema.parse(JSON.parse(document)).components;
  }

  /** Lists the packages in a bundle by the headings of its license file, such as `zod@4.6.7 (MIT)`. */
  function listBundled(file: string) {
    const text = readFileSync(join(root, file), "utf8");
    return [...text.matchAll(/^(\S+)@\d\S* \((.+)\)$/gm)].map(([, name = "", license = ""]) => ({
      name,
      licenses: [license],
    }));
  }

  it("has only permissive licenses", function () {
    this.timeout(300_000);
    const installed = listInstalled();
    const bundled = [
      ...listBundled("provider/dist/runtime.bundle.LICENSES.txt"),
      ...listBundled("plugin/dist/plugin.bundle.LICENSES.txt"),
    ];
    const names = [...installed, ...bundled].map(({ name }) => name);
    for (const name of ["fastify", "undici", "@grpc/grpc-js", "google-protobuf"]) {
      assert.ok(names.includes(name), name);
    }
    assert.ok(!installed.some(({ name }) => name === "@pulumi/pulumi"));
    for (const { name, licenses } of [...installed, ...bundled]) {
      // An expression such as "(BSD-3-Clause AND Apache-2.0)" names several.
      const ids = licenses.flatMap((license) => license.split(/ AND | OR |[()]/)).filter(Boolean);
      for (const id of ids) assert.ok(permissive.includes(id), `${name} is licensed as ${id}`);
    }
  });
});

describe("package-lock.json", () => {
  const lockSchema = z.object({
    packages: z.record(
      z.string(),
      z.object({
        link: z.boolean().optional(),
        resolved: z.string().optional(),
        integrity: z.string().optional(),
      }),
    ),
  });
  const lock: unknown = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const { packages } = lockSchema.parse(lock);

  it("has a SHA-512 digest for every package", () => {
    const installed = Object.entries(packages).filter(
      ([path, { link }]) => path.includes("node_modules/") && link !== true,
    );
    assert.ok(installed.length > 300);
    for (const [path, { integrity = "" }] of installed) assert.match(integrity, /^sha512-/, path);
  });

  it("contains no package from a Git repository or another URL", () => {
    for (const [path, { resolved, link }] of Object.entries(packages)) {
      if (link !== true) assert.equal(resolved, undefined, path);
    }
  });
});
