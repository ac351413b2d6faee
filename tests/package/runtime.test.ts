import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { startProxy, withoutProxy } from "../proxy";
import { projectId, settingsFor, startService } from "../service";

const dist = join(__dirname, "..", "..", "provider", "dist");

describe("the bundled runtime", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "clouddb-runtime-"));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** Copies of the files in a folder without node_modules. */
  const copied = (names: readonly string[]) => {
    mkdirSync(join(folder, "dist"));
    for (const name of names) copyFileSync(join(dist, name), join(folder, "dist", name));
    writeFileSync(join(folder, "package.json"), '{ "version": "0.0.0" }');
  };

  for (const { where, agent, isProxied } of [
    { where: "without a proxy", agent: "Agent.bundle.js", isProxied: false },
    { where: "behind a proxy", agent: "EnvHttpProxyAgent.bundle.js", isProxied: true },
  ]) {
    it(`holds all that a lookup needs ${where}, in two files, the second of which the first request loads`, async () => {
      copied(readdirSync(dist).filter((name) => name.endsWith(".bundle.js")));
      const [service, proxy] = [await startService(), await startProxy()];
      const text = `
        const { basename } = require("node:path");
        const { clusterConnectionStrings } = require("./dist/runtime.bundle.js");
        const loaded = () => Object.keys(require.cache).map((file) => basename(file));
        const before = loaded();
        const news = { projectId: "${projectId}", clusterName: "orders" };
        clusterConnectionStrings.check({}, news).then(({ inputs }) => {
          const { recommended } = inputs;
          console.log(JSON.stringify({ before, after: loaded(), recommended }));
        });
      `;
      const env = { ...withoutProxy(process.env), ...settingsFor(service) };
      const running = promisify(execFile)(process.execPath, ["-e", text], {
        cwd: folder,
        env: isProxied ? { ...env, HTTPS_PROXY: proxy.url } : env,
      });
      const { stdout } = await running.finally(async () => {
        await service.stop();
        proxy.stop();
      });
      const { before, after, recommended } = JSON.parse(stdout) as Record<string, unknown>;
      assert.deepEqual(before, ["runtime.bundle.js"]);
      assert.deepEqual(after, ["runtime.bundle.js", agent]);
      assert.match(String(recommended), /^db\+srv:\/\/orders\./);
      assert.equal(proxy.tunnels.length > 0, isProxied);
    });
  }
});
