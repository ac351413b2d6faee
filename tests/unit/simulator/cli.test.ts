import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { SeedError, startSimulator } from "../../../simulator/src";
import {
  UsageError,
  fixtureList,
  withFlagNames,
  readArguments,
  toOptions,
  usage,
} from "../../../simulator/src/arguments";
import { fixtures } from "../../../simulator/src/fixtures";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import { sourceCommand, startCommand } from "../../support/command";
import { waitUntil } from "../../support/waitUntil";
import { call, clustersPath } from "./client";
import { seedOf } from "./seeds";

const cleanup = useCleanup("test");
let folder: string;
let seed: string;

beforeEach(() => {
  folder = temporaryFolder(cleanup);
  seed = file("seed.json", JSON.stringify(seedOf([{ name: "orders", version: "6.0.5" }])));
});

/** Writes a file, and returns its path. */
function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
}

describe("the arguments of the command", () => {
  const parsed = (...args: string[]) => toOptions(readArguments(args));

  it("set the options of the library", async () => {
    const addresses = ["--port", "1", "--host", "::1", "--http-port", "0", "--dns-port", "2"];
    const paths = ["--api-path", "/a", "--token-path", "/t", "--revoke-path", "/r"];
    const names = ["--field-prefix", "x", "--scheme", "y", "--domain", "z", "--state", "s.json"];
    const limits = ["--token-requests-per-minute", "2", "--requests-per-minute", "none"];
    const others = ["--tokens-per-account", "none", "--creation-seconds", "0.5", "--control"];
    const dates = ["--versions", "2023-01-01,2024-01-01", "--ended-versions", "2023-01-01"];
    const all = [...addresses, ...paths, ...names, ...limits, ...others, ...dates];
    assert.deepEqual(await parsed("--seed", seed, ...all), {
      seed: JSON.parse(readFileSync(seed, "utf8")) as unknown,
      port: 1,
      host: "::1",
      httpPort: 0,
      dns: { internetPort: 2 },
      apiPath: "/a",
      tokenPath: "/t",
      revokePath: "/r",
      fieldPrefix: "x",
      scheme: "y",
      domain: "z",
      stateFile: "s.json",
      tokenRequestsPerMinute: 2,
      requestsPerMinute: Infinity,
      tokensPerAccount: Infinity,
      creationSeconds: 0.5,
      control: true,
      versions: { dates: ["2023-01-01", "2024-01-01"], ended: ["2023-01-01"] },
    });
    assert.deepEqual(await parsed(), { seed: fixtures.demo });
  });

  it("select a fixture, or a seed in YAML", async () => {
    assert.equal((await parsed("--fixture", "legacy")).seed, fixtures.legacy);
    const text = "# JSON has no comments.\nprojects:\n  - &first { name: from-yaml }\n";
    const fromYaml = await parsed("--seed", file("seed.yaml", text));
    assert.deepEqual(fromYaml.seed, { projects: [{ name: "from-yaml" }] });
    assert.match(fixtureList(), /^demo +4 clusters, private IP mode on\n/);
    assert.match(usage, /^Usage: clouddb-simulator \[options\]/);
  });

  it("are rejected if they are invalid or name an unreadable seed", async () => {
    const json = file("broken.json", "{");
    const secret = file("secret.json", '{"privateKey": s3cret}');
    const yaml = file("broken.yaml", "projects: []\norganizations: [\n");
    const alias = file("alias.yaml", "privateKey: *s3cret\n");
    const block = file("block.yaml", "privateKey: |s3cret\n");
    const cases: [string[], RegExp][] = [
      [["--seed", alias], /^(?!.*s3cret).*alias\.yaml is not valid YAML: an alias has no anchor/],
      [["--seed", block], /^(?!.*s3cret).*is not valid YAML: unexpected token \(line 1, column/],
      [["--fixture", "none"], /no fixture "none"\. Fixtures: demo, plain, /],
      [["--fixture", "plain", "--seed", seed], /--seed and --fixture cannot be used together/],
      [["--seed", yaml], /broken\.yaml is not valid YAML: .*\(line \d+, column \d+\)/],
      [["--seed", join(folder, "none.json")], /cannot be read.*none\.json/],
      [["--seed", json], /broken\.json is not valid JSON at position \d+; see/],
      [
        ["--seed", secret],
        /^--seed: The seed \S+ is not valid JSON; see clouddb-simulator --help$/,
      ],
      [["--port", "x"], /--port must be a number/],
      [["--ended-versions", "2023-01-01"], /requires --versions/],
    ];
    for (const [args, message] of cases) {
      await assert.rejects(
        async () => parsed(...args),
        (error) => error instanceof UsageError && message.test(error.message),
        args.join(" "),
      );
    }
  });

  it("are named in the errors of the library", async () => {
    const invalidSeed =
      /--seed .*wrong\.\w+: The seed is not valid:\n {2}projects\[0\]\.id: must be 24/;
    const cases: [string[], RegExp][] = [
      [["--seed", file("wrong.json", '{"projects":[{"id":"x"}]}')], invalidSeed],
      [["--seed", file("wrong.yml", "projects:\n  - id: x\n")], invalidSeed],
      [["--port", "99999"], /^--port: must be at most 65535; see clouddb-simulator --help$/],
      [["--versions", "2023"], /^--versions\[0\]: must be a date/],
    ];
    for (const [args, message] of cases) {
      await assert.rejects(
        startSimulator(await parsed(...args)),
        (error) =>
          error instanceof SeedError && message.test(withFlagNames(error, args[1] ?? "").message),
        args.join(" "),
      );
    }
  });
});

const cli = sourceCommand("simulator");
/** Starts the command in a shell. */
const inShell = [process.execPath, ...cli].map((each) => `'${each}'`).join(" ");

describe("the command", function () {
  this.timeout(60_000);
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
      const dates = ["--versions", "2023-01-01,2024-01-01", "--ended-versions", "2024-01-01"];
      assert.deepEqual(names(exec(variables, [...options, ...dates]).stdout).slice(0, -2), [
        "CLOUDDB_API_PATH=/api/x",
        "CLOUDDB_BASE_URL",
        "CLOUDDB_CA_FILE",
        "CLOUDDB_FIELD_PREFIX=x",
        "CLOUDDB_MEDIA_TYPE=application/vnd.clouddb.2023-01-01+json",
        "CLOUDDB_PRIVATE_KEY=demo-secret",
        "CLOUDDB_PUBLIC_KEY=demo",
      ]);
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

  it("runs the .cmd file of a command with exec on Windows, through a shell and with escaped arguments", () => {
    file("npm.cmd", "");
    const comspec = file("cmd.exe", '#!/bin/sh\nprintf "%s\\n" "$@"\n');
    chmodSync(comspec, 0o755);
    const onWindows =
      'data:text/javascript,Object.defineProperty(process,"platform",{value:"win32"})';
    const bin = join(__dirname, "../../../simulator/bin/clouddb-simulator.js");
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ["--import", onWindows, bin, "exec", "--", "npm", "test", "a & b"],
      { encoding: "utf8", env: { PATH: folder, PATHEXT: ".CMD", TEMP: folder, comspec } },
    );
    assert.equal(stdout, '/d\n/s\n/c\n"npm ^"test^" ^"a^ ^&^ b^""\n', stderr);
  });

  it("prints variables for eval with --print-env, and runs until it is stopped", async () => {
    const secret = 'it\'s $HOME `x` "y"';
    const odd = JSON.parse(readFileSync(seed, "utf8")) as ReturnType<typeof seedOf>;
    for (const { apiKeys = [] } of odd.organizations ?? []) {
      for (const apiKey of apiKeys) apiKey.privateKey = secret;
    }
    writeFileSync(seed, JSON.stringify(odd));
    const script = `eval "$(${inShell} --seed '${seed}' --print-env &)" &&
      printf '%s\\n' "$CLOUDDB_PRIVATE_KEY" "\${CLOUDDB_CLIENT_ID-unset}" "$CLOUDDB_SIMULATOR_PID" "$CLOUDDB_CA_FILE" &&
      kill -0 "$CLOUDDB_SIMULATOR_PID" && kill "$CLOUDDB_SIMULATOR_PID"`;
    const env = { ...process.env, CLOUDDB_CLIENT_ID: "real" };
    const output = execFileSync("sh", ["-c", script], { encoding: "utf8", env });
    const [key, client, , caFile = ""] = output.split("\n");
    assert.deepEqual([key, client], [secret, "unset"]);
    await waitUntil("the simulator removed its certificate", () =>
      Promise.resolve(!existsSync(dirname(caFile))),
    );
    const failing = script.replace("--print-env", "--print-env --port x");
    assert.equal(spawnSync("sh", ["-c", failing]).status, 1);
  });

  it("refuses a state file that another simulator uses, until that one is stopped or killed", async () => {
    const state = join(folder, "state.json");
    const { firstLine, kill, result } = command("--state", state);
    await firstLine();
    const second = await command("exec", "--state", state, "--", "true").result;
    assert.equal(second.code, 1);
    assert.match(
      second.stderr,
      /state\.json is in use by another simulator \(process \d+\)\.\nStop/,
    );
    kill("SIGKILL");
    await result;
    assert.equal((await command("exec", "--state", state, "--", "true").result).code, 0);
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
    const usageError = (problem: string) =>
      new RegExp(`^clouddb-simulator: ${problem}; see clouddb-simulator --help\n$`);
    const cases: [string[], number, RegExp][] = [
      [["--sed", seed], 2, usageError("Unknown option '--sed'")],
      [["--port", "-1"], 2, usageError("Option '--port' argument is ambiguous\\. .*'--port=-XYZ'")],
      [["exec", "--fixture", "plain"], 2, usageError("exec requires -- and a command.*")],
      [["exec", "--", join(folder, "none")], 1, /none" cannot be started: .*ENOENT/],
      [["--versions", "2023"], 2, usageError("--versions\\[0\\]: must be a date, .*")],
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
});
