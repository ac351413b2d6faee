import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { skipOnWindows, sourceCommand, startCommand } from "../../support/command";
import { call, clustersPath } from "./client";
import { seedOf } from "./seeds";

const cleanup = useCleanup("test");
let folder: string;
let seed: string;

beforeEach(() => {
  folder = temporaryFolder(cleanup);
  // With a byte order mark, as some editors of Windows write it.
  seed = file(
    "seed.json",
    `\ufeff${JSON.stringify(seedOf([{ name: "orders", version: "6.0.5" }]))}`,
  );
});

/** Writes a file, and returns its path. */
function file(name: string, text: string | Buffer): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

const cli = sourceCommand("simulator");

describe("the command", function () {
  this.timeout(60_000);
  skipOnWindows();
  const command = (...args: string[]) => startCommand(cleanup, process.execPath, [...cli, ...args]);

  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    it(`prints one line of JSON when ready, and stops cleanly on ${signal}`, async () => {
      const { firstLine, kill, result } = command("--seed", seed, "--dns-port", "0");
      const { url, caFile, dns } = JSON.parse(await firstLine()) as Record<string, string>;
      const service = { url: String(url), ca: readFileSync(String(caFile), "utf8") };
      assert.equal((await call(service, clustersPath)).status, 200);
      assert.ok(dns);
      kill(signal);
      // A shell and a supervisor may both stop it.
      kill(signal === "SIGTERM" ? "SIGINT" : "SIGTERM");
      const { code, stdout, stderr } = await result;
      assert.deepEqual([code, stderr, stdout.trim().split("\n").length], [0, "", 1]);
      assert.ok(!existsSync(dirname(String(caFile))), "the folder of the certificate is deleted");
    });
  }

  it("prints address, credentials and a hint to the page on standard error if that is a terminal", async () => {
    const secret = file("secret.json", readFileSync(seed, "utf8").replace("-secret", "\\u001b[2J"));
    const isTerminal = "Object.assign(process.stderr, { isTTY: true, getColorDepth: () => 1 });";
    const preloaded = ["--require", file("terminal.cjs", isTerminal)];
    const args = [...preloaded, ...cli, "--seed", secret];
    const { firstLine, kill, result } = startCommand(cleanup, process.execPath, args);
    const line = await firstLine();
    const { url, caFile } = JSON.parse(line) as Record<string, string>;
    kill("SIGTERM");
    const { stdout, stderr } = await result;
    assert.equal(stdout, `${line}\n`);
    assert.deepEqual(stderr.split("\n").slice(0, 6), [
      "The simulator is running. Ctrl-C stops it.",
      `  Base URL        ${url}`,
      `  CA certificate  ${caFile}`,
      "  Public key      demo",
      "  Private key     demo\\u{1b}[2J",
      "Open the base URL in a browser. The page shows the projects, the requests, and the commands that",
    ]);
  });

  describe("exec", () => {
    /** Runs a shell script with `exec`, with the variables of another service and of its credentials. */
    function exec(script: string, options: string[] = [], input = "") {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [...cli, "exec", ...options, "--", "sh", "-c", script],
        { input, encoding: "utf8", env: { ...process.env, ...foreign } },
      );
      return { status, stdout, stderr };
    }
    const foreign = {
      CLOUDDB_BASE_URL: "https://real.example",
      CLOUDDB_PRIVATE_KEY: "real-secret",
      HTTPS_PROXY: "http://proxy.example",
      no_proxy: "internal.example",
    };
    const variables = 'env | grep -iE "^(CLOUDDB_|no_proxy)" | sort';

    it("passes input, output and the exit code through, and removes the certificate", () => {
      const script =
        'cat; echo "$CLOUDDB_CA_FILE"; test -s "$CLOUDDB_CA_FILE" || exit 9; echo no >&2; exit 7';
      const { status, stdout, stderr } = exec(script, [], "yes\n");
      const [input, caFile = ""] = stdout.split("\n");
      assert.deepEqual([status, input, stderr], [7, "yes", "no\n"]);
      assert.match(caFile, /ca\.pem$/);
      assert.ok(!existsSync(dirname(caFile)));
    });

    it("sets address, certificate and credentials, and no variable of another service", () => {
      const names = (text: string) =>
        text
          .replace(/=https:\/\/127\.0\.0\.1:\d+$|=.*ca\.pem$/gm, "")
          .trim()
          .split("\n");
      assert.deepEqual(names(exec(variables).stdout), [
        "CLOUDDB_BASE_URL",
        "CLOUDDB_CA_FILE",
        "CLOUDDB_CLIENT_ID=svc_demo",
        "CLOUDDB_CLIENT_SECRET=svc-secret",
        "NO_PROXY=internal.example,127.0.0.1",
        "no_proxy=internal.example,127.0.0.1",
      ]);
      const options = ["--seed", seed, "--api-path", "/api/x", "--field-prefix", "x"];
      assert.deepEqual(names(exec(variables, options).stdout).slice(0, -2), [
        "CLOUDDB_API_PATH=/api/x",
        "CLOUDDB_BASE_URL",
        "CLOUDDB_CA_FILE",
        "CLOUDDB_FIELD_PREFIX=x",
        "CLOUDDB_PRIVATE_KEY=demo-secret",
        "CLOUDDB_PUBLIC_KEY=demo",
      ]);
      const atlas = names(exec(variables, ["--profile", "atlas", "--count-field", "total"]).stdout);
      assert.deepEqual(atlas.slice(4, -2), ["CLOUDDB_COUNT_FIELD=total", "CLOUDDB_PROFILE=atlas"]);
    });

    const loop = "echo started; while :; do sleep 0.1; done";
    for (const [signal, script, expected] of [
      [
        "SIGTERM",
        `trap 'echo ended; exit 5' TERM; ${loop}`,
        { code: 5, stdout: "started\nended\n" },
      ],
      ["SIGTERM", loop, { code: 143, stdout: "started\n" }],
      ["SIGINT", loop, { code: 130, stdout: "started\n" }],
      ["SIGHUP", loop, { code: 129, stdout: "started\n" }],
    ] as const) {
      it(`passes ${signal} through, and exits with ${expected.code} as the command does`, async () => {
        const { firstLine, kill, result } = command("exec", "--", "sh", "-c", script);
        await firstLine();
        kill(signal);
        assert.deepEqual(await result, { ...expected, stderr: "" });
      });
    }
  });

  it("prints its version, and errors without a stack trace", async () => {
    const { port } = await new Promise<{ port: number }>((resolve) => {
      const holder = createServer().listen(0, "127.0.0.1", () => {
        resolve(holder.address() as { port: number });
      });
      cleanup(() => holder.close());
    });
    const inUse = /EADDRINUSE.*\nStop the other process or choose another port/;
    const damaged = file("damaged.json", "{}");
    const secret = file("secret.json", '{"privateKey": s3cret}');
    const utf16 = file("utf16.json", Buffer.from("\ufeff{}", "utf16le"));
    const wrong = file("wrong.json", '{"projects":[{"id":"x"}]}');
    const cases: [string[], number, RegExp][] = [
      [["--sed", seed], 2, /: Unknown option '--sed'\nSee clouddb-simulator --help/],
      [["--fixture", "none"], 2, /no fixture 'none'\nSee /],
      [["--fixture", "plain", "--seed", seed], 2, /'--fixture' cannot be combined with '--seed'/],
      [["exec", "--fixture", "plain"], 2, /exec needs a command\nSee /],
      [["--port", "x"], 1, /expected number, received NaN\n.* at port\n/],
      [["exec", "--", join(folder, "none")], 1, /none" cannot be started: .*ENOENT/],
      [["--seed", join(folder, "none.json")], 1, /cannot be read.*none\.json/],
      [
        ["--seed", secret],
        1,
        /^(?!.*s3cret).*secret\.json cannot be read: it is not valid JSON\n$/,
      ],
      [["--seed", utf16], 1, /utf16\.json cannot be read: it is not UTF-8\. .* UTF-16\n$/],
      [["--seed", wrong], 1, /The seed is not valid:\n.* must be 24 .*\n.* at projects\[0\]\.id\n/],
      [["--state", damaged], 1, /was not changed/],
      [["--port", String(port)], 1, inUse],
    ];
    const results = cases.map(async ([args, expected, message]) => {
      const { code, stdout, stderr } = await command(...args).result;
      assert.deepEqual([code, stdout], [expected, ""], `${args.join(" ")}: ${stderr}`);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n\s+at /);
    });
    await Promise.all(results);
    assert.match((await command("--version").result).stdout, /^\d+\.\d+\.\d+\n$/);
  });

  it("prints a help that names each option with its default, in lines of at most 110 characters", async () => {
    const { stdout } = await command("--help").result;
    assert.match(stdout, /^ {2}--port <number> +HTTPS port \(default: a free port\)$/m);
    assert.match(
      stdout,
      /^ {2}--control +serve \/control, and let the page change projects and clusters$/m,
    );
    assert.match(stdout, /^Fixtures: demo, plain, /m);
    assert.deepEqual(
      stdout.split("\n").filter((line) => line.length > 110),
      [],
    );
  });
});
