import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";
import { startProxy, withoutProxy } from "../support/proxy";
import { projectId, settingsFor, useService } from "../support/service";

const provider = join(__dirname, "..", "..", "provider");

describe("the bundled runtime", () => {
  const cleanup = useCleanup("test");
  const service = useService();

  it("is smaller than 260 kB, because it omits the unused parts of its libraries", () => {
    // One use of a whole namespace, such as `z.core`, keeps 450 kB more, which every process loads. The rules about what
    // drivers refuse are 24 kB, because each DatabaseUrl is checked in the preview.
    const { size } = statSync(join(provider, "dist", "runtime.bundle.js"));
    assert.ok(size < 260_000, `${size} bytes`);
  });

  it("is two files with everything that a lookup needs, even behind a proxy", async () => {
    const folder = temporaryFolder(cleanup);
    const bundles = ["runtime.bundle.js", "undici.bundle.js"];
    mkdirSync(join(folder, "dist"));
    for (const name of bundles) {
      copyFileSync(join(provider, "dist", name), join(folder, "dist", name));
    }
    copyFileSync(join(provider, "package.json"), join(folder, "package.json"));
    const proxy = await startProxy();
    cleanup(() => {
      proxy.stop();
    });
    const program = `
      const { basename } = require("node:path");
      const { clusterConnectionStrings } = require("./dist/runtime.bundle.js");
      const news = { projectId: "${projectId}", clusterName: "orders" };
      clusterConnectionStrings.check({}, news).then(({ inputs: { recommended } }) => {
        const files = Object.keys(require.cache).map((file) => basename(file));
        console.log(JSON.stringify({ files, recommended }));
      });
    `;
    const started = startCommand(cleanup, process.execPath, ["-e", program], {
      cwd: folder,
      env: { ...withoutProxy(process.env), ...settingsFor(service), HTTPS_PROXY: proxy.url },
    });
    const { code, stdout, stderr } = await started.result;
    assert.equal(code, 0, stderr);
    const { files, recommended } = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual(files, bundles);
    assert.match(String(recommended), /^db\+srv:\/\/orders\./);
    assert.ok(proxy.tunnels.length > 0);
  });

  it("finds a misspelled setting in the configuration of the stack", async () => {
    const program = `
      const { Config } = require(${JSON.stringify(require.resolve("@pulumi/pulumi/cmd/dynamic-provider/config"))});
      const { clusterConnectionStrings } = require(${JSON.stringify(join(provider, "dist", "runtime.bundle.js"))});
      const configuration = { "clouddb:baseURL": "https://api.example.com" };
      void clusterConnectionStrings.configure({ config: new Config(configuration, "tested") });
      const news = { projectId: "${projectId}", clusterName: "orders" };
      clusterConnectionStrings.check({}, news).then(({ failures: [{ reason }] }) => {
        console.log(reason);
      });
    `;
    const started = startCommand(cleanup, process.execPath, ["-e", program]);
    const { stdout, stderr } = await started.result;
    assert.match(
      stdout,
      /clouddb:baseURL is not a setting; did you mean clouddb:baseUrl\?/,
      stderr,
    );
  });
});
