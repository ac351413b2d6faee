/** `pulumi package add` with the packed plugin, in an empty project in YAML, whose language host is built if missing. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder, temporaryFolder, useCleanup } from "../../support/cleanup";
import { packedPlugin } from "../../lifecycles/packedPlugin";
import { skipIfMissing } from "../../support/missing";
import { pathWithHost } from "./sdks";

const root = join(__dirname, "..", "..", "..");
const manifest = readFileSync(join(root, "plugin", "package.json"), "utf8");
const { version } = JSON.parse(manifest) as { readonly version: string };

describe("pulumi package add", () => {
  const cleanup = useCleanup("test");
  const environment: NodeJS.ProcessEnv = { ...process.env, PULUMI_SKIP_UPDATE_CHECK: "1" };

  before("build the language host", function () {
    this.timeout(1_200_000);
    try {
      environment["PATH"] = pathWithHost("yaml");
    } catch (error) {
      skipIfMissing(this, error);
    }
  });

  const sources = [
    { title: "the plugin's folder", install: () => packedPlugin() },
    {
      title: "the name of a plugin installed from its archive",
      install: (pulumi: (...args: string[]) => void) => {
        const folder = temporaryFolder(cleanup);
        const create = [join(root, "plugin", "archive.mjs"), folder];
        const archive = execFileSync(process.execPath, create, { encoding: "utf8" }).trim();
        pulumi("plugin", "install", "resource", "clouddb", version, "--file", archive);
        return `clouddb@${version}`;
      },
    },
  ];
  for (const { title, install } of sources) {
    it(`accepts ${title}`, () => {
      const cwd = scratchFolder(cleanup);
      const env = { ...environment, PULUMI_HOME: temporaryFolder(cleanup) };
      const pulumi = (...args: string[]) =>
        execFileSync("pulumi", args, { cwd, env, stdio: "pipe" });
      writeFileSync(join(cwd, "Pulumi.yaml"), "name: empty\nruntime: yaml\n");
      const source = install(pulumi);
      pulumi("package", "add", source);
      const project = readFileSync(join(cwd, "Pulumi.yaml"), "utf8");
      assert.match(
        project,
        new RegExp(`^packages:\n +clouddb: .*${source.split("/").at(-1)}$`, "m"),
      );
      const reference = readFileSync(
        join(cwd, "sdks", "clouddb", `clouddb-${version}.yaml`),
        "utf8",
      );
      assert.match(reference, /^name: clouddb$/m);
    });
  }
});
