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
  const written = (file: string, time?: Date) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), "{}");
    if (time) utimesSync(join(folder, file), time, time);
  };
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
    written("package-lock.json", minuteAgo);
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

  it("does not run if node_modules is newer", async () => {
    putNpm(succeeding);
    written("node_modules/.package-lock.json");
    assert.equal((await install()).code, 0);
    assert.equal(existsSync(join(folder, "npm.log")), false);
  });

  for (const [reason, npmError, expected] of [
    ["without a network", "npm error code EAI_AGAIN", /registry cannot be reached \(EAI_AGAIN\)/],
    ["for another reason", "npm error code EUSAGE", /^npm ci failed:\nnpm error code EUSAGE$/m],
  ] as const) {
    it(`reports the cause if it fails ${reason}`, async () => {
      putNpm(`echo "${npmError}" >&2; exit 1`);
      const { code, stderr } = await install();
      assert.equal(code, 1);
      assert.match(stderr, expected);
      assert.doesNotMatch(stderr, /^\s+at /m);
    });
  }
});

describe("the Pulumi CLI", () => {
  const released = () => join(folder, "home", "versions", pinned, "bin");
  const caches = () => join(folder, "caches", "pulumi-clouddb");
  const built = () => join(caches(), `pulumi-${pinned}`, "bin");
  const searched = () => join(folder, "searched");
  const script = join(__dirname, "findCli.mjs");

  beforeEach(() => {
    mkdirSync(searched());
    // Everything that the fakes and the scripts need, without the real pulumi and go.
    for (const name of ["sh", "mkdir", "sleep", "cat"]) {
      const { stdout } = spawnSync("/bin/sh", ["-c", `command -v ${name}`], { encoding: "utf8" });
      symlinkSync(stdout.trim(), join(searched(), name));
    }
    symlinkSync(process.execPath, join(searched(), "node"));
  });

  /** A fake `go build`: writes a script that prints the version to the path after -o. */
  const compile = `
    while [ "$1" != -o ]; do shift; done
    printf '#!/bin/sh\\necho v${pinned}+pulumi-clouddb\\n' > "$2" && /bin/chmod +x "$2"`;

  function putGo(build: string, version = "go1.26.3") {
    const sources = join(folder, "sources");
    putScript(join(sources, "nodejs", "dist", "pulumi-resource-pulumi-nodejs"), "exit 0");
    putScript(
      join(searched(), "go"),
      `case "$1" in
        env) echo ${version};;
        mod) echo '"Dir": "${sources}"'; echo '"Dir": "${sources}"';;
        list) echo "a\t${sources}\tb.go";;
        build) ${build};;
      esac`,
    );
  }

  function environment(path = searched()) {
    const NODE_OPTIONS = `--require ${JSON.stringify(join(__dirname, "noDownloads.cjs"))}`;
    const folders = { PULUMI_HOME: join(folder, "home"), XDG_CACHE_HOME: join(folder, "caches") };
    return { PATH: path, HOME: folder, ...folders, NODE_OPTIONS };
  }

  function find(path?: string) {
    const options = { env: environment(path), encoding: "utf8", timeout: 9000 } as const;
    return spawnSync(process.execPath, [script], options);
  }

  it("is the one on PATH if it is recent enough", () => {
    putCli(searched(), "3.216.0");
    assert.equal(find().stdout, searched());
  });

  it("on PATH is skipped if it is too old", () => {
    putCli(searched(), "3.215.9");
    putCli(released(), pinned);
    const { stdout, stderr } = find();
    assert.equal(stdout, released());
    assert.match(stderr, /its version is 3\.215\.9; 3\.216\.0 or later is required/);
  });

  it("is built once if it cannot be downloaded, outside the folder of releases", () => {
    putGo(`mkdir -p "$GOTMPDIR/work"; ${compile}`);
    const first = find();
    assert.equal(first.stdout, built(), first.stderr);
    assert.match(
      first.stderr,
      /cannot be downloaded \(fetch failed\); building it from Go modules/,
    );
    assert.deepEqual(readdirSync(caches()), [`pulumi-${pinned}`]);
    assert.equal(existsSync(join(folder, "home")), false);

    const again = find();
    assert.equal(again.stdout, built());
    assert.equal(again.stderr, "");
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
