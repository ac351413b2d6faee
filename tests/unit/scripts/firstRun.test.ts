/** Tests what a first run installs and builds, with fake `npm`, `pulumi` and `go` executables on PATH. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import { rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

const root = resolve(__dirname, "../../..");
const minuteAgo = new Date(Date.now() - 60_000);
const pinned =
  /"version": "([^"]+)"/.exec(
    readFileSync(join(root, "node_modules/pulumi/package.json"), "utf8"),
  )?.[1] ?? "";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "first-run-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

describe("npm ci", () => {
  const log = () => readFileSync(join(folder, "npm.log"), "utf8");
  const putNpm = (script: string) => {
    putScript(join(folder, "npm"), `echo begin >> npm.log; ${script}; echo end >> npm.log`);
  };
  const succeeding = "sleep 0.5; mkdir -p node_modules; echo {} > node_modules/.package-lock.json";

  async function install(): Promise<{ code: number | null; stderr: string }> {
    const script = `import { installDependencies } from ${JSON.stringify(join(root, "scripts/firstRun/dependencies.mjs"))};
    import { command } from ${JSON.stringify(join(root, "scripts/terminal.mjs"))};
    await command("", async () => {
      await installDependencies(${JSON.stringify(folder)}, ${JSON.stringify(join(folder, "lock"))});
      return 0;
    });`;
    const env = { ...process.env, PATH: `${folder}:${process.env["PATH"] ?? ""}` };
    const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { env });
    let stderr = "";
    child.stderr.on("data", (data: Buffer) => (stderr += data.toString()));
    await once(child, "close");
    return { code: child.exitCode, stderr };
  }

  beforeEach(() => {
    writeFileSync(join(folder, "package-lock.json"), "{}");
    utimesSync(join(folder, "package-lock.json"), minuteAgo, minuteAgo);
  });

  it("runs once when two processes start at the same time", async () => {
    putNpm(succeeding);
    const results = await Promise.all([install(), install()]);
    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 0],
    );
    assert.equal(log(), "begin\nend\n");
    assert.equal(existsSync(join(folder, "lock")), false);
  });

  it("names the registry if it fails without a network", async () => {
    putNpm('echo "npm error code EAI_AGAIN" >&2; exit 1');
    const { code, stderr } = await install();
    assert.equal(code, 1);
    assert.match(stderr, /registry cannot be reached \(EAI_AGAIN\)/);
    assert.doesNotMatch(stderr, /^\s+at /m);
  });
});

describe("the Pulumi CLI", () => {
  const released = () => join(folder, "home", "versions", pinned, "bin");
  const caches = () => join(folder, "caches", "pulumi-clouddb");
  const searched = () => join(folder, "searched");
  const script = join(__dirname, "findCli.mjs");

  beforeEach(() => {
    mkdirSync(searched());
    // Only what the fakes and the scripts need, without the real pulumi and go.
    const { stdout } = spawnSync("/bin/sh", ["-c", "command -v sh"], { encoding: "utf8" });
    symlinkSync(stdout.trim(), join(searched(), "sh"));
    symlinkSync(process.execPath, join(searched(), "node"));
  });

  function find() {
    const NODE_OPTIONS = `--require ${JSON.stringify(join(__dirname, "noDownloads.cjs"))}`;
    const folders = { PULUMI_HOME: join(folder, "home"), XDG_CACHE_HOME: join(folder, "caches") };
    const env = { PATH: searched(), HOME: folder, ...folders, NODE_OPTIONS };
    return spawnSync(process.execPath, [script], { env, encoding: "utf8", timeout: 9000 });
  }

  it("on PATH is skipped if it is too old", () => {
    putCli(searched(), "3.215.9");
    putCli(released(), pinned);
    const { stdout, stderr } = find();
    assert.equal(stdout, released());
    assert.match(stderr, /its version is 3\.215\.9; 3\.216\.0 or later is required/);
  });

  it("is reported as missing, with what to install, if there is no Go", () => {
    const { status, stderr } = find();
    assert.equal(status, 1);
    assert.match(stderr, /go is not on PATH/);
    assert.match(stderr, /the Pulumi CLI .*: https:/);
    assert.match(stderr, /Go 1\.26 or later: https:/);
    assert.doesNotMatch(stderr, /^\s+at /m);
    assert.deepEqual(readdirSync(caches()), []);
  });
});

function putCli(bin: string, version: string) {
  for (const name of ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"]) {
    putScript(join(bin, name), `echo v${version}`);
  }
}

function putScript(file: string, body: string) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
}
