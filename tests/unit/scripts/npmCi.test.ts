/** Tests how the dependencies are installed, with the real npm or a fake one on PATH. */
import assert from "node:assert/strict";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { temporaryFolder, useCleanup } from "../../cleanup";
import { startCommand } from "../../command";

const npmCi = resolve(__dirname, "../../../scripts/bootstrap/npmCi.mjs");

describe("installing the dependencies", function () {
  this.timeout(60_000);
  const cleanup = useCleanup("test");
  let folder: string;
  beforeEach(() => {
    folder = temporaryFolder(cleanup);
  });

  function install(env: NodeJS.ProcessEnv) {
    const script = `import { npmCi } from ${JSON.stringify(npmCi)};
    await npmCi(${JSON.stringify(folder)}).catch((error) => process.stdout.write(error.message));`;
    const args = ["--input-type=module", "--eval", script];
    return startCommand(cleanup, process.execPath, args, { env: { ...process.env, ...env } })
      .result;
  }

  /** Puts an npm on PATH that logs its arguments and workspace options, and then runs a shell script. */
  function fakeNpm(script: string) {
    writeFileSync(
      join(folder, "npm"),
      `#!/bin/sh
echo "$1 $(env | grep -c -e npm_config_workspace -e npm_config_dry_run)" >> npm.log
case "$*" in *--offline*) echo offline >> npm.log;; esac
${script}\n`,
    );
    chmodSync(join(folder, "npm"), 0o755);
    return { PATH: `${folder}:${process.env["PATH"] ?? ""}` };
  }
  const log = () => readFileSync(join(folder, "npm.log"), "utf8");

  it("fails within seconds with one message if the registry cannot be reached", async () => {
    const lock = {
      name: "empty",
      lockfileVersion: 3,
      packages: {
        "": { dependencies: { "no-such-package": "1.0.0" } },
        "node_modules/no-such-package": { version: "1.0.0", integrity: `sha512-${"a".repeat(88)}` },
      },
    };
    writeFileSync(join(folder, "package.json"), JSON.stringify(lock.packages[""]));
    writeFileSync(join(folder, "package-lock.json"), JSON.stringify(lock));
    const started = Date.now();
    const { stdout } = await install({
      npm_config_registry: "http://127.0.0.1:1",
      npm_config_cache: join(folder, "cache"),
      npm_config_noproxy: "127.0.0.1",
    });
    assert.match(
      stdout,
      /^Cannot install the dependencies: the package registry cannot be reached \(ECONNREFUSED\), and .*\nCheck the network .*$/,
    );
    // npm's own retries take more than a minute.
    assert.ok(Date.now() - started < 45_000);
  });

  it("installs from npm's cache if the registry cannot be reached", async () => {
    const env = fakeNpm('[ "$1" = ci ] || { echo "npm error code EAI_AGAIN" >&2; exit 1; }');
    assert.equal((await install(env)).stdout, "");
    assert.equal(log(), "ping 0\nci 0\noffline\n");
  });

  it("tries to install although the registry does not support pings", async () => {
    const env = fakeNpm('[ "$1" = ci ] || { echo "npm error code E404" >&2; exit 1; }');
    assert.equal((await install(env)).stdout, "");
    assert.equal(log(), "ping 0\nci 0\n");
  });

  it("reports npm's message if the install fails for another reason", async () => {
    const env = fakeNpm('[ "$1" = ping ] || { echo "npm error code EUSAGE" >&2; exit 1; }');
    assert.match((await install(env)).stdout, /^npm ci failed:\nnpm error code EUSAGE\n/);
  });

  it("ignores the options of an npm command that runs the build", async () => {
    const env = fakeNpm("");
    await install({ ...env, npm_config_workspace: "provider", npm_config_dry_run: "true" });
    assert.equal(log(), "ping 0\nci 0\n");
  });
});
