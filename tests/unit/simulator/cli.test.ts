import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { sourceCommand } from "../../command";
import { waitUntil } from "../../waitUntil";
import { type Response, type Service, call, clustersPath, json, projectId, send } from "./client";
import { seedOf } from "./seeds";

const cli = sourceCommand("simulator");
/** Starts the command in a shell. */
const inShell = [process.execPath, ...cli].map((each) => `'${each}'`).join(" ");

interface Ended {
  code: number | null;
  output: string;
  errors: string;
}

/** What the command prints when it is ready. */
interface Ready {
  readonly url: string;
  readonly caFile: string;
  readonly dns?: { readonly internet: string };
}

describe("the command", function () {
  this.timeout(60_000);
  let folder: string;
  let seed: string;
  const children: ChildProcess[] = [];
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "command-"));
    seed = join(folder, "seed.json");
    writeFileSync(seed, JSON.stringify(seedOf([{ name: "orders", version: "6.0.5" }])));
  });
  afterEach(() => {
    for (const child of children.splice(0)) if (child.exitCode === null) child.kill("SIGKILL");
    rmSync(folder, { recursive: true });
  });

  /** Starts the command; `ready` resolves to its output line, `ended` to its exit code and output. */
  function command(...args: string[]) {
    const child = spawn(process.execPath, [...cli, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    let output = "";
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    const ready = new Promise<Ready>((resolve, reject) => {
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (output.startsWith("{") && output.includes("\n")) resolve(JSON.parse(output) as Ready);
      });
      child.on("exit", () => {
        reject(new Error(`ended before it was ready: ${errors}`));
      });
    });
    ready.catch(() => undefined);
    const ended = new Promise<Ended>((resolve) => {
      child.on("close", (code) => {
        resolve({ code, output, errors });
      });
    });
    return { child, ready, ended };
  }

  const headers = { "content-type": "application/json" };
  const post = (service: Service, path: string, value: unknown) =>
    send(service, `/control/${path}`, { method: "POST", headers, body: JSON.stringify(value) });

  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it(`prints one line of JSON when ready, and stops cleanly on ${signal}`, async () => {
      const { child, ready, ended } = command("--seed", seed, "--port", "0");
      const { url, caFile } = await ready;
      const service = { url, ca: readFileSync(caFile, "utf8") };
      assert.equal((await call(service, clustersPath)).status, 200);
      child.kill(signal);
      const { code, output, errors } = await ended;
      assert.equal(code, 0);
      assert.equal(errors, "");
      assert.equal(output.trim().split("\n").length, 1);
      assert.ok(!existsSync(dirname(caFile)), "the folder of the certificate is deleted");
    });
  }

  it("uses the configured names, and keeps its state in the file of --state", async () => {
    const state = join(folder, "state.json");
    const ca = join(folder, "ca.pem");
    const args = ["--api-path", "/api/other/v1", "--field-prefix", "x", "--scheme", "x"];
    const run = async (use: (service: Service) => Promise<Response>) => {
      const { child, ready, ended } = command(
        "--seed",
        seed,
        "--state",
        state,
        "--ca-out",
        ca,
        ...args,
      );
      const { url, caFile } = await ready;
      assert.equal(caFile, ca);
      const response = await use({ url, ca: readFileSync(ca, "utf8"), apiPath: "/api/other/v1" });
      child.kill();
      assert.equal((await ended).code, 0);
      return response;
    };
    const cluster = `${clustersPath}/orders`;
    const changed = await run((service) =>
      call(service, cluster, { method: "PATCH", json: { xVersion: "8.0.0" } }),
    );
    assert.equal(changed.status, 200);
    const seen = json<Record<string, unknown>>(await run((service) => call(service, cluster)));
    assert.equal(seen.xVersion, "8.0.0");
  });

  it("serves /control only with --control", async () => {
    const withoutControl = command("--seed", seed);
    let { url, caFile } = await withoutControl.ready;
    assert.equal((await post({ url, ca: readFileSync(caFile, "utf8") }, "reset", {})).status, 404);
    const withControl = command("--seed", seed, "--control", "--creation-seconds", "60");
    ({ url, caFile } = await withControl.ready);
    const service = { url, ca: readFileSync(caFile, "utf8") };
    await post(service, "faults", [{ pathPattern: "clusters$", status: 503, times: 2 }]);
    assert.equal((await call(service, clustersPath)).status, 503);
    assert.equal((await call(service, clustersPath)).status, 200);
    await call(service, clustersPath, { method: "POST", json: { name: "new" } });
    await post(service, "clock", { advanceSeconds: 61 });
    const created = await call(service, `${clustersPath}/new`);
    assert.equal(json<{ stateName: string }>(created).stateName, "IDLE");
    const { requests } = json<{ requests: unknown[] }>(await send(service, "/control/requests"));
    assert.ok(requests.length > 5);
    assert.equal((await post(service, "reset", {})).status, 200);
    assert.equal((await call(service, `${clustersPath}/new`)).status, 404);
    assert.equal((await post(service, "faults", [{ status: 1 }])).status, 400);
    assert.equal((await post(service, "faults", [{ pathPattern: "(" }])).status, 400);
  });

  it("starts with the fixture demo, the fixture of --fixture, or a seed in YAML", async () => {
    const yaml = join(folder, "seed.yaml");
    writeFileSync(
      yaml,
      `# JSON has no comments.
organizations:
  - name: acme
    apiKeys: [{ publicKey: demo, privateKey: demo-secret, roles: [{ role: owner }] }]
projects:
  - id: ${projectId}
    name: orders
    organization: acme
    clusters:
      - &first { name: from-yaml, version: 7.0.12, createdAt: 2024-05-01 }
`,
    );
    const namesWith = async (...args: string[]) => {
      const { url, caFile } = await command(...args).ready;
      const service = { url, ca: readFileSync(caFile, "utf8") };
      const { results } = json<{ results: { name: string }[] }>(await call(service, clustersPath));
      return results.map(({ name }) => name);
    };
    assert.deepEqual(await namesWith(), ["orders", "analytics", "billing", "sessions"]);
    assert.deepEqual(await namesWith("--fixture", "legacy"), ["billing"]);
    assert.deepEqual(await namesWith("--seed", yaml), ["from-yaml"]);
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

    it("lets capture write a seed of the simulator", () => {
      const capture = `${inShell} capture --project ${projectId}`;
      const { status, stdout, stderr } = exec(capture, ["--fixture", "legacy"]);
      assert.deepEqual([status, stderr], [0, ""]);
      const { projects } = JSON.parse(stdout) as { projects: { clusters: object[] }[] };
      assert.equal(projects[0]?.clusters.length, 1);
      const missing = exec(capture.replace(projectId, "none"));
      assert.equal(missing.status, 1);
      assert.match(missing.stderr, /GET .*\/groups\/none failed with status 404 GROUP_NOT_FOUND/);
    });

    for (const [signal, code] of [
      ["SIGTERM", 143],
      ["SIGINT", 130],
    ] as const) {
      it(`passes ${signal} through, and waits for the command`, async () => {
        const handled = `trap 'echo ended; exit 5' ${signal.slice(3)}`;
        const loop = "echo started; while :; do sleep 0.1; done";
        for (const [script, expected] of [
          [`${handled}; ${loop}`, { code: 5, output: "started\nended\n", errors: "" }],
          [loop, { code, output: "started\n", errors: "" }],
        ] as const) {
          const { child, ended } = command("exec", "--", "sh", "-c", script);
          await once(child.stdout, "data");
          child.kill(signal);
          assert.deepEqual(await ended, expected);
        }
      });
    }
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

  it("prints its version for --version and its options for --help, and its fixtures", () => {
    const outputOf = (option: string) =>
      execFileSync(process.execPath, [...cli, option], { encoding: "utf8" });
    assert.match(outputOf("--version"), /^\d+\.\d+\.\d+\n$/);
    assert.match(outputOf("--list-fixtures"), /^demo +4 clusters, private IP mode on\n/);
    assert.match(outputOf("--help"), /^Usage: clouddb-simulator \[options\]/);
  });

  it("reports invalid arguments and files without a stack trace", async () => {
    writeFileSync(join(folder, "broken.json"), "{");
    writeFileSync(join(folder, "wrong.json"), '{"projects":[{"id":"x"}]}');
    writeFileSync(join(folder, "damaged.json"), "{}");
    writeFileSync(join(folder, "broken.yaml"), "projects: []\norganizations: [\n");
    writeFileSync(join(folder, "wrong.yml"), "projects:\n  - id: x\n");
    const cases: [string[], number, RegExp][] = [
      [["--fixture", "none"], 2, /no fixture "none"\. Fixtures: demo, plain, /],
      [["--fixture", "plain", "--seed", seed], 2, /--seed and --fixture cannot be used together/],
      [["exec", "--fixture", "plain"], 2, /exec requires -- and a command/],
      [["exec", "--", join(folder, "none")], 1, /none" cannot be started: .*ENOENT/],
      [
        ["--seed", join(folder, "broken.yaml")],
        2,
        /broken\.yaml is not valid YAML: .*\(line \d+, column \d+\)/,
      ],
      [
        ["--seed", join(folder, "wrong.yml")],
        1,
        /--seed .*wrong\.yml: The seed is not valid:\n {2}projects\[0\]\.id: must be 24/,
      ],
      [["--sed", seed], 2, /--sed/],
      [["--seed", join(folder, "none.json")], 2, /cannot be read.*none\.json/],
      [["--seed", join(folder, "broken.json")], 2, /not valid JSON/],
      [
        ["--seed", join(folder, "wrong.json")],
        1,
        /--seed .*wrong\.json: The seed is not valid:\n {2}projects\[0\]\.id: must be 24/,
      ],
      [["--seed", seed, "--port", "x"], 2, /--port must be a number/],
      [["--seed", seed, "--port", "99999"], 1, /\n {2}--port: must be at most 65535/],
      [["--seed", seed, "--versions", "2023"], 1, /--versions\[0\]: must be a date/],
      [["--seed", seed, "--ended-versions", "2023-01-01"], 2, /requires --versions/],
      [["--seed", seed, "--state", join(folder, "damaged.json")], 1, /was not changed/],
    ];
    const results = await Promise.all(cases.map(([args]) => command(...args).ended));
    results.forEach(({ code, errors, output }, at) => {
      const [args = [], expected, message] = cases[at] ?? [];
      assert.equal(code, expected, `${args.join(" ")}: ${errors}`);
      assert.match(errors, message ?? /$^/);
      assert.doesNotMatch(errors, /\n\s+at /);
      assert.equal(output, "");
    });
  });

  it("exits with 1 if a port is in use", async () => {
    const first = command("--seed", seed);
    const { port } = new URL((await first.ready).url);
    for (const option of ["--port", "--http-port"]) {
      const { code, errors } = await command("--seed", seed, option, port).ended;
      assert.equal(code, 1, option);
      assert.match(errors, /EADDRINUSE.*\nStop the other process or choose another port/);
      assert.doesNotMatch(errors, /\n\s+at /);
    }
  });

  it("serves DNS with --dns-port, and exits with 1 if the port is in use", async () => {
    const { child, ended, ready } = command("--seed", seed, "--dns-port", "0");
    const { dns } = await ready;
    const resolver = new Resolver({ tries: 1, timeout: 2000 });
    resolver.setServers([String(dns?.internet)]);
    await assert.rejects(resolver.resolve4("none.clusters.example"), { code: "ENOTFOUND" });
    const port = String(dns?.internet.split(":")[1]);
    const second = await command("--seed", seed, "--dns-port", port).ended;
    assert.equal(second.code, 1);
    assert.match(second.errors, /EADDRINUSE/);
    child.kill();
    assert.equal((await ended).code, 0);
  });
});
