/** What `pulumi-clouddb preview` does around Pulumi, which is a script here. tests/engine runs the real CLI. */
import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { mock } from "node:test";
import { doctor } from "../../../provider/src/commands/doctor";
import { preview } from "../../../provider/src/commands/preview";
import { refreshAdvice } from "../../../provider/src/host/lifecycle";
import { withCode } from "../../../provider/src/messages/errors";
import { ResponseError } from "../../../provider/src/service/requestErrors";
import { temporaryFolder, useCleanup } from "../../support/cleanup";
import {
  minimalEnvironment,
  skipOnWindows,
  sourceCommand,
  startCommand,
  waitWhileRunning,
} from "../../support/command";
import { runCommand } from "./runCommand";

/** What a script prints for an unchanged stack without a state. */
const unchanged = `[ "$1" = stack ] && exit 1
echo '{ "sequence": 1, "summaryEvent": { "result": "succeeded", "resourceChanges": {} } }'`;
const modeUrn = "urn:pulumi:a::infra::clouddb:index:PrivateIpMode::orders";

describe("pulumi-clouddb preview", () => {
  skipOnWindows();
  const cleanup = useCleanup("test");
  let folder: string;
  let environment: Record<string, string>;

  beforeEach(() => {
    folder = temporaryFolder(cleanup);
    mkdirSync(join(folder, "temp"));
    environment = { PATH: `${folder}:/usr/bin:/bin`, RUNNER_TEMP: join(folder, "temp") };
  });

  /** Replaces Pulumi by a shell script, which can record its arguments in the file `calls`. */
  function pulumi(script: string) {
    const file = join(folder, "pulumi");
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
  }
  /** Makes a folder the current one until the end of the test. */
  function enter(path: string) {
    const before = process.cwd();
    process.chdir(path);
    cleanup(() => {
      process.chdir(before);
    });
  }
  /** The lines that scripts wrote at the same time. */
  const calls = () => readFileSync(join(folder, "calls"), "utf8").trimEnd().split("\n").sort();
  const run = (...args: string[]) => runCommand(preview, args, environment);

  it("passes the arguments after -- to pulumi preview, but refuses those that it sets itself", async () => {
    pulumi(`echo "$@" >> ${folder}/calls\n${unchanged}`);
    const { code, stdout } = await run("--stack", "a", "--", "--refresh", "--help");
    assert.equal(code, 0);
    assert.match(stdout, /^\S*a: no changes\n/);
    assert.deepEqual(calls(), [
      "preview --json --refresh --help --stack a --non-interactive",
      "stack export --stack a --non-interactive",
    ]);
    const { code: refused, stderr: reason } = await run("--stack", "a", "--", "--cwd", "/b");
    assert.equal(refused, 2);
    assert.match(reason, /^pulumi-clouddb preview: --cwd cannot be passed to pulumi.*; see /);
    environment["PULUMI_OPTION_CWD"] = "/b";
    const moved = await run("--stack", "a");
    assert.equal(moved.code, 2);
    assert.match(moved.stderr, /: PULUMI_OPTION_CWD is set; unset it \(unset PULUMI_OPTION_CWD\)/);
    const { stderr } = await run("--stack", "a", "w0rd", "--", "--refresh");
    assert.match(stderr, /^pulumi-clouddb preview: unexpected argument; see /);
    const unknown = await run("--stack", "a", "--refresh");
    assert.match(unknown.stderr, /: unknown option '--refresh'; Pulumi's options follow --; see /);
    assert.equal(calls().length, 2);
  });

  it("leaves out checkpoints of the preview alone, unless a variable decides it", async () => {
    pulumi(`echo "$1 \${PULUMI_SKIP_CHECKPOINTS-none}" >> ${folder}/calls\n${unchanged}`);
    await run("--stack", "a");
    assert.deepEqual(calls(), ["preview true", "stack none"]);
    environment["PULUMI_SKIP_CHECKPOINTS"] = "false";
    writeFileSync(join(folder, "calls"), "");
    await run("--stack", "a");
    assert.deepEqual(calls(), ["preview false", "stack false"]);
  });

  it("says that the stack is missing, even if PULUMI_STACK is set, as the other commands do", async () => {
    environment["PULUMI_STACK"] = "b";
    assert.match((await run()).stderr, /: --stack NAME is missing; see /);
  });

  describe("with --markdown", () => {
    let file: string;
    const runWithFile = () => run("--stack", "a", "--markdown", file);
    const files = () => readdirSync(folder).filter((name) => name.includes("preview.md"));

    beforeEach(() => {
      file = join(folder, "preview.md");
      writeFileSync(file, "the report of an earlier commit");
    });

    it("writes the report to the file, beside the text that it prints", async () => {
      for (const [script, outcome, title, expected] of [
        [unchanged, "unchanged", "no changes", 0],
        ["exit 255", "failed", "failed", 1],
      ] as const) {
        pulumi(script);
        const { code, stdout } = await runWithFile();
        assert.equal(code, expected);
        assert.match(stdout, new RegExp(`^\\S*a: ${title}\n`));
        assert.match(
          readFileSync(file, "utf8"),
          new RegExp(
            `^<!-- pulumi-clouddb stack: \\S*a -->\n<!-- outcome: ${outcome} -->\n### .*: ${title}\n`,
          ),
        );
        assert.deepEqual(files(), ["preview.md"]);
      }
    });

    it("has removed the file when Pulumi starts, and leaves none without a report", async () => {
      pulumi(`ls ${file} >> ${folder}/calls\n${unchanged}`);
      await runWithFile();
      assert.equal(readFileSync(join(folder, "calls"), "utf8"), "");

      for (const fail of [
        () => {
          environment["RUNNER_TEMP"] = join(folder, "missing");
        },
        () => {
          environment["PULUMI_OPTION_CWD"] = "/b";
        },
        () => {
          environment = { CI_PROJECT_ID: "5", CI_MERGE_REQUEST_SOURCE_PROJECT_ID: "6" };
        },
      ]) {
        writeFileSync(file, "the report of an earlier commit");
        fail();
        const { code, stdout } = await runWithFile();
        assert.notEqual(code, 0);
        assert.equal(stdout, "");
        assert.deepEqual(files(), []);
      }
    });

    it("exits with 1 if the file cannot be written, and leaves no part of it", async () => {
      pulumi(`mkdir -p ${file}\n${unchanged}`);
      const { code, stdout, stderr } = await runWithFile();
      assert.equal(code, 1);
      assert.match(stdout, /: no changes\n/);
      assert.match(stderr, /^\S+preview\.md cannot be written: EISDIR: .* \[clouddb-preview\]\n$/);
      assert.deepEqual(files(), ["preview.md"]);
    });

    it("removes neither a folder nor a device, such as the standard output", async () => {
      pulumi(`touch ${folder}/calls`);
      const link = join(folder, "stdout");
      symlinkSync("/dev/null", link);
      for (const other of [join(folder, "temp"), link]) {
        const { code, stderr } = await run("--stack", "a", "--markdown", other);
        assert.equal(code, 1);
        assert.match(stderr, /: \S+ is not a regular file\. \[clouddb-preview\]\n$/);
      }
      assert.ok(existsSync(link) && !existsSync(join(folder, "calls")));
      const { code, stderr } = await run("--stack", "a", "--markdown", "");
      assert.equal(code, 2);
      assert.match(stderr, /: --markdown FILE is missing; see /);
    });
  });

  it("reports that Pulumi is not installed", async () => {
    const { code, stdout } = await run("--stack", "a");
    assert.equal(code, 1);
    assert.match(
      stdout,
      /: failed\n[^]*the Pulumi CLI could not be started \(ENOENT\)\. Install it: /,
    );
  });

  it("exits with 1 without a stack trace if there is no temporary folder", async () => {
    environment["RUNNER_TEMP"] = join(folder, "missing");
    const { code, stdout, stderr } = await run("--stack", "a");
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(
      stderr,
      /^The preview was not reported: ENOENT: .*missing.* \[clouddb-preview\]\n$/,
    );
  });

  it("prints what Pulumi printed if the report cannot be created", async () => {
    pulumi("echo 'no JSON'; echo 'panic: a bug' >&2; exit 2");
    const { code, stdout } = await run("--stack", "a");
    assert.equal(code, 1);
    assert.match(
      stdout,
      /: failed\n[^]*The report could not be created: line \d+ of events\.jsonl is not an event[^]*\[clouddb-report\]\n[^]*panic: a bug\n/,
    );
    assert.deepEqual(readdirSync(join(folder, "temp")), []);
  });

  /** Makes a preview refuse a resource that the program declares at a place. */
  function refuseAt(place: string) {
    const state = {
      deployment: { resources: [{ urn: modeUrn, sourcePosition: `project:///${place}` }] },
    };
    pulumi(`[ "$1" = stack ] && { echo '${JSON.stringify(state)}'; exit 0; }
echo '{"sequence":1,"diagnosticEvent":{"severity":"error","urn":"${modeUrn}","message":"refused"}}'
exit 255`);
  }

  it("names the line of a resource only if the program still has it there", async () => {
    const program = "examples/quickstart/index.ts";
    const lines = readFileSync(program, "utf8").split("\n");
    const line = lines.findIndex((each) => each.includes('"orders"')) + 1;
    for (const [place, isShown] of [
      [`${program}#${line},1`, true],
      [`${program}#${line - 2},1`, true],
      [`${program}#${lines.length + 3},1`, false],
      [`${program}#1,1`, false],
      ["removed.ts#1,1", false],
    ] as const) {
      refuseAt(place);
      const { stdout } = await run("--stack", "a");
      assert.match(stdout, isShown ? /PrivateIpMode orders \(examples/ : /PrivateIpMode orders\n/);
    }
  });

  it("names the project and its lines if it starts in a folder below", async () => {
    writeFileSync(join(folder, "Pulumi.yaml"), "name: infra\n");
    writeFileSync(join(folder, "index.ts"), 'new PrivateIpMode("orders", {});');
    enter(join(folder, "temp"));
    pulumi("exit 255");
    assert.match((await run("--stack", "a")).stdout, /^infra\/a: failed\n/);
    refuseAt("index.ts#1");
    assert.match((await run("--stack", "a")).stdout, /PrivateIpMode orders \(index\.ts:1\)/);
  });

  it("takes the project from the resources if its file does not say it", async () => {
    enter(folder);
    const urn = "urn:pulumi:a::infra::pulumi:pulumi:Stack::infra-a";
    const metadata = { op: "same", urn, old: null, new: null };
    const event = JSON.stringify({ sequence: 2, resourcePreEvent: { metadata } });
    pulumi(`${unchanged}\necho '${event}'`);
    assert.match((await run("--stack", "a")).stdout, /^infra\/a: no changes\n/);
  });

  it("names a stack in the same way with and without its project, but with its organization", async () => {
    writeFileSync(join(folder, "Pulumi.yaml"), "name: infra\n");
    enter(folder);
    pulumi("exit 255");
    for (const [stack, title] of [
      ["dev", "infra/dev"],
      ["organization/dev", "infra/dev"],
      ["organization/infra/dev", "infra/dev"],
      ["acme/dev", "acme/infra/dev"],
      ["acme/infra/dev", "acme/infra/dev"],
    ] as const) {
      const { stdout } = await run("--stack", stack);
      assert.equal(stdout.split("\n", 1).join(), `${title}: failed`);
    }
  });

  it("says that a flag or a variable limits the preview", async () => {
    pulumi(unchanged);
    for (const [args, variables, isSaid] of [
      [["--target=urn"], {}, true],
      [[], { PULUMI_OPTION_TARGET_REPLACE: "urn" }, true],
      [["--refresh"], { PULUMI_OPTION_TARGET: "" }, false],
    ] as const) {
      const { stdout } = await runCommand(preview, ["--stack", "a", "--", ...args], {
        ...environment,
        ...variables,
      });
      assert.equal(/so other resources were not checked/.test(stdout), isSaid, args.join());
    }
  });

  describe("of a program that prints secrets", () => {
    const planted = {
      CLOUDDB_CLIENT_SECRET: "plain+secret/7311",
      https_proxy: "http://me:pr0xy-w0rd@127.0.0.1:9",
    };
    const encoded = encodeURIComponent(planted.CLOUDDB_CLIENT_SECRET);
    const lines = [
      `the secret is ${planted.CLOUDDB_CLIENT_SECRET}`,
      `?client_secret=${encoded} was refused`,
      "the proxy refused pr0xy-w0rd",
      "got mdb_sa_sk_Zm9vYmFyLWJheg from the vault",
      "token eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzdmMifQ.c2lnbmF0dXJl expired",
      "db+srv://h.example/?w=1&proxyPassword=hunter22&appName=shown",
      "postgres://app:b4ckend@h.example/pulumi is down",
    ];
    const found = /plain|7311|pr0xy-w|Zm9v|eyJ|hunter22|b4ckend/;

    beforeEach(() => {
      environment = { ...environment, ...planted };
    });

    it("hides them in messages, and keeps the rest of the text", async () => {
      const events = ["info", "warning", "error"].map((severity) =>
        JSON.stringify({
          sequence: 1,
          diagnosticEvent: { severity, message: ["kept:", ...lines].join("\n") },
        }),
      );
      writeFileSync(join(folder, "events"), events.join("\n"));
      writeFileSync(join(folder, "log"), ["kept:", ...lines].join("\n"));
      const file = join(folder, "preview.md");
      for (const [script, count] of [
        [`[ "$1" = preview ] && cat ${folder}/events; echo other >&2; cat ${folder}/log >&2`, 4],
        [`cat ${folder}/log >&2; exit 255`, 1],
      ] as const) {
        pulumi(script);
        const { stdout, stderr } = await run("--stack", "a", "--markdown", file);
        for (const text of [stdout + stderr, readFileSync(file, "utf8")]) {
          assert.doesNotMatch(text, found);
          assert.equal(text.split("appName=shown").length - 1, count, text);
          assert.match(text, /kept:/);
          assert.match(text, /\[secret\]@h\.example\/pulumi is down/);
          assert.match(text, /\[redacted: contains the value of a secret setting\]/);
        }
      }
    });

    it("leaves out Pulumi's verbose log, whose entries can have several lines", async () => {
      const entry = "I1129 12:25:32.636308    9520 log.go:75] inputs: {key: value-of";
      const entries = [
        `rest of an entry\n${entry}\nmany-lines\n}`,
        "warning: shown-warning\nin two lines",
        `${entry}}\n${JSON.stringify({ time: "2026-11-29T12:25:32Z", level: "INFO", msg: "value-of" })}`,
        "error: shown-error",
        `E1129 12:25:32.7    1 log.go:75] value-of`,
      ];
      writeFileSync(join(folder, "log"), entries.join("\n"));
      const event = { severity: "info#err", message: `${entry}\nmany-lines}` };
      writeFileSync(
        join(folder, "events"),
        JSON.stringify({ sequence: 1, diagnosticEvent: event }),
      );
      pulumi(`[ "$1" = preview ] && cat ${folder}/events; cat ${folder}/log >&2; exit 255`);
      const file = join(folder, "preview.md");
      const { stdout, stderr } = await run("--stack", "a", "--markdown", file);
      for (const text of [stdout + stderr, readFileSync(file, "utf8")]) {
        assert.doesNotMatch(text, /value-of|many-lines|rest of/);
        assert.match(text, /shown-error[^]*shown-warning\n *in two lines/);
      }
    });

    it("hides them in the reason for which pulumi config failed", async () => {
      for (const line of lines) {
        writeFileSync(join(folder, "log"), `error: ${line}`);
        pulumi(`cat ${folder}/log >&2; exit 255`);
        const { stderr } = await runCommand(doctor, ["--stack", "a"], environment);
        assert.doesNotMatch(stderr, found);
        assert.match(
          stderr,
          /configuration of stack a cannot be read: .*(?:\[secret\]|\[redacted)/,
        );
      }
    });
  });

  it("is changed, and exits with 1, if the only error is that --expect-no-changes was not met", async () => {
    const enabled = { inputs: { projectId: "1", enabled: true } };
    const create = { metadata: { op: "create", urn: modeUrn, old: null, new: enabled } };
    const succeeded = { summaryEvent: { result: "succeeded" } };
    const failed = { diagnosticEvent: { severity: "error", message: "a cause" } };
    const unexpected = "error: no changes were expected for preview but changes were proposed";
    for (const [variable, events, printed, outcome] of [
      ["true", [{ resourcePreEvent: create }, succeeded], unexpected, "changes"],
      ["true", [{ resourcePreEvent: create }, succeeded], "", "changes"],
      ["", [{ resourcePreEvent: create }, succeeded], unexpected, "failed"],
      ["true", [{ resourcePreEvent: create }, failed, succeeded], unexpected, "failed"],
      ["true", [{ resourcePreEvent: create }, succeeded], `error: other\n${unexpected}`, "failed"],
      ["true", [{ resourcePreEvent: create }, succeeded], `panic: x\n${unexpected}`, "failed"],
      ["true", [{ resourcePreEvent: create }], unexpected, "failed"],
      [
        "true",
        [succeeded],
        unexpected,
        "changes\\n\\nPulumi found changes that its events do not show\\.",
      ],
    ] as const) {
      const lines = events.map((event) => JSON.stringify({ sequence: 1, ...event })).join("\n");
      pulumi(`[ "$1" = stack ] && exit 1\necho '${lines}'; echo '${printed}' >&2; exit 7`);
      environment["PULUMI_OPTION_EXPECT_NO_CHANGES"] = variable;
      const { code, stdout } = await run("--stack", "a");
      assert.equal(code, 1);
      assert.match(stdout, new RegExp(`^\\S*a: ${outcome}\\n`), `${stdout}\n${lines}\n${printed}`);
    }
  });

  it("names the credentials that the service refused, where they come from, and doctor", async () => {
    pulumi(`case "$1" in
preview) echo '{"sequence":1,"diagnosticEvent":{"urn":"${modeUrn}","severity":"error","message":"401. [clouddb-authentication]"}}' ;;
config) echo '{"clouddb:publicKey":{"value":"demo"}}'; exit 0 ;;
esac
exit 255`);
    environment["CLOUDDB_PRIVATE_KEY"] = "wr0ng";
    const { code, stdout, stderr } = await run("--stack", "a");
    assert.equal(code, 1);
    assert.match(
      stdout,
      /\n +Unless a clouddb\.Provider has its own, the credentials come from clouddb:publicKey in the stack and CLOUDDB_PRIVATE_KEY in the environment\.\n.*\n +npx --no pulumi-clouddb doctor --stack a\n/,
    );
    assert.doesNotMatch(stdout + stderr, /wr0ng/);
    // The message of a refresh.
    pulumi(`[ "$1" = preview ] && echo '{"sequence":1,"diagnosticEvent":{"urn":"${modeUrn}","severity":"error","message":"401.${refreshAdvice} [clouddb-authentication]"}}'
exit 255`);
    for (const [args, variable, isRecorded] of [
      [["--refresh"], "", true],
      [["--refresh", "--run-program"], "", false],
      [["--refresh"], "true", false],
    ] as const) {
      environment["PULUMI_RUN_PROGRAM"] = variable;
      const refreshed = (await run("--stack", "a", "--", ...args)).stdout;
      assert.equal(/the credentials come from/.test(refreshed), !isRecorded);
    }
    const other = (await run("--stack", "a", "--", "--config-file=other.yaml")).stdout;
    assert.match(other, /clouddb-authentication/);
    assert.doesNotMatch(other, /the credentials come from|doctor/);
  });

  it("names doctor with the stack if something was not found", async () => {
    const { message } = new ResponseError(
      { method: "GET", path: "/", attempt: 1 },
      { status: 404 },
    );
    const texts = [message, "The service has no such project."];
    const diagnostics = texts.map((text, sequence) =>
      JSON.stringify({
        sequence,
        diagnosticEvent: {
          urn: modeUrn,
          severity: "error",
          message: withCode(text, "not-found"),
        },
      }),
    );
    pulumi(`[ "$1" = preview ] && cat << 'EOF'\n${diagnostics.join("\n")}\nEOF\nexit 255`);
    const { stdout } = await run("--stack", "a");
    const command = "\n +To check the settings:\n +npx --no pulumi-clouddb doctor --stack a\n";
    assert.equal(stdout.match(new RegExp(`not-found\\]${command}`, "g"))?.length, 2);
    assert.match(stdout, /clouddb:apiPath\. \(GET/);
    const other = (await run("--stack", "a", "--", "--config-file=other.yaml")).stdout;
    assert.doesNotMatch(other, /doctor --stack a/);
  });

  it("keeps the end of what Pulumi printed to standard error, which can exceed the memory", async () => {
    pulumi(`[ "$1" = stack ] && exit 1
{ echo 'the first line'; yes 'a repeated warning' | head -n 100000; echo 'error: the cause'; } >&2
exit 255`);
    const { code, stdout } = await run("--stack", "a");
    assert.equal(code, 1);
    assert.match(stdout, /\n {2}the cause\n[^]*\n {2}…\n {2}a repeated warning\n/);
    assert.doesNotMatch(stdout, /the first line/);
  });

  it("says that Pulumi was killed, and leaves no files", async () => {
    pulumi('[ "$1" = stack ] && exit 1; kill -KILL $$');
    const { code, stdout } = await run("--stack", "a");
    assert.equal(code, 1);
    assert.match(stdout, /\n {2}SIGKILL ended pulumi\.$/m);
    assert.deepEqual(readdirSync(join(folder, "temp")), []);
  });

  it("reports without the state if the export takes more than a minute after the preview", async () => {
    pulumi(`[ "$1" = stack ] && { echo '{ "deployment":'; exec sleep 600; }
${unchanged}`);
    mock.timers.enable({ apis: ["setTimeout"] });
    const result = run("--stack", "a");
    const passing = setInterval(() => {
      mock.timers.tick(60_000);
    }, 50);
    try {
      const { code, stdout } = await result;
      assert.equal(code, 0);
      assert.match(stdout, /^\S*a: no changes\n/);
      assert.deepEqual(readdirSync(join(folder, "temp")), []);
    } finally {
      clearInterval(passing);
      mock.timers.reset();
    }
  });

  /** Starts the command, and sends it a signal when both of Pulumi's processes have written a file. */
  async function interrupted(signal: "SIGINT" | "SIGTERM" | "SIGQUIT") {
    const command = startCommand(
      cleanup,
      process.execPath,
      [...sourceCommand("provider"), "preview", "--stack", "a"],
      { env: { ...minimalEnvironment(), ...environment } },
    );
    const started = ["preview", "stack"].map((name) => join(folder, name));
    await waitWhileRunning(command, () => started.every((file) => existsSync(file)));
    const start = Date.now();
    command.kill(signal);
    const result = await command.result;
    const pids = started.map((file) => Number(readFileSync(file, "utf8")));
    return { ...result, seconds: (Date.now() - start) / 1000, pids };
  }

  function isRunning(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  it("ends the preview and the export after a signal, and leaves no files", async () => {
    pulumi(`trap 'exit 1' INT TERM
echo $$ > ${folder}/new.$1; mv ${folder}/new.$1 ${folder}/$1
while :; do sleep 0.1; done`);
    for (const signal of ["SIGINT", "SIGTERM", "SIGQUIT"] as const) {
      const { code, stderr, seconds, pids } = await interrupted(signal);
      assert.equal(code, 1);
      assert.match(
        stderr,
        new RegExp(`${signal} ended pulumi preview\\. \\[clouddb-preview\\]\\n$`),
      );
      assert.ok(seconds < 4, `${seconds} s`);
      assert.deepEqual(pids.map(isRunning), [false, false]);
      assert.deepEqual(readdirSync(join(folder, "temp")), []);
      for (const name of ["preview", "stack"]) unlinkSync(join(folder, name));
    }
  });

  it("sends both a second signal after five seconds, and kills what has not ended five seconds later", async () => {
    pulumi(`count=0
end() { touch ${folder}/ended; exit 1; }
trap 'count=$((count + 1)); [ $count$1 = 2preview ] && end' INT
echo $$ > ${folder}/new.$1; mv ${folder}/new.$1 ${folder}/$1
while :; do sleep 0.1; done`);
    const { code, stderr, seconds, pids } = await interrupted("SIGINT");
    assert.equal(code, 1);
    assert.match(stderr, /SIGINT ended pulumi preview\. \[clouddb-preview\]\n$/);
    assert.ok(existsSync(join(folder, "ended")));
    assert.ok(seconds >= 9.9 && seconds < 25, `${seconds} s`);
    assert.deepEqual(pids.map(isRunning), [false, false]);
    assert.deepEqual(readdirSync(join(folder, "temp")), []);
  });

  describe("in a job of GitHub", () => {
    beforeEach(() => {
      const ofJob = { GITHUB_ACTIONS: "true", GITHUB_REPOSITORY: "acme/infra" };
      environment = { ...environment, ...ofJob, GITHUB_EVENT_PATH: join(folder, "event") };
    });

    function pullRequestOf(repository: string) {
      const head = { sha: "1".repeat(40), repo: { full_name: repository } };
      writeFileSync(join(folder, "event"), JSON.stringify({ pull_request: { head } }));
    }

    it("refuses branches of forks before Pulumi runs their program", async () => {
      pulumi(`touch ${folder}/calls`);
      pullRequestOf("mallory/infra");
      const { code, stdout } = await run("--stack", "a");
      assert.equal(code, 1);
      assert.match(
        stdout,
        /^::error title=pulumi-clouddb preview::branches of forks are not previewed, .*\n$/,
      );
      assert.ok(!existsSync(join(folder, "calls")));
    });

    it("quotes output that looks like a GitHub command", async () => {
      pulumi("echo '::error::injected' >&2; exit 1");
      pullRequestOf("acme/infra");
      const { stdout } = await run("--stack", "a");
      const [, end = "", text = "", annotations = ""] =
        /^::stop-commands::(\S+)\n([^]*)\n::\1::\n([^]*)$/.exec(stdout) ?? [];
      assert.match(end, /^[\da-f-]{36}$/);
      assert.match(text, /::error::injected/);
      assert.doesNotMatch(annotations, /^::error::/m);
    });

    it("explains the secrets of Dependabot if its preview fails", async () => {
      pullRequestOf("acme/infra");
      for (const [actor, script, isExplained] of [
        ["dependabot[bot]", "exit 255", true],
        ["dependabot[bot]", unchanged, false],
        ["dana", "exit 255", false],
      ] as const) {
        pulumi(script);
        environment["GITHUB_ACTOR"] = actor;
        const { stderr } = await run("--stack", "a");
        const explanation =
          /^warning: the job of a Dependabot pull request has only the secrets of Dependabot\. \[clouddb-preview\]$/m;
        assert.equal(explanation.test(stderr), isExplained, `${actor} ${script}`);
      }
    });

    it("appends the outcome, even if it cannot write the summary", async () => {
      pulumi(unchanged);
      pullRequestOf("acme/infra");
      const output = join(folder, "output");
      writeFileSync(output, "other=1\n");
      environment["GITHUB_OUTPUT"] = output;
      assert.equal((await run("--stack", "a")).code, 0);
      environment["GITHUB_STEP_SUMMARY"] = join(folder, "missing", "summary");
      const { code, stdout } = await run("--stack", "a");
      assert.equal(code, 1);
      assert.match(
        stdout,
        /^::error title=pulumi-clouddb preview::GITHUB_STEP_SUMMARY cannot be written: ENOENT/m,
      );
      const outcome = "outcome=unchanged\n";
      assert.equal(readFileSync(output, "utf8"), `other=1\n${outcome}${outcome}`);
    });
  });
});
