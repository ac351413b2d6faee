// Where the Pulumi CLI comes from, with stand-ins for `pulumi` and `go` on a PATH of the test's own.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

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
    // All that the stand-ins and the tools need, and nothing else: no other pulumi, no go.
    for (const name of ["sh", "mkdir", "sleep", "cat"]) linkFromPath(name);
    symlinkSync(process.execPath, join(searched, "node"));
  });

  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it("is the one on PATH, if it is new enough", () => {
    putCli(searched, "3.216.0");
    assert.equal(find().stdout, searched);
  });

  it("on PATH is passed over if it is too old", () => {
    putCli(searched, "3.215.9");
    putCli(cached(), pinned);
    const { stdout, stderr } = find();
    assert.equal(stdout, cached());
    assert.match(stderr, /it is 3\.215\.9, and 3\.216\.0 or later is needed/);
  });

  it("on PATH is passed over if it cannot run Node programs", () => {
    putCli(searched, pinned);
    rmSync(join(searched, "pulumi-language-nodejs"));
    putCli(cached(), pinned);
    const { stdout, stderr } = find();
    assert.equal(stdout, cached());
    assert.match(stderr, /pulumi-language-nodejs not found/);
  });

  it("is not npm's launcher, which `npm run` puts on PATH", () => {
    const bin = join(folder, "node_modules", ".bin");
    putCli(bin, pinned);
    putCli(cached(), pinned);
    assert.equal(find(`${bin}:${searched}`).stdout, cached());
  });

  it("is built from Go modules where it cannot be downloaded, and is then found in the cache", () => {
    putGo(`mkdir -p "$GOTMPDIR/work"; ${compile}`);
    const built = find();
    assert.equal(built.stdout, cached());
    assert.match(built.stderr, /cannot be downloaded \(fetch failed\).*built from Go modules/);
    assert.match(built.stderr, /about 6 minutes/);
    assert.match(built.stderr, /This happens once/);
    assert.deepEqual(readdirSync(join(home, "versions")), [pinned]);

    const again = find();
    assert.equal(again.stdout, cached());
    assert.equal(again.stderr, "");
  });

  it("is made anew if the cache lacks a part of it", () => {
    putCli(cached(), pinned);
    rmSync(join(cached(), "pulumi-language-nodejs"));
    putGo(compile);
    assert.equal(find().stdout, cached());
    assert.ok(existsSync(join(cached(), "pulumi-language-nodejs")));
  });

  it("that cannot be had from here is one message that says what to install", () => {
    const { status, stderr } = find();
    assert.equal(status, 1);
    assert.match(stderr, /there is no go on PATH/);
    assert.match(stderr, /the Pulumi CLI .*: https:/);
    assert.match(stderr, /Go 1\.26 or later: https:/);
    assert.doesNotMatch(stderr, /^\s+at /m);
    assert.deepEqual(readdirSync(join(home, "versions")), []);
  });

  it("is not built with a Go that is too old", () => {
    putGo("exit 1", "go1.25.9");
    const { status, stderr } = find();
    assert.equal(status, 1);
    assert.match(stderr, /needs Go 1\.26 or later: go here is 1\.25/);
  });

  it("of a build that fails leaves nothing behind, and Go's own words are shown", () => {
    putGo(`${compile}; case "$*" in *language-nodejs*) echo "no such host" >&2; exit 1;; esac`);
    const { status, stderr } = find();
    assert.equal(status, 1);
    assert.match(stderr, /go build of .*pulumi-language-nodejs failed:\nno such host/);
    assert.deepEqual(readdirSync(join(home, "versions")), []);
  });

  it("of a build that is interrupted leaves nothing behind", async () => {
    putGo(`${compile}; echo building > "${folder}/building"; while :; do sleep 0.1; done`);
    const bootstrap = spawn(process.execPath, [script], { env: environment(searched) });
    await until(() => existsSync(join(folder, "building")));
    const ended = new Promise((resolve) => bootstrap.once("exit", resolve));
    bootstrap.kill("SIGTERM");
    assert.equal(await ended, 143);
    assert.deepEqual(readdirSync(join(home, "versions")), []);
  });

  it("is made after what a killed bootstrap left behind is removed", () => {
    const { pid } = spawnSync(process.execPath, ["-e", ""]);
    mkdirSync(join(home, "versions", `.${pinned}.making-${pid}`, "bin"), { recursive: true });
    writeFileSync(join(home, "versions", `.${pinned}.lock`), String(pid));
    putGo(compile);
    assert.equal(find().stdout, cached());
    assert.deepEqual(readdirSync(join(home, "versions")), [pinned]);
  });

  it("is the same version whether it is downloaded or built", () => {
    const modules = readFileSync(join(root, "tools/pulumi-cli/engine/go.mod"), "utf8");
    assert.match(modules, new RegExp(`github\\.com/pulumi/pulumi/pkg/v3 v${pinned}\\b`));
    assert.match(modules, new RegExp(`github\\.com/pulumi/pulumi/sdk/v3 v${pinned}\\b`));
  });

  const script = join(__dirname, "findCli.mjs");

  /** A `go build` in a shell script: what it writes to the path after -o answers `version`. */
  const compile = `
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\\necho v${pinned}\\n' > "$2" && /bin/chmod +x "$2"`;

  function find(path = searched) {
    const options = { env: environment(path), encoding: "utf8", timeout: 9000 } as const;
    return spawnSync(process.execPath, [script], options);
  }

  function environment(path: string) {
    const NODE_OPTIONS = `--require ${join(__dirname, "noDownloads.cjs")}`;
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

async function until(condition: () => boolean) {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
}

function pinnedVersion() {
  const manifest = readFileSync(join(root, "node_modules/pulumi/package.json"), "utf8");
  return /"version": "([^"]+)"/.exec(manifest)?.[1] ?? "";
}
