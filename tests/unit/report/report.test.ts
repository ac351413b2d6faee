import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { z } from "zod";
import { disableRefusal } from "../../../provider/src/privateIpMode/guard";
import { githubAnnotations } from "../../../provider/src/report/annotations";
import { readEventLog, readInput } from "../../../provider/src/report/input";
import { markdown } from "../../../provider/src/report/markdown";
import { interpret } from "../../../provider/src/report/meaning";
import type { Report } from "../../../provider/src/report/model";
import { createReport } from "../../../provider/src/report/report";
import {
  diagnostic,
  eventLog,
  events,
  exported,
  folder,
  json,
  list,
  moved,
  names,
  read,
  reportOf,
  reportOn,
  update,
  urnOf,
} from "./recorded";

const modeUrn = urnOf("orders", "clouddb:index:PrivateIpMode");
const failing = (message: string) => reportOn({ diagnostics: [diagnostic(message)] });

describe("a report of a preview", () => {
  for (const name of names) {
    it(`is as expected: ${name}`, () => {
      assert.equal(markdown(reportOf(name)), readFileSync(join(folder, `${name}.md`), "utf8"));
    });
  }

  it("is the same from the JSON of a preview and from its event log", () => {
    const said = ({ notPreviewed: _, secretOutputs: __, ...report }: Report) =>
      JSON.stringify(report, (key, value: unknown) => (key === "position" ? undefined : value));
    for (const name of ["disable-allowed", "refused-by-one", "drift", "program-error"]) {
      const [fromEvents, fromJson] = [events(name), json(name)].map((input) =>
        said(interpret([input, exported(name)], { exitCode: read(name).exitCode })),
      );
      assert.equal(fromEvents, fromJson, name);
    }
  });

  it("lists each cluster of the guard's messages with its version", () => {
    const clusters = [
      { name: "a b", version: "6.0.5", majorVersion: undefined },
      { name: "c", version: undefined, majorVersion: "7.0" },
      { name: "d", version: "seven", majorVersion: undefined },
      { name: "e", version: "7.0.1", majorVersion: "6.0" },
    ];
    const records = clusters.map((each) => ({ kind: "cluster" as const, ...each }));
    const list = { records, incomplete: undefined };
    const [refusal] = failing(disableRefusal("p", list) ?? "").refusals;
    assert.deepEqual(refusal?.clusters, [
      { name: "a b", version: "6.0.5" },
      { name: "c", version: "(no version given)" },
      { name: "d", version: '"seven" (not a version)' },
      { name: "e", version: "6.0 (major version; full version 7.0.1)" },
    ]);
  });

  it("is refused without a table if the list of clusters is incomplete", () => {
    const list = { records: [], incomplete: "It has no end" };
    const report = failing(disableRefusal("p", list) ?? "");
    assert.equal(report.outcome, "refused");
    assert.match(markdown(report), /its list of clusters may be incomplete/);
  });

  it("reads the dynamic provider's and the plugin's resources", () => {
    const text = JSON.stringify(read("disable-allowed").json);
    const plugin = text.replaceAll("pulumi-nodejs:dynamic/clouddb:", "clouddb:index:");
    for (const each of [text, plugin]) {
      const { verdict } = interpret([readInput(each, "it")]);
      assert.equal(verdict, "Changes: private IP mode is turned off in 1 project.");
    }
  });

  it("says that a deleted mode stays as it is, and whether a new one is changed", () => {
    const inputs = { projectId: "p", enabled: true };
    const counts = { changeSummary: { create: 1 } };
    const deleted = { op: "delete", urn: modeUrn, oldState: { inputs } };
    assert.match(
      markdown(reportOn({ ...counts, steps: [deleted] })),
      /: `on`<br>The mode stays as it is, and is no longer managed\.\n/,
    );
    const steps = [{ op: "create", urn: modeUrn, newState: { inputs } }];
    const warning = diagnostic("it is off [clouddb-enabling]", "warning");
    for (const [diagnostics, verdict] of [
      [[], "Changes: private IP mode is adopted in 1 project."],
      [[warning], "Changes: private IP mode is turned on in 1 project."],
    ] as const)
      assert.equal(reportOn({ ...counts, steps, diagnostics }).verdict, verdict);
  });

  it("says that a mode differs from the state, whether or not the update changes it back", () => {
    const [on, off] = [true, false].map((enabled) => ({ inputs: { projectId: "p", enabled } }));
    const found = { op: "refresh", urn: modeUrn, oldState: on, newState: on };
    const same = { op: "same", urn: modeUrn, oldState: off, newState: off };
    const again = { op: "update", urn: modeUrn, oldState: off, newState: on };
    const only = markdown(reportOn({ steps: [found, same] }));
    assert.match(
      only,
      /: `on` → `off`<br>The setting differs from [^;]*an update got no answer\.\n/,
    );
    const both = markdown(reportOn({ steps: [found, again] }));
    assert.match(both, /: `off` → `on`<br>The setting differs.*; this update turns it on again\./);
    assert.equal(both.match(/differs/g)?.length, 1);
    assert.doesNotMatch(markdown(reportOf("drift")), /clouddb-drift/);
  });

  it("fails if pulumi failed, regardless of its output", () => {
    const report = reportOf("no-change", { exitCode: 255 });
    assert.equal(report.outcome, "failed");
    assert.match(report.verdict, /exit code 255/);
  });

  it("is not partial if the preview finished, but pulumi failed because it expected no changes", () => {
    const { outcome, isPartial } = reportOf("string-changed", { exitCode: 7 });
    assert.deepEqual([outcome, isPartial], ["failed", false]);
  });

  it("fails if the preview did not finish", () => {
    const unfinished = {
      ...z.record(z.string(), z.unknown()).parse(read("no-change").json),
      changeSummary: undefined,
    };
    const report = interpret([readInput(JSON.stringify(unfinished), "it")]);
    assert.equal(report.verdict, "Failed: the preview did not finish.");
    const log = (read("disable-allowed").events ?? []).map((each) => JSON.stringify(each));
    const cut = log.join("\n").slice(0, -300);
    assert.equal(interpret([readInput(cut, "it")]).outcome, "failed");
  });

  it("shows the log of a preview that failed before it began", () => {
    const log = "error: getting stack configuration: incorrect passphrase";
    const report = interpret([], { exitCode: 255, log });
    assert.equal(report.verdict, "Failed with 1 error.");
    assert.match(markdown(report), /> getting stack configuration: incorrect passphrase\n/);
    assert.equal(interpret([], { exitCode: 255 }).verdict, "Failed before the preview began.");
  });

  it("compares stack outputs, of which only an event log has both values", () => {
    const stack = { op: "same", urn: urnOf("s", "pulumi:pulumi:Stack") };
    const state = (name: string) => ({ outputs: { [name]: "db+srv://orders.ab1cd.db.example" } });
    const metadata = { ...stack, old: state("ordersUrl"), new: state("databaseUrl") };
    const { verdict, outputs } = interpret([
      eventLog([
        { sequence: 1, resourcePreEvent: { metadata } },
        { sequence: 2, summaryEvent: { resourceChanges: {} } },
      ]),
    ]);
    assert.equal(verdict, "Changes: 1 stack output is added, 1 stack output is removed.");
    assert.deepEqual(
      outputs.map(({ name }) => name),
      ["databaseUrl", "ordersUrl"],
    );
    assert.equal(outputs[0]?.new, "internet orders.ab1cd.db.example");
    assert.equal(interpret([json("no-change")]).verdict, "No changes of resources.");
    assert.deepEqual(reportOf("misspelled-cluster").outputs, [], "a failed preview has none");
  });

  it("says that a secret output can change, without its values", () => {
    const report = reportOf("string-changed");
    assert.deepEqual(report.secretOutputs, ["DATABASE_URL"]);
    assert.match(markdown(report), /The secret output `DATABASE_URL` can change, too\./);
    const log = JSON.stringify(read("string-changed").events).replaceAll(
      /"DATABASE_URL":\{[^}]*\}(?=,"ordersUrl":"db\+srv:\/\/orders-pri)/g,
      '"DATABASE_URL":"db://plain.example"',
    );
    const changed = interpret([eventLog(z.array(z.unknown()).parse(JSON.parse(log)))]);
    assert.match(markdown(changed), /\| `DATABASE_URL` \| \(secret\) \| \(secret\) \|/);
    assert.doesNotMatch(JSON.stringify(changed), /plain\.example/);
    const state = (count: number) => ({ outputs: { app: { url: "[secret]", count } } });
    const stack = { op: "same", urn: urnOf("s", "pulumi:pulumi:Stack") };
    const both = eventLog([
      { sequence: 1, resourcePreEvent: { metadata: { ...stack, old: state(1), new: state(2) } } },
      { sequence: 2, summaryEvent: { resourceChanges: {} } },
    ]);
    const { outputs, secretOutputs } = interpret([both]);
    assert.deepEqual([outputs.length, secretOutputs], [1, []]);
  });

  it("distinguishes a string that the program changes from one that the service changes", () => {
    const [byProgram] = reportOf("string-changed").changes;
    assert.deepEqual(
      [byProgram?.cause, byProgram?.position],
      ["program", { file: "index.ts", line: 6 }],
    );
    const [mode] = reportOf("drift").changes;
    assert.deepEqual([mode?.cause, mode?.position], ["service", undefined]);
    const lookup = (host: string, rest: object = {}) => ({
      ...{ projectId: "p", clusterName: "orders", recommendedKind: "privateSrv" },
      ...{ recommended: `db+srv://${host}`, ...rest },
    });
    const [byService] = reportOn({
      // waitSeconds does not select the string.
      steps: [update("orders", lookup("a"), lookup("b", { waitSeconds: 60 }))],
    }).changes;
    assert.equal(byService?.cause, "service");
  });

  it("follows a changed string, and the lookups of a changed mode, to resources and outputs", () => {
    const [string] = reportOf("string-changed").changes;
    const [mode] = reportOf("disable-allowed").changes;
    for (const receivers of [string?.receivers, mode?.receivers]) {
      const found = [receivers?.direct, receivers?.further].map((all) =>
        all?.map(({ name }) => name),
      );
      assert.deepEqual([found, receivers?.outputs], [[["orders-db"], ["api"]], ["ordersUrl"]]);
    }
    assert.deepEqual(
      mode?.receivers?.lookups.map(({ name }) => name),
      ["orders"],
    );
  });

  it("says that the preview stopped, and which resources were not checked", () => {
    const { notPreviewed } = reportOf("misspelled-cluster");
    assert.deepEqual(
      notPreviewed?.map(({ name }) => name),
      ["orders"],
    );
    assert.match(
      markdown(interpret([events("misspelled-cluster")])),
      /\nThe preview stopped here\. Later resources were not checked\.\n/,
    );
    assert.doesNotMatch(markdown(reportOf("no-change")), /stopped here/);
  });

  it("has no line for a problem with settings or credentials", () => {
    for (const message of [
      "the settings have 2 problems:\n  a\n  b\n[clouddb-settings]",
      "the service responded with 401. [clouddb-authentication]",
    ]) {
      const placed = update("orders", {}, {}, { sourcePosition: "project:///index.ts#3" });
      const about = { ...diagnostic(message), urn: urnOf("orders") };
      const [error] = reportOn({ steps: [placed], diagnostics: [about] }).errors;
      assert.deepEqual([error?.resource, error?.position], [undefined, undefined]);
    }
  });

  it("has the line of the program's own error", () => {
    const [error] = reportOf("program-error").errors;
    assert.deepEqual(error?.position, { file: "index.ts", line: 6 });
    for (const [text, position] of [
      ["x\n    at async main (/infra/src/a b.ts:12:3)", { file: "src/a b.ts", line: 12 }],
      ["x\n    at /infra/index.mjs:2:1", { file: "index.mjs", line: 2 }],
      ["Unable to compile:\nindex.ts(7,3): error TS2322: no", { file: "index.ts", line: 7 }],
      [
        "x\n    at a (node:internal/x.js:1:1)\n    at b (/infra/node_modules/c/d.js:1:1)",
        undefined,
      ],
      ["x\n    at c (/other/index.ts:1:1)", undefined],
    ] as const) {
      const { errors } = interpret([], { exitCode: 1, log: `error: ${text}`, folder: "/infra" });
      assert.deepEqual(errors[0]?.position, position, text);
    }
  });

  it("has a line of the program, not of this package", () => {
    const root = resolve(__dirname, "../../..");
    const own = relative(root, require.resolve("../../../provider/src/index.ts"));
    const frames = [own, "node_modules/a/index.js", "infra/index.ts"];
    const step = update(
      "orders",
      {},
      { databaseVersion: "8.0.0" },
      {
        stackTrace: frames.map((file) => ({ sourcePosition: `project:///${file}#4,2` })),
      },
    );
    const created = { ...step, op: "create", oldState: null };
    const [change] = reportOn({ steps: [created] }, { folder: root }).changes;
    assert.deepEqual(change?.position, { file: "infra/index.ts", line: 4 });
  });

  it("shows the errors of the log and of the preview, without duplicates", () => {
    const [known = ""] = reportOf("misspelled-cluster").errors.map(({ text }) => text);
    const log = `warning: slow\nerror: ${known}\nerror: cannot write\nmore of it\nwarning: x`;
    const { errors } = reportOf("misspelled-cluster", { log });
    assert.deepEqual(
      errors.map(({ text }) => text),
      ["cannot write\nmore of it", known],
    );
    assert.equal(reportOf("no-change", { log: "error: x" }).outcome, "unchanged");
  });

  it("shows the retries of a download once, but every other warning that differs in a number", () => {
    const retries = [1, 2, 3, 4, 5].map((at) => `Downloading failed; retrying in ${at} s`);
    const diagnostics = [...retries, "cluster-1 is old", "cluster-2 is old"].map((message) => ({
      ...{ message, severity: "warning" },
    }));
    assert.equal(reportOn({ diagnostics }).warnings.length, 3);
  });

  it("counts a mandatory policy as an error and another one as a warning", () => {
    const of = (enforcementLevel: string) =>
      interpret([
        eventLog([
          {
            sequence: 1,
            policyEvent: { message: "use peering", policyName: "network", enforcementLevel },
          },
          { sequence: 2, summaryEvent: { resourceChanges: {} } },
        ]),
      ]);
    assert.equal(of("mandatory").outcome, "failed");
    assert.deepEqual([of("advisory").outcome, of("advisory").warnings.length], ["unchanged", 1]);
  });

  it("counts changes that the JSON of a preview does not describe", () => {
    const { outcome, verdict } = reportOn({ changeSummary: { update: 2, same: 1, read: 3 } });
    assert.deepEqual(
      [outcome, verdict],
      ["changed", "Changes: 2 changes are described only in an event log."],
    );
  });

  it("counts an unknown operation as a change", () => {
    const text = JSON.stringify(read("disable-allowed").json).replaceAll('"update"', '"rebuild"');
    assert.equal(interpret([readInput(text, "it")]).outcome, "changed");
  });

  it("shows no secret", () => {
    const { json: preview, state } = read("secret-string");
    const planted = JSON.stringify(preview).replaceAll("db+srv://", "db+srv://app:pass/wd@");
    const report = interpret([readInput(planted, "it"), readInput(JSON.stringify(state), "it")], {
      log: "at https://user:hunter2@host",
    });
    const all = [markdown(report), githubAnnotations(report, ""), JSON.stringify(report)];
    assert.doesNotMatch(all.join("\n"), /pass|hunter2/);
  });

  it("redacts access tokens, and unencoded passwords completely", () => {
    const log = [
      `db://app:p"a<s's@w@db.example/x`,
      '{"authorization":"Bearer abc.DEF-123=="}',
      "bearer xyz",
    ].join("\n");
    assert.deepEqual(reportOf("no-change", { log }).output, [
      'db://[secret]@db.example/x\n{"authorization":"Bearer [secret]"}\nbearer [secret]',
    ]);
  });

  it("warns about a stack output with credentials in plain text", () => {
    const log = (read("disable-allowed").events ?? []).map((each) => JSON.stringify(each));
    const text = log
      .join("\n")
      .replaceAll('"ordersUrl":"db+srv://', '"ordersUrl":"db+srv://u:hunter2@');
    const report = interpret([readInput(text, "it")]);
    assert.match(
      report.warnings.map((each) => each.text).join("\n"),
      /the stack output ordersUrl contains credentials in plain text/,
    );
    assert.doesNotMatch(JSON.stringify(report), /hunter2/);
    assert.doesNotMatch(markdown(reportOf("disable-allowed")), /in plain text/);
  });

  it("shows no output of a new resource that the program marks as secret", () => {
    const oldState = /"oldState":\{(?:[^{}]|\{[^{}]*\})*\},/g;
    const created = JSON.stringify(read("secret-string").json)
      .replace(oldState, "")
      .replaceAll('"update"', '"create"');
    const [change] = interpret([readInput(created, "it")]).changes;
    assert.deepEqual(change?.to, { kind: "internet", host: "[secret]" });
  });

  it("shows a string that differs only in its options, and a lookup whose string stays", () => {
    const of = (options: string, rest: object = {}) => ({
      ...{ projectId: "p", clusterName: "a", recommendedKind: "standard", ...rest },
      recommended: `db://a.db.example${options}`,
    });
    const option = markdown(reportOn({ steps: [update("a", of("/?w=1"), of("/?w=2"))] }));
    assert.match(option, /`a\.db\.example \?w=1` \|.*`a\.db\.example \?w=2`/);
    const version = [{ databaseVersion: "7.0.1" }, { databaseVersion: "8.0.0" }] as const;
    const same = markdown(
      reportOn({ steps: [update("a", of("", version[0]), of("", version[1]))] }),
    );
    assert.match(same, /#### 1 lookup: `internet \(hosts\)`, same string\n/);
    assert.match(same, /\n- databaseVersion: 7\.0\.1\n\+ databaseVersion: 8\.0\.0\n/);
  });

  it("groups equal changes, and folds them after ten", () => {
    const steps = [...list(12, (at) => moved(`orders-${at}`)), moved("x", "privateEndpointSrv")];
    const text = markdown(reportOn({ steps, changeSummary: { update: 13 } }));
    assert.match(text, /\n#### 12 lookups: `peering` to `internet`\n/);
    assert.match(text, /\n#### 1 lookup: `peering` to `privateEndpoint`\n/);
    const [, shown = "", folded = ""] =
      /to `internet`\n([^]*?)<details><summary>2 more<\/summary>([^]*?)<\/details>/.exec(text) ??
      [];
    assert.deepEqual(
      [shown, folded].map((each) => each.match(/\| `orders-\d+`/g)?.length),
      [10, 2],
    );
  });

  it("warns about deletes and replacements of other resources, and names their changes", () => {
    const other = (op: string, name: string) => ({ op, urn: urnOf(name, "aws:s3/bucket:Bucket") });
    const steps = [
      ...[other("delete", "logs"), other("update", "app-10"), other("update", "app-2")],
      ...["create-replacement", "replace", "delete-replaced"].map((op) => other(op, "data")),
    ];
    const report = reportOn({ steps });
    assert.equal(report.verdict, "Changes: 4 other resources change.");
    const text = markdown(report);
    assert.match(
      text,
      /\n> \[!WARNING\]\n> Deletes Bucket `logs`\.<br>\n> Replaces Bucket `data`\.\n/,
    );
    assert.match(
      text,
      /4 changes of other resources[^]*update Bucket app-2\nupdate Bucket app-10\n/,
    );
  });
});

describe("the input of a report", () => {
  for (const [text, problem] of [
    ["", /it is empty/],
    ["Previewing update (dev):", /it is not JSON in line 1, or was truncated/],
    ["db://app:s3cret@orders", /^ProviderError: it is not JSON in line 1, [^]*(?<!s3cret.*)$/],
    [" {} ", /it is empty/],
    ['{"version": 3}', /neither "steps".*nor "deployment"/],
    ["[1]", /it, line 1 is not/],
    ['{"steps": [{"op": "same"}]}', /steps\.0\.urn/],
    ['{"steps": [{"op": "same", "urn": "orders"}]}', /steps\.0\.urn: not a URN/],
    ['{"sequence": 1}\nno\n{"sequence": 2}', /not JSON in line 2,/],
    [
      '{"sequence": 1}\n{"sequence": 2, "diagnosticEvent": {}}',
      /line 2 .*diagnosticEvent\.message/,
    ],
    ['{"deployment": {"resources": [{}]}}', /deployment\.resources\.0\.urn/],
  ] as const) {
    it(`is refused if it is ${text === "" ? "empty" : JSON.stringify(text)}`, () => {
      assert.throws(() => readInput(text, "it"), problem);
    });
  }

  it("is refused with the log, the only source of what happened", () => {
    const log = "error: at db://u:hunter2@host\u001b[2J";
    assert.throws(
      () => createReport(() => [readInput("Previewing", "preview.json")], { exitCode: 1, log }),
      {
        name: "ProviderError",
        message:
          /^preview\.json is not JSON[^]*\nThis is what pulumi printed:\nerror: at db:\/\/\[secret\]@host\\u\{1b\}\[2J$/,
      },
    );
  });

  it("is refused if it describes two stacks, or one twice", () => {
    const other = JSON.stringify(read("no-change").json).replaceAll(
      "pulumi:production",
      "pulumi:dev",
    );
    const inputs = [events("no-change"), readInput(other, "it")];
    assert.throws(
      () => createReport(() => inputs, {}),
      /two different stacks, infra\/production and infra\/dev/,
    );
    const twice = [json("no-change"), json("no-change")];
    assert.throws(() => createReport(() => twice, {}), /Two of the files are the same kind/);
  });

  it("can be an event log that is larger than a string of Node.js", () => {
    const debug = { sequence: 1, diagnosticEvent: { severity: "debug", message: "x".repeat(1e6) } };
    const line = JSON.stringify(debug);
    function* lines() {
      // 600 million characters; Node.js limits a string to 537 million.
      for (let at = 0; at < 600; at++) yield line;
      yield* (read("no-change").events ?? []).map((each) => JSON.stringify(each));
    }
    const { diagnostics, counts } = readEventLog(lines(), "it");
    assert.deepEqual([diagnostics, counts], [[], { same: 3 }]);
  }).timeout(30_000);
});
