/** Tests which Pulumi CLI a first run finds, with a fake one on PATH. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, readdirSync, symlinkSync } from "node:fs";
import { writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { temporaryFolder, useCleanup } from "../../support/cleanup";

const root = resolve(__dirname, "../../..");
const pinned =
  /"version": "([^"]+)"/.exec(
    readFileSync(join(root, "node_modules/pulumi/package.json"), "utf8"),
  )?.[1] ?? "";

describe("the Pulumi CLI", () => {
  const cleanup = useCleanup("test");
  let folder: string;
  const released = () => join(folder, "home", "versions", pinned, "bin");
  const caches = () => join(folder, "caches", "pulumi-clouddb");
  const searched = () => join(folder, "searched");
  const script = join(__dirname, "findCli.mjs");

  beforeEach(() => {
    folder = temporaryFolder(cleanup);
    mkdirSync(searched());
    // Only the commands that the fakes and the scripts need, without the real pulumi and go.
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
