/** Tests where the Pulumi CLI comes from, with fake `pulumi` and `go` executables on PATH. */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { existsSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { waitUntil } from "../../waitUntil";

const root = resolve(__dirname, "../../..");
const pinned = pinnedVersion();

describe("the Pulumi CLI", () => {
  let folder: string;
  let home: string;
  let searched: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "cli-"));
    home = join(folder, "home");
    searched = join(folder, "searched");
    mkdirSync(searched);
    // Everything that the fakes and the tools need, without the real pulumi and go.
    for (const name of ["sh", "mkdir", "sleep", "cat"]) linkFromPath(name);
    symlinkSync(process.execPath, join(searched, "node"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it("is the one on PATH if it is recent enough", () => {
    putCli(searched, "3.216.0");
    assert.equal(find().stdout, searched);
  });

  it("on PATH is skipped if it is too old", () => {
    putCli(searched, "3.215.9");
    putCli(cached(), pinned);
    const { stdout, stderr } = find();
    assert.equal(stdout, cached());
    assert.match(stderr, /its version is 3\.215\.9; 3\.216\.0 or later is required/);
  });

  it("on PATH is skipped if it cannot run Node.js programs", () => {
    putCli(searched, pinned);
    rmSync(join(searched, "pulumi-language-nodejs"));
    putCli(cached(), pinned);
    const { stdout, stderr } = find();
    assert.equal(stdout, cached());
    assert.match(stderr, /pulumi-language-nodejs not found/);
  });

  it("on PATH is skipped if it cannot be executed", () => {
    putCli(searched, pinned);
    writeFileSync(join(searched, "pulumi"), "#!/no/such/interpreter\n");
    putCli(cached(), pinned);
    const { stdout, stderr } = find();
    assert.equal(stdout, cached());
    assert.match(stderr, /its version is unknown/);
  });

  it("is not npm's launcher, which `npm run` adds to PATH", () => {
    const bin = join(folder, "node_modules", ".bin");
    putCli(bin, pinned);
    putCli(cached(), pinned);
    assert.equal(find(`${bin}:${searched}`).stdout, cached());
  });

  it("is built from Go modules and cached if it cannot be downloaded", () => {
    putGo(`mkdir -p "$GOTMPDIR/work"; ${compile}`);
    const built = find();
    assert.equal(built.stdout, cached());
    assert.match(
      built.stderr,
      /cannot be downloaded \(fetch failed\); building it from Go modules/,
    );
    assert.match(built.stderr, /about 6 minutes/);
    assert.match(built.stderr, /This happens once/);
    assert.deepEqual(readdirSync(join(home, "versions")), [pinned]);

    const again = find();
    assert.equal(again.stdout, cached());
    assert.equal(again.stderr, "");
  });

  it("is rebuilt if the cached copy is incomplete", () => {
    putCli(cached(), pinned);
    rmSync(join(cached(), "pulumi-language-nodejs"));
    putGo(compile);
    assert.equal(find().stdout, cached());
    assert.ok(existsSync(join(cached(), "pulumi-language-nodejs")));
  });

  it("is reported as missing, with what to install, if it is not available", () => {
    const { status, stderr } = find();
    assert.equal(status, 1);
    assert.match(stderr, /go is not on PATH/);
    assert.match(stderr, /the Pulumi CLI .*: https:/);
    assert.match(stderr, /Go 1\.26 or later: https:/);
    assert.doesNotMatch(stderr, /^\s+at /m);
    assert.deepEqual(readdirSync(join(home, "versions")), []);
  });

  it("is not built if Go is too old", () => {
    putGo("exit 1", "go1.25.9");
    const { status, stderr } = find();
    assert.equal(status, 1);
    assert.match(stderr, /needs Go 1\.26 or later: the version of go on PATH is 1\.25/);
  });

  it("is not built if Go is too old for the module and may not download a newer toolchain", () => {
    putScript(
      join(searched, "go"),
      'echo "go: go.mod requires go >= 1.26 (running go 1.22)"; exit 1',
    );
    const { status, stderr } = find();
    assert.equal(status, 1);
    assert.match(stderr, /go env GOVERSION failed: go: go\.mod requires go >= 1\.26/);
    assert.doesNotMatch(stderr, /go is not on PATH/);
  });

  it("leaves nothing behind when the build fails, and prints Go's message", () => {
    putGo(`${compile}; case "$*" in *language-nodejs*) echo "no such host" >&2; exit 1;; esac`);
    const { status, stderr } = find();
    assert.equal(status, 1);
    assert.match(stderr, /go build of .*pulumi-language-nodejs failed:\nno such host/);
    assert.deepEqual(readdirSync(join(home, "versions")), []);
  });

  it("leaves nothing behind when the build is interrupted", async () => {
    putGo(`${compile}; echo building > "${folder}/building"; while :; do sleep 0.1; done`);
    const bootstrap = spawn(process.execPath, [script], { env: environment(searched) });
    await waitUntil("the build runs", () => existsSync(join(folder, "building")));
    const ended = new Promise((resolve) => bootstrap.once("exit", resolve));
    bootstrap.kill("SIGTERM");
    assert.equal(await ended, 143);
    assert.deepEqual(readdirSync(join(home, "versions")), []);
  });

  it("is built after a killed process left its lock and temporary folder behind", () => {
    const temporary = join(home, "versions", `.${pinned}.tmp`);
    mkdirSync(join(temporary, "bin"), { recursive: true });
    mkdirSync(`${temporary}.lock`);
    const minuteAgo = new Date(Date.now() - 60_000);
    utimesSync(`${temporary}.lock`, minuteAgo, minuteAgo);
    putGo(compile);
    assert.equal(find().stdout, cached());
    assert.deepEqual(readdirSync(join(home, "versions")), [pinned]);
  });

  it("has the same version whether it is downloaded or built", () => {
    const modules = readFileSync(join(root, "scripts/pulumi-cli/engine/go.mod"), "utf8");
    assert.match(modules, new RegExp(`github\\.com/pulumi/pulumi/pkg/v3 v${pinned}\\b`));
    assert.match(modules, new RegExp(`github\\.com/pulumi/pulumi/sdk/v3 v${pinned}\\b`));
  });

  const script = join(__dirname, "findCli.mjs");

  /** A fake `go build`: writes a script that prints the version to the path after -o. */
  const compile = `
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\\necho v${pinned}\\n' > "$2" && /bin/chmod +x "$2"`;

  function find(path = searched) {
    const options = { env: environment(path), encoding: "utf8", timeout: 9000 } as const;
    return spawnSync(process.execPath, [script], options);
  }

  function environment(path: string) {
    const NODE_OPTIONS = `--require ${JSON.stringify(join(__dirname, "noDownloads.cjs"))}`;
    return { PATH: path, HOME: folder, PULUMI_HOME: home, NODE_OPTIONS };
  }

  function cached() {
    return join(home, "versions", pinned, "bin");
  }

  function putCli(bin: string, version: string) {
    for (const name of ["pulumi", "pulumi-language-nodejs", "pulumi-resource-pulumi-nodejs"]) {
      putScript(join(bin, name), `echo v${version}`);
    }
  }

  function putGo(build: string, version = "go1.26.3") {
    const launcher = join(folder, "sdk", "nodejs", "dist", "pulumi-resource-pulumi-nodejs");
    putScript(launcher, "exit 0");
    putScript(
      join(searched, "go"),
      `case "$1" in
        env) echo ${version};;
        mod) echo '{ "Dir": "${join(folder, "sdk")}" }';;
        build) ${build};;
      esac`,
    );
  }

  function linkFromPath(name: string) {
    const { stdout } = spawnSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
    symlinkSync(stdout.trim(), join(searched, name));
  }
});

function putScript(file: string, body: string) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `#!/bin/sh\n${body}\n`);
  chmodSync(file, 0o755);
}

function pinnedVersion() {
  const manifest = readFileSync(join(root, "node_modules/pulumi/package.json"), "utf8");
  return /"version": "([^"]+)"/.exec(manifest)?.[1] ?? "";
}
