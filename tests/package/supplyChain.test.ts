/** Tests what the packages ship and install, and where the development dependencies come from. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";

const root = join(__dirname, "..", "..");

/** Licenses that allow use and distribution under Apache-2.0 without further conditions. */
const permissive = ["Apache-2.0", "MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD"];

const sbomSchema = z.object({
  bomFormat: z.literal("CycloneDX"),
  components: z.array(
    z.object({
      name: z.string(),
      version: z.string(),
      purl: z.string(),
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

describe("the bills of materials", () => {
  const cleanup = useCleanup("file");
  const read = new Map<string, z.output<typeof sbomSchema>["components"]>();

  before(async function () {
    this.timeout(300_000);
    const folder = temporaryFolder(cleanup);
    const args = ["scripts/sbom.mjs", folder];
    const { code, stderr } = await startCommand(cleanup, process.execPath, args, { cwd: root })
      .result;
    assert.equal(code, 0, stderr);
    for (const file of readdirSync(folder)) {
      const document: unknown = JSON.parse(readFileSync(join(folder, file), "utf8"));
      read.set(file, sbomSchema.parse(document).components);
    }
  });

  const namesIn = (file: string) => read.get(file)?.map(({ name }) => name) ?? [];

  it("lists installed and bundled packages", () => {
    for (const name of ["clouddb-connection-strings", "semver", "zod", "undici"]) {
      assert.ok(namesIn("pulumi-clouddb.cdx.json").includes(name), name);
    }
    for (const name of ["semver", "zod", "undici", "@grpc/grpc-js"]) {
      assert.ok(namesIn("pulumi-resource-clouddb.cdx.json").includes(name), name);
    }
    assert.ok(namesIn("clouddb-simulator.cdx.json").includes("fastify"));
    assert.ok(!namesIn("pulumi-clouddb.cdx.json").includes("@pulumi/pulumi"));
  });

  it("lists only permissive licenses", () => {
    for (const [file, components] of read) {
      for (const { name, version, licenses } of components) {
        // An expression such as "(BSD-3-Clause AND Apache-2.0)" names several.
        const ids = licenses.flatMap((license) => license.split(/ AND | OR |[()]/)).filter(Boolean);
        for (const id of ids) {
          assert.ok(permissive.includes(id), `${file}: ${name}@${version} is licensed as ${id}`);
        }
      }
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
