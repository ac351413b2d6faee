import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { Resolver } from "node:dns/promises";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { waitUntil } from "../../waitUntil";
import { type Response, type Service, apiPath, call, clustersPath, json, send } from "./client";
import { seedOf } from "./seeds";

const root = join(__dirname, "../../..");
const cliPath = join(root, "simulator/dist/cli.js");

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
  before(() => {
    // Users start the built command. The build is a no-op if it is up to date.
    const tsc = require.resolve("typescript/bin/tsc");
    execFileSync(process.execPath, [tsc, "--build", "simulator"], { cwd: root });
  });
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
    const child = spawn(process.execPath, [cliPath, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.push(child);
    let output = "";
    let errors = "";
    child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
    const ready = new Promise<Ready>((resolve, reject) => {
      child.stdout.on("data", (chunk: Buffer) => {
        output += chunk.toString();
        if (output.includes("\n")) resolve(JSON.parse(output) as Ready);
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

  it("stops while a fault delays a response", async () => {
    const { child, ready, ended } = command("--seed", seed, "--control");
    const { url, caFile } = await ready;
    const service = { url, ca: readFileSync(caFile, "utf8") };
    await post(service, "faults", [{ delayMs: 600_000 }]);
    const response = assert.rejects(send(service, apiPath));
    const pending = async () =>
      json<{ pending: number }>(await post(service, "faults", [])).pending;
    await waitUntil("the fault was used", async () => (await pending()) === 0);
    child.kill();
    assert.equal((await ended).code, 0);
    await response;
  });

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

  it("requires dated media types with --versions", async () => {
    const dates = ["--versions", "2022-01-01,2023-01-01", "--ended-versions", "2022-01-01"];
    const { url, caFile } = await command("--seed", seed, ...dates).ready;
    const service: Service = { url, ca: readFileSync(caFile, "utf8") };
    const statuses = ["application/json", "2022-12-31", "2023-12-31"].map(async (date) => {
      const accept = date.replace(/^\d.*/, "application/vnd.clouddb.$&+json");
      return (await call(service, clustersPath, { headers: { accept } })).status;
    });
    assert.deepEqual(await Promise.all(statuses), [406, 410, 200]);
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

  it("prints its version for --version and its options for --help", () => {
    const outputOf = (option: string) =>
      execFileSync(process.execPath, [cliPath, option], { encoding: "utf8" });
    assert.match(outputOf("--version"), /^\d+\.\d+\.\d+\n$/);
    assert.match(outputOf("--help"), /^Usage: clouddb-simulator --seed <file>/);
  });

  it("reports invalid arguments and files without a stack trace", async () => {
    writeFileSync(join(folder, "broken.json"), "{");
    writeFileSync(join(folder, "wrong.json"), '{"projects":[{"id":"x"}]}');
    writeFileSync(join(folder, "damaged.json"), "{}");
    const cases: [string[], number, RegExp][] = [
      [[], 2, /--seed <file> is required/],
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

  it("exits with 1 if the certificate cannot be written", async () => {
    const file = join(folder, "missing", "ca.pem");
    const { code, errors, output } = await command("--seed", seed, "--ca-out", file).ended;
    assert.equal(code, 1);
    assert.match(errors, /CA certificate cannot be written: .*missing.*\nChoose a file/);
    assert.equal(output, "");
  });
});
