import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";
import { startProxy, withoutProxy } from "../support/proxy";
import { projectId, settingsFor, useService } from "../support/service";

const dist = join(__dirname, "..", "..", "provider", "dist");

describe("the bundled runtime", () => {
  const cleanup = useCleanup("test");
  const service = useService();
  let folder: string;

  beforeEach(() => {
    folder = temporaryFolder(cleanup);
  });

  /** Copies files of the package to a folder without node_modules. */
  const copyFiles = (names: readonly string[]) => {
    mkdirSync(join(folder, "dist"));
    for (const name of names) copyFileSync(join(dist, name), join(folder, "dist", name));
    copyFileSync(join(dist, "..", "package.json"), join(folder, "package.json"));
  };

  it("is smaller than 1.1 MB, because it omits the unused parts of its libraries", () => {
    // One use of a whole namespace, such as `z.core`, keeps 450 kB more, which every process loads.
    const { size } = statSync(join(dist, "runtime.bundle.js"));
    assert.ok(size < 1_100_000, `${size} bytes`);
  });

  for (const isProxied of [false, true]) {
    it(`is one file with everything that a lookup needs ${isProxied ? "behind" : "without"} a proxy`, async () => {
      copyFiles(readdirSync(dist).filter((name) => name.endsWith(".bundle.js")));
      const proxy = await startProxy();
      cleanup(() => {
        proxy.stop();
      });
      const text = `
        const { basename } = require("node:path");
        const { clusterConnectionStrings } = require("./dist/runtime.bundle.js");
        const loaded = () => Object.keys(require.cache).map((file) => basename(file));
        const news = { projectId: "${projectId}", clusterName: "orders" };
        clusterConnectionStrings.check({}, news).then(({ inputs }) => {
          const { recommended } = inputs;
          console.log(JSON.stringify({ files: loaded(), recommended }));
        });
      `;
      const env = { ...withoutProxy(process.env), ...settingsFor(service) };
      const { stdout, stderr, code } = await startCommand(cleanup, process.execPath, ["-e", text], {
        cwd: folder,
        env: isProxied ? { ...env, HTTPS_PROXY: proxy.url } : env,
      }).result;
      assert.equal(code, 0, stderr);
      const { files, recommended } = JSON.parse(stdout) as Record<string, unknown>;
      assert.deepEqual(files, ["runtime.bundle.js"]);
      assert.match(String(recommended), /^db\+srv:\/\/orders\./);
      assert.equal(proxy.tunnels.length > 0, isProxied);
    });
  }
});
