import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { githubAnnotations } from "../../../provider/src/ci/annotations";
import { argsSchema } from "../../../provider/src/clusterConnectionStrings/args";
import { readInputs } from "../../../provider/src/host/inputs";
import { readEventLog } from "../../../provider/src/report/read/eventLog";
import { markdown } from "../../../provider/src/report/write/markdown";
import { buildReport } from "../../../provider/src/report/decide/buildReport";
import { readStackExport } from "../../../provider/src/report/read/stackExport";
import {
  diagnostic,
  eventLog,
  eventsOf,
  folder,
  list,
  lookup,
  moved,
  names,
  read,
  recorded,
  reportOf,
  reportOn,
  secret,
  shownText,
  stateOf,
  unknown,
  update,
  urnOf,
} from "./recorded";

const modeUrn = urnOf("orders", "clouddb:index:PrivateIpMode");
/** The state of a resource that the program declares at these places. */
const placed = (...places: string[]) =>
  stateOf({ urn: modeUrn, stackTrace: places.map((sourcePosition) => ({ sourcePosition })) });
const declared = (enabled: boolean) => ({ inputs: { projectId: "p", enabled } });
const [on, off] = [declared(true), declared(false)];
const stack = { op: "same", urn: urnOf("s", "pulumi:pulumi:Stack") };
const failing = (message: string) => reportOn({ diagnostics: [diagnostic(message)] });

describe("a report of a preview", () => {
  for (const name of names) {
    it(`is as expected: ${name}`, () => {
      assert.equal(markdown(reportOf(name)), readFileSync(join(folder, `${name}.md`), "utf8"));
    });
  }

  const ofUnknown = { inputs: { ...on.inputs, projectId: unknown } };
  for (const [what, step, end] of [
    [
      "is deleted",
      { op: "delete", old: on },
      "keeps its value, but this stack no longer manages it.",
    ],
    [
      "is created as off",
      { op: "create", new: off },
      "\nIf the mode is on, this update disables it.",
    ],
    ["of an unknown project is created", { op: "create", new: ofUnknown }, "`on`"],
  ] as const) {
    it(`says what happens to a mode that ${what}`, () => {
      const text = shownText([{ urn: modeUrn, ...step }]);
      assert.ok(text.endsWith(`${end}\n`), text);
    });
  }

  const outside = ", outside this stack";
  // The npm package adds an input. The plugin does not, but its warnings name the resource.
  for (const [what, old, now, input, codes, text] of [
    ["is created and enabled", null, on, "off", ["enabling"], "`off` → `on`"],
    ["is created and disabled", null, off, "on", ["disabling"], "`on` → `off`"],
    ["is created and cannot be read", null, on, "not known", undefined, "`not known` → `on`"],
    ["is created as it is", null, on, undefined, [], "`on`"],
    ["is enabled", off, on, undefined, ["enabling"], "`off` → `on`"],
    ["is enabled after it was disabled", off, on, "off", undefined, "`off` → `on`"],
    ["is enabled and cannot be read", off, on, "not known", undefined, "`off` → `on`"],
    ["is enabled again", on, on, `off${outside} again`, undefined, "`off` → `on`"],
    ["was changed and is enabled", on, on, `off${outside}`, ["drift", "enabling"], "`off` → `on`"],
    ["was changed and is only recorded", on, off, `off${outside}`, ["drift"], "`off`"],
  ] as const) {
    it(`says what the service has if a mode ${what}`, () => {
      const step = { op: old === null ? "create" : "update", urn: modeUrn, old, new: now };
      const marked = { ...step, new: { inputs: { ...now.inputs, changesFrom: input } } };
      const other = [diagnostic("x [clouddb-enabling] [clouddb-drift]", "warning", "another")];
      const headingOf = (parts: object) =>
        /in project `p`: (.*)/.exec(markdown(reportOn(parts)))?.[1];
      assert.equal(headingOf({ steps: [marked], diagnostics: other }), text);
      const diagnostics = codes?.map((code) => diagnostic(`x [clouddb-${code}]`, "warning"));
      if (diagnostics) assert.equal(headingOf({ steps: [step], diagnostics }), text);
    });
  }

  for (const [step, summary] of [
    [{ op: "update", old: off, new: on }, "Private IP mode will be enabled in 1 project."],
    [{ op: "update", old: on, new: off }, "Private IP mode will be disabled in 1 project."],
    [{ op: "create", new: on }, "This stack starts to manage private IP mode in 1 project."],
    [{ op: "delete", old: on }, "This stack no longer manages private IP mode in 1 project."],
    [{ op: "update", old: on, new: on }, "Changes to 1 PrivateIpMode resource."],
  ] as const) {
    it(`summarizes the step on a mode: ${summary}`, () => {
      assert.equal(reportOn({ steps: [{ urn: modeUrn, ...step }] }).summary, summary);
    });
  }

  it("does not say what a mode changes from after a change without an answer", () => {
    const { inputs } = off;
    const step = { op: "update", urn: modeUrn, old: { inputs, outputs: { projectId: "p" } } };
    for (const [changed, changesFrom, text] of [
      [off, undefined, "`not known` → `off`"],
      [on, undefined, "`not known` → `on`"],
      [on, "not known", "`not known` → `on`"],
      // The service has a GET for the mode again.
      [on, "off", "`off` → `on`"],
      [on, `on${outside}`, "`on`"],
    ] as const) {
      const shown = shownText([{ ...step, new: { inputs: { ...changed.inputs, changesFrom } } }]);
      const sentence = "The outcome of an earlier change is not known, so the state does not";
      assert.ok(shown.includes(`in project \`p\`: ${text}\n\n${sentence}`), shown);
    }
  });

  it("says that a refresh found another mode, whether or not the update changes it back", () => {
    const read = ({ inputs }: typeof on) => ({
      inputs: { ...inputs, changesFrom: "x" },
      outputs: inputs,
    });
    const found = { ...off, outputs: off.inputs };
    const refreshed = (now: object | null, ...steps: readonly object[]) => {
      const refresh = { op: "refresh", urn: modeUrn, old: read(on) };
      const events = [
        { resourcePreEvent: { metadata: { ...refresh, new: read(on) } } },
        { resOutputsEvent: { metadata: { ...refresh, new: now } } },
      ].map((event) => ({ sequence: 1, ...event }));
      return markdown(buildReport({ preview: eventLog([...events, ...eventsOf({ steps })]) }));
    };
    const only = refreshed(found, { op: "same", urn: modeUrn, old: off, new: off });
    assert.match(only, /\n\nPrivate IP mode of 1 project differs from the state\.\n/);
    assert.match(only, /`refresh` .*: `on` → `off`\n$/);
    assert.match(
      refreshed(found, { op: "update", urn: modeUrn, old: off, new: on }),
      /`update` .*: `off` → `on`\n\nThe mode in the service differs from the state\.\n/,
    );
    const removed = refreshed(null);
    assert.match(removed, /\n\n1 project of a mode no longer exists in the service\.\n/);
    assert.match(removed, /: `on`\n\nThe project no longer exists\.\n$/);
  });

  it("says that a mode changes only the addresses of legacy host names", () => {
    const mode = { op: "update", urn: modeUrn, old: on, new: off };
    const legacySrv = "db+srv://a-ab1cd.db.example";
    const standard = { recommendedKind: "standardSrv", recommended: "db+srv://a.ab1cd.db.example" };
    for (const [rest, users, changed = off] of [
      [{ ...standard, legacySrv }, ""],
      [{ ...standard, recommended: legacySrv, legacySrv }, " They are used by lookup `db`."],
      [{ ...standard, legacySrv: null }, undefined],
      // Such as a mode that is only recorded.
      [{ ...standard, legacySrv }, undefined, on],
    ] as const) {
      const same = lookup(rest);
      const step = { ...mode, new: changed };
      const text = shownText([step, { ...update("db", same, same), op: "same" }]);
      const sentence =
        /but the host names in its legacy strings resolve to different addresses\.(.*)\n/;
      assert.equal(sentence.exec(text)?.[1], users);
    }
  });

  it("is not partial if the preview finished, but pulumi failed because it expected no changes", () => {
    const { outcome, isPartial } = reportOf("string-changed", { exitCode: 7 });
    assert.deepEqual([outcome, isPartial], ["failed", false]);
  });

  for (const name of ["protected-deletion", "protected-replacement"]) {
    it(`is not partial, and does not say that a mode is no longer managed: ${name}`, () => {
      const report = reportOf(name);
      assert.deepEqual([report.outcome, report.isPartial], ["failed", false]);
      const refused = report.changes.filter(({ hasError }) => hasError);
      assert.deepEqual(
        refused.map(({ type }) => type),
        ["PrivateIpMode"],
      );
      assert.match(markdown(report), /\n#### 1 lookup: added\n/);
      assert.doesNotMatch(markdown(report), /no longer manages|stopped here|Deletes .*`kept`/);
    });
  }

  it("is partial after an error, unless the events show that Pulumi went on to the end", () => {
    const of = (...events: readonly object[]) => {
      const all = [...events, { summaryEvent: { result: "failed" } }];
      return buildReport({ preview: eventLog(all.map((event) => ({ sequence: 1, ...event }))) });
    };
    const step = (op: string, name: string) => ({
      resourcePreEvent: { metadata: { op, urn: urnOf(name), old: null, new: null } },
    });
    const error = (message: string, name?: string) => ({
      diagnosticEvent: { severity: "error", message, ...(name && { urn: urnOf(name) }) },
    });
    const end = error("preview failed\n");
    const missing = error(
      "Target 'urn:x' could not be found in the stack. Did you forget to escape $?",
    );
    const created = step("create", "a");
    for (const [title, isPartial, events] of [
      ["a check failed", true, [created, error("invalid", "b")]],
      ["the program failed", true, [created, error("unhandled exception")]],
      ["a read failed", true, [created, step("read", "b"), error("missing", "b"), end]],
      ["there is no error", true, [created]],
      ["it failed before the first resource", false, [error("invalid")]],
      [
        "a replacement is refused",
        false,
        [created, error("protected", "b"), step("replace", "b"), end],
      ],
      [
        "a deletion is refused",
        false,
        [created, step("delete", "b"), error("protected", "b"), end],
      ],
      ["a target is missing", false, [created, missing]],
      ["a check failed, too", true, [error("protected", "a"), created, error("invalid", "b"), end]],
      ["a target is missing, too", true, [created, missing, error("invalid", "b")]],
    ] as const)
      assert.equal(of(...events).isPartial, isPartial, title);
  });

  it("compares no outputs if a refresh did not run the program, but names the stack", () => {
    const urn = "urn:pulumi:dev::infra::pulumi:pulumi:Stack::infra-dev";
    const metadata = {
      op: "refresh",
      urn,
      old: { outputs: { url: "a" } },
      new: { outputs: { url: "a" } },
    };
    const events = [
      { resourcePreEvent: { metadata } },
      { resOutputsEvent: { metadata } },
      { summaryEvent: { result: "succeeded" } },
    ];
    const { title, outcome, outputs, secretOutputs } = buildReport({
      preview: eventLog(events.map((event) => ({ sequence: 1, ...event }))),
      state: stateOf({ urn, outputs: { url: "a", key: "[secret]" } }),
    });
    assert.deepEqual([title, outcome, outputs, secretOutputs], ["infra/dev", "unchanged", [], []]);
  });

  it("fails if the preview did not finish", () => {
    const log = read("disable-allowed").events.map((event) => JSON.stringify(event));
    const cut = log.join("\n").slice(0, -10);
    const { summary } = buildReport({ preview: readEventLog(cut, "it") });
    assert.equal(summary, "Failed: the preview did not finish.");
  });

  it("shows the log of a preview that failed before it began", () => {
    const log = "error: getting stack configuration: incorrect passphrase";
    const report = buildReport({ preview: undefined, exitCode: 255, log });
    assert.equal(report.summary, "Failed with 1 error.");
    assert.match(markdown(report), /> `getting stack configuration: incorrect passphrase`\n/);
    const { summary } = buildReport({ preview: undefined, exitCode: 255 });
    assert.equal(summary, "Failed before the preview began.");
  });

  it("compares stack outputs", () => {
    const state = (name: string) => ({ outputs: { [name]: "db+srv://orders.ab1cd.db.example" } });
    const { summary, outputs } = reportOn({
      steps: [{ ...stack, old: state("ordersUrl"), new: state("databaseUrl") }],
    });
    assert.equal(summary, "Changes to 2 stack outputs.");
    assert.deepEqual(
      outputs.map(({ name }) => name),
      ["databaseUrl", "ordersUrl"],
    );
    assert.equal(outputs[0]?.new, "db+srv://orders.ab1cd.db.example");
    assert.deepEqual(reportOf("misspelled-cluster").outputs, [], "a failed preview has none");
  });

  it("shows the first difference of long values", () => {
    const start = `db://${list(40, (at) => `orders-shard-00-${at}.ab1cd.db.example`).join()}/?w=`;
    const end = "x".repeat(400);
    const [before, after] = ["majority", "2"].map((text) => `${start}${text}${end}`);
    const of = (rest: object) => lookup({ recommendedKind: "standard", ...rest });
    const stackOf = (text = "") => ({ outputs: { endpoints: [text.replaceAll("orders", "a")] } });
    const text = shownText([
      update("a", of({ recommended: before }), of({ recommended: after })),
      update("b", of({ others: { a: before } }), of({ others: { a: after } })),
      { ...stack, old: stackOf(before), new: stackOf(after) },
    ]);
    assert.match(text, /\| `a` \| `…[^`]*\/\?w=majorityx+…` \| `…[^`]*\/\?w=2x+…` \|/);
    assert.match(text, /\| `endpoints` \| `…[^`]*\/\?w=majority.*` \| `…[^`]*\/\?w=2x.*` \|/);
    assert.match(text, /\n- others: .*\/\?w=majority.*\n\+ others: .*\/\?w=2x/);
  });

  it("shows an output that receives a string, and changes in other ways, too", () => {
    const [before, after] = ["orders-pri", "orders"].map((host) => `${host}.ab1cd.db.example`);
    const outputsOf = (host = "", count = 1) => ({
      outputs: {
        url: `db+srv://${host}`,
        urls: { orders: `db+srv://app:pass@${host}/shop`, billing: `db+srv://${host}` },
        endpoints: list(count, () => ({ srv: `db+srv://${host}` })),
      },
    });
    const { outputs } = reportOn({
      steps: [moved("orders"), { ...stack, old: outputsOf(before), new: outputsOf(after, 2) }],
    });
    assert.deepEqual(
      outputs.map(({ name }) => name),
      ["endpoints"],
    );
  });

  for (const [what, old, changed, rows] of [
    ["an output", secret, "db+srv://app:pass@orders", [["", "[secret]", "plain text"]]],
    [
      "an output with this text in it",
      secret,
      "db://app:[secret]@orders",
      [["", "[secret]", "plain text"]],
    ],
    ["an output, the other way round", "db://plain", secret, [["", "plain text", "[secret]"]]],
    [
      "an output that is not known yet",
      secret,
      unknown,
      [["", "[secret]", "(known after the update)"]],
    ],
    ["a new output", undefined, secret, [["", undefined, "[secret]"]]],
    ["an output of other secrets", secret, { ...secret, ciphertext: "other" }, []],
    ["all parts", secret, { a: 1 }, [["", "[secret]", "plain text"]]],
    ["a part", { a: secret, b: 1 }, { a: "x", b: 1 }, [[".a", "[secret]", "plain text"]]],
    [
      "a part that is not known",
      { a: secret, b: 1 },
      { a: unknown, b: 2 },
      [
        [".a", "[secret]", "(known after the update)"],
        [".b", "1", "2"],
      ],
    ],
    ["some parts", secret, { a: secret, b: [1] }, [[".b", "[secret]", "plain text"]]],
    ["a part of a list", [{ a: secret }, "x"], [{ a: secret }], [["[1]", "x", undefined]]],
  ] as const) {
    it(`compares secrets, without their values: ${what}`, () => {
      const steps = [
        { ...stack, old: { outputs: { url: old } }, new: { outputs: { url: changed } } },
      ];
      const report = reportOn({ steps });
      const shown = report.outputs.map(({ name, old: before, new: now }) => [name, before, now]);
      assert.deepEqual(
        shown,
        rows.map(([path, ...values]) => [`url${path}`, ...values]),
      );
      assert.doesNotMatch(JSON.stringify(report), /pass|plain\b(?! text)/);
    });
  }

  it("says that a secret output was not compared, even if only a part of it is a secret", () => {
    const outputs = { a: { b: [secret] }, c: secret, d: "x" };
    const text = shownText([{ ...stack, old: { outputs }, new: { outputs } }]);
    assert.match(
      text,
      /: no changes\n\nThe values of these secret outputs were not compared: `a`, `c`\.\n$/,
    );
  });

  it("shows a secret that becomes plain text in a table", () => {
    const steps = [{ ...stack, old: { outputs: { url: secret } }, new: { outputs: { url: "x" } } }];
    assert.match(shownText(steps), /\n\| `url` \| `\[secret\]` \| plain text \|\n/);
  });

  it("warns if a stack output becomes what Pulumi writes in place of an output", () => {
    const error = (method: string) => `Calling [${method}] on an [Output<T>] is not supported.\n`;
    const outputs = (old: object, changed: object) => {
      const step = { ...stack, old: { outputs: old }, new: { outputs: changed } };
      return /> (Stack output.*)\n/.exec(shownText([step]))?.[1];
    };
    const broken = { A: `${error("toString")}/shop`, b: { c: [error("toJSON")] }, d: "x" };
    const problem =
      "the text of an error, because the program converted an output to text. Build the text with pulumi.interpolate or apply.";
    assert.equal(outputs({ A: secret }, broken), `Stack outputs \`A\`, \`b\` contain ${problem}`);
    assert.equal(
      outputs({ ...broken, d: "y", A: 1 }, broken),
      `Stack output \`A\` contains ${problem}`,
    );
    assert.equal(outputs(broken, { ...broken, d: "y" }), undefined);
  });

  it("names the secret outputs that may contain a changed string, whether or not they are known", () => {
    const stackWith = (outputs: object, changed: object = outputs) => ({
      ...stack,
      old: { outputs },
      new: { outputs: changed },
    });
    const secrets = { A_URL: secret, B_URL: secret };
    for (const B_URL of [secret, unknown]) {
      const text = shownText([moved("orders"), stackWith(secrets, { ...secrets, B_URL })], {
        state: [],
      });
      assert.match(
        text,
        /\nRunning applications use the old string until they restart\.\n\nSecret outputs \(`A_URL`, `B_URL`\) may contain the new string; this report cannot see into them, nor which stacks read them\.\n/,
      );
      assert.doesNotMatch(text, /not compared/);
    }
    const outputs = { ...secrets, url: "db+srv://orders.ab1cd.db.example" };
    assert.match(
      shownText([moved("orders"), moved("billing"), stackWith(secrets, outputs)], { state: [] }),
      /\| output `url` \|\n\| `billing` .*`db\+srv:\/\/billing[^|]*\|  \|\n/,
    );
    const none = shownText([moved("orders"), stackWith({ a: "x" }, { a: unknown })], { state: [] });
    assert.doesNotMatch(none, /Secret outputs/);
  });

  it("does not say that a secret string stays the same", () => {
    const of = (databaseVersion: string) =>
      lookup({ recommendedKind: "privateSrv", recommended: secret, databaseVersion });
    const text = shownText([update("a", of("7.0.1"), of("8.0.0"))]);
    assert.match(text, /#### 1 lookup: `peering`, secret string\n/);
  });

  it("does not take waitSeconds for a change of the string by the program", () => {
    const of = (host: string, rest: object = {}) =>
      lookup({ recommendedKind: "privateSrv", recommended: `db+srv://${host}`, ...rest });
    const steps = [update("orders", of("a"), of("b", { waitSeconds: 60 }))];
    assert.match(shownText(steps), /#### 1 lookup: `peering`, changed in the service\n/);
  });

  it("shows nothing of a program that ended after the engine, which has no cause of its own", () => {
    const outputOf = (original: string) => {
      const start = ["before", "failed to deliver log message."];
      const lines = [...start, `original message: ${original}`, "message severity: error"];
      const diagnostics = lines.map((message) => ({ message, severity: "info#err" }));
      return reportOn({ diagnostics }).output;
    };
    for (const reason of ["resource monitor shut down", "connection error: desc = refused"])
      assert.deepEqual(outputOf(`Error: 14 UNAVAILABLE: ${reason}`), ["before"]);
    assert.equal(outputOf("Error: no such environment").length, 4);
  });

  it("has messages without the carriage returns of Windows", () => {
    assert.equal(failing("it failed:\r\n  here\r\n").errors[0]?.text, "it failed:\n  here");
  });

  it("shows an error of the engine, but neither progress nor debug messages", () => {
    const said = (severity: string, message: string, rest: object = {}) => ({
      diagnosticEvent: { severity, message, ...rest },
    });
    const events = [
      { errorEvent: { error: "it broke" } },
      said("debug", "password"),
      said("warning", "waiting", { ephemeral: true }),
      said("error", "preview failed\n"),
      said("info", "<{%reset%}>done<{%reset%}>\n"),
      said("info", "<{%reset%}>"),
      { summaryEvent: {} },
    ];
    const preview = eventLog(events.map((event, sequence) => ({ sequence, ...event })));
    const { errors, warnings, output } = buildReport({ preview });
    assert.deepEqual([errors.length, errors[0]?.text], [1, "it broke"]);
    assert.deepEqual([warnings, output], [[], ["done"]]);
  });

  it("has no line for a problem with settings or credentials", () => {
    for (const message of [
      "the settings have 2 problems:\n  a\n  b\n[clouddb-settings]",
      "the service responded with 401. [clouddb-authentication]",
    ]) {
      const state = placed("project:///index.ts#3");
      const [error] = reportOn({ diagnostics: [diagnostic(message)] }, { state }).errors;
      assert.deepEqual(error?.places, [{ resource: undefined, position: undefined }]);
    }
  });

  it("keeps the name of the argument that it is about", () => {
    const inputs = readInputs(argsSchema, { projectId: "p" });
    assert.ok(inputs.kind === "invalid");
    const [failure] = inputs.failures;
    const start = "clouddb:index:ClusterConnectionStrings resource 'orders': property clusterName";
    const [error] = failing(
      `${start} value {<nil>} has a problem: ${failure?.reason ?? ""}`,
    ).errors;
    assert.equal(error?.text, "clusterName is missing; it must be the name of a cluster");
  });

  it("has the line of the program's own error", () => {
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
      const log = `error: ${text}`;
      const { errors } = buildReport({ preview: undefined, exitCode: 1, log, folder: "/infra" });
      assert.deepEqual(errors[0]?.places[0]?.position, position, text);
    }
  });

  it("has a line of the program, not of this package", () => {
    const root = resolve(__dirname, "../../..");
    const own = relative(root, require.resolve("../../../provider/src/index.ts"));
    const frames = [own, "node_modules/a/index.js", "infra/index.ts"];
    const state = placed(...frames.map((file) => `project:///${file}#4,2`));
    const diagnostics = [diagnostic("it failed")];
    const [error] = reportOn({ diagnostics }, { state, folder: root }).errors;
    assert.deepEqual(error?.places[0]?.position, { file: "infra/index.ts", line: 4 });
    const trace = frames.map((file) => `\n    at f (${join(root, file)}:4:2)`).join("");
    const thrown = [{ message: `Error: x${trace}`, severity: "error" }];
    const [other] = reportOn({ diagnostics: thrown }, { folder: root }).errors;
    assert.deepEqual(other?.places[0]?.position, { file: "infra/index.ts", line: 4 });
  });

  it("takes the errors of the log for the cause if the preview reports none", () => {
    const log = "warning: slow\nerror: cannot write\nmore of it\nwarning: x\nerror: preview failed";
    const errorsOf = (name: string, exitCode: number) =>
      reportOf(name, { log, exitCode }).errors.map(({ text }) => text);
    assert.deepEqual(errorsOf("no-change", 1), ["cannot write\nmore of it"]);
    assert.deepEqual(errorsOf("no-change", 0), []);
    assert.equal(errorsOf("misspelled-cluster", 1).length, 1);
    // What the engine says of every failure is left out.
    assert.deepEqual(reportOf("misspelled-cluster", { log }).output, [
      "warning: slow",
      "error: cannot write\nmore of it",
      "warning: x",
    ]);
  });

  it("shows violations and remediations of policies, after which Pulumi goes on", () => {
    const about = { policyName: "network", resourceUrn: urnOf("orders") };
    const violation = (enforcementLevel: string) => ({
      policyEvent: { ...about, message: "use peering", enforcementLevel },
    });
    const before = { projectId: "p", network: { kind: "internet" }, form: "srv" };
    const after = { projectId: "p", network: { kind: "peering" } };
    const resourceUrn = urnOf("logs", "aws:s3:Bucket");
    const added = { policyName: "tags", resourceUrn, after: { tags: {} } };
    const of = (result: string, ...events: object[]) => {
      const steps = eventsOf({ steps: [moved("orders")] }).slice(0, 1);
      const end = { summaryEvent: { result } };
      return buildReport({
        preview: eventLog([...steps, ...events, end].map((event) => ({ sequence: 1, ...event }))),
      });
    };
    const end = { diagnosticEvent: { severity: "error", message: "preview failed\n" } };
    const failed = of("failed", violation("mandatory"), end);
    assert.deepEqual([failed.summary, failed.isPartial], ["Failed with 1 error.", false]);
    const other = { diagnosticEvent: { severity: "error", message: "it is invalid" } };
    assert.ok(of("failed", violation("mandatory"), other, end).isPartial);
    const { outcome, warnings } = of(
      "succeeded",
      violation("advisory"),
      { policyRemediationEvent: { ...about, before, after } },
      { policyRemediationEvent: added },
      { policyRemediationEvent: { ...added, before: added.after, after: undefined } },
    );
    assert.equal(outcome, "changed");
    assert.deepEqual(
      warnings.map(({ text }) => text),
      [
        "policy network: use peering",
        "policy network changes network, form of ClusterConnectionStrings orders.",
        "policy tags changes tags of Bucket logs.",
      ],
    );
  });

  const urlUrn = urnOf("orders", "pulumi-nodejs:dynamic/clouddb:DatabaseUrl");
  const host = "orders-pri.ab1cd.db.example";
  const url = {
    connectionString: `db+srv://${host}`,
    username: "app",
    password: secret,
    database: "shop",
    options: { retryWrites: true },
  };
  /** The step of a changed URL. Only the plugin names the arguments that change. */
  const urlStep = (old: object, changed: object, ...diffs: string[]) => ({
    op: "update",
    urn: urlUrn,
    old: { inputs: { ...url, ...old }, outputs: { url: secret } },
    new: { inputs: { ...url, ...changed } },
    ...(diffs.length === 0 ? {} : { diffs }),
  });

  it("shows the URL of an application without its secrets, and what receives it", () => {
    const propertyDependencies = { data: [urlUrn] };
    const resource = { urn: urnOf("db", "kubernetes:core/v1:Secret"), propertyDependencies };
    const before = `db+srv://app:[secret]@${host}/shop?retryWrites=true`;
    const hosts = "db://a.db.example:1/?authSource=admin";
    const of = (authMechanism: unknown, rest: object = {}) => ({
      connectionString: hosts,
      options: { authMechanism, ...rest },
    });
    for (const [changed, after] of [
      [{ username: "a b" }, before.replace("app", "a%20b")],
      [{ username: secret }, before.replace("app", "[secret]")],
      [{ username: undefined }, before.replace("app:[secret]@", "")],
      [{ password: undefined }, before.replace(":[secret]", "")],
      [{ database: undefined }, before.replace("shop", "")],
      [{ database: secret }, before.replace("shop", "[secret]")],
      [{ connectionString: "DB://a:1/?w=1" }, "db://app:[secret]@a:1/shop?w=1&retryWrites=true"],
      [{ connectionString: secret }, "[secret]"],
      [{ connectionString: "no string" }, "no string"],
      [{ username: unknown }, "(known after the update)"],
      // A URL of before that is refused today, because this mechanism has no password.
      [
        { options: { authMechanism: "MONGODB-X509" } },
        before.replace("retryWrites=true", "authMechanism=MONGODB-X509"),
      ],
      [
        of("PLAIN"),
        "db://app:[secret]@a.db.example:1/shop?authSource=%24external&authMechanism=PLAIN",
      ],
      [
        of(secret),
        "db://app:[secret]@a.db.example:1/shop?authSource=[secret]&authMechanism=[secret]",
      ],
      [
        { connectionString: hosts, options: secret },
        "db://app:[secret]@a.db.example:1/shop?authSource=[secret]&[secret]",
      ],
      [
        { options: { w: unknown, tags: ["a:1", ""] } },
        before.replace("retryWrites=true", "w=(known after the update)&tags=a:1&tags="),
      ],
    ] as const) {
      const text = shownText([urlStep({}, changed)], { state: stateOf(resource) });
      const rows = "| database URL | before | after | received by |\n| --- | --- | --- | --- |\n";
      const row = `| \`orders\` | \`${before}\` | \`${after}\` | Secret \`db\` |\n`;
      assert.ok(text.includes(`\n${rows}${row}`), `${after}: ${text}`);
    }
  });

  for (const [what, old, changed, title, withNames = title] of [
    ["the user", {}, { username: "a b" }, "`peering`, user changes"],
    ["two parts", {}, { username: "b", database: "b" }, "`peering`, user and database change"],
    ["an option", {}, { options: {} }, "`peering`, options change"],
    ["the scheme", {}, { connectionString: `mongodb+srv://${host}` }, "`peering`, string changes"],
    [
      "the host",
      {},
      { connectionString: `db+srv://x-pri.ab1cd.db.example` },
      "`peering`, string changes",
    ],
    [
      "an option of the string",
      {},
      { connectionString: `db+srv://${host}/?w=1` },
      "`peering`, string changes",
    ],
    [
      "the network",
      {},
      { connectionString: "db+srv://orders.ab1cd.db.example" },
      "`peering` to `internet`",
    ],
    [
      "the network and the user",
      {},
      { connectionString: "db+srv://orders.ab1cd.db.example", username: "b" },
      "`peering` to `internet`, user changes",
    ],
    [
      "a string of another service",
      { connectionString: "db://a:1" },
      { connectionString: "db://b:1" },
      "string changes",
    ],
    [
      "the password",
      {},
      { password: { ...secret } },
      "`peering`, a secret part changes",
      "`peering`, a secret part (`password`) changes",
    ],
    [
      "a password that is not known",
      {},
      { password: unknown },
      "`peering`, a secret part changes",
      "`peering`, a secret part (`password`) changes",
    ],
    [
      "a secret user",
      { username: secret },
      { username: secret },
      "`peering`, a secret part changes",
      "`peering`, a secret part (`user`) changes",
    ],
    [
      "a secret string",
      { connectionString: secret },
      { connectionString: secret },
      "a secret part changes",
      "a secret part (`string`) changes",
    ],
    [
      "a secret database",
      { database: secret },
      { database: secret },
      "`peering`, a secret part changes",
      "`peering`, a secret part (`database`) changes",
    ],
    [
      "options that are secrets",
      { options: { proxyPassword: secret } },
      { options: { proxyPassword: secret } },
      "`peering`, a secret part changes",
      "`peering`, a secret part (`options`) changes",
    ],
    [
      "an option beside a secret one",
      { options: { proxyPassword: secret, a: 1 } },
      { options: { proxyPassword: secret, a: 2 } },
      "`peering`, options change",
    ],
    [
      "a string that was a secret",
      { connectionString: secret },
      { connectionString: url.connectionString },
      "a secret part changes",
      "a secret part (`string`) changes",
    ],
    [
      "the user beside a string that ends with a line break",
      { connectionString: `${url.connectionString}\n` },
      { connectionString: `${url.connectionString}\n`, username: "b" },
      "`peering`, user changes",
    ],
    [
      "a part that is not known",
      {},
      { username: unknown },
      "`peering` to a string that is known after the update",
    ],
  ] as const) {
    it(`says what changes in a URL: ${what}`, () => {
      const titleOf = (...diffs: string[]) =>
        /\n#### 1 database URL: (.*)\n/.exec(shownText([urlStep(old, changed, ...diffs)]))?.[1];
      assert.equal(titleOf(), title);
      assert.equal(titleOf(...Object.keys(changed)), withNames);
    });
  }

  it("says that the user and, with the plugin, the password of a URL change", () => {
    const titleOf = (...diffs: string[]) => {
      const step = urlStep({}, { username: "b" }, ...diffs);
      return /\n#### 1 database URL: (.*)\n/.exec(shownText([step]))?.[1];
    };
    assert.equal(titleOf(), "`peering`, user changes");
    assert.equal(
      titleOf("username", "password"),
      "`peering`, user and a secret part (`password`) change",
    );
  });

  it("says that running applications keep the old password if nothing else changes", () => {
    const textOf = (changed: object, ...diffs: string[]) => {
      const step = urlStep({}, { ...changed, password: { ...secret } }, ...diffs);
      const urn = urnOf("db", "app:index:Secret");
      const task = { urn: urnOf("api", "app:index:Task"), propertyDependencies: { secret: [urn] } };
      const steps = [step, { op: "update", urn }, { op: "same", urn: task.urn }];
      const state = stateOf({ urn, propertyDependencies: { url: [step.urn] } }, task);
      return shownText(steps, { state });
    };
    assert.match(
      textOf({}, "password"),
      /\n\nRunning applications keep the old password until they restart\. This update does not change Task `api`, so restart it if it uses the password\.\n/,
    );
    const both = textOf({ username: "b" }, "password", "username");
    assert.match(both, /\n\nRunning applications use the old string /);
  });

  it("does not say that a URL changes that is only replaced", () => {
    const text = shownText([{ ...urlStep({}, {}), op: "replace" }], { state: [] });
    assert.match(text, /\n#### 1 database URL: replaced, `peering`\n/);
    assert.doesNotMatch(text, /Running applications/);
  });

  it("names a plain output with the whole URL in its row, and one with only its string among the outputs", () => {
    const moves = urlStep({}, { connectionString: "db+srv://orders.ab1cd.db.example" });
    const other = urlStep({}, { username: "b" });
    for (const [step, changed, isReceived, isShown] of [
      [moves, "db+srv://orders.ab1cd.db.example", false, true],
      [other, url.connectionString, false, false],
      // Such as pulumi.unsecret(database.url).
      [other, `db+srv://b:pass@${host}/shop`, true, true],
    ] as const) {
      const cs = {
        ...stack,
        old: { outputs: { cs: url.connectionString } },
        new: { outputs: { cs: changed } },
      };
      const text = shownText([step, cs], { state: [] });
      assert.equal(text.includes("| output `cs` |"), isReceived, text);
      assert.equal(/\n#### Stack outputs\n[^]*\n\| `cs` \|/.test(text), isShown, text);
    }
  });

  it("shows an output that moves from one changed string to another", () => {
    const [a, b] = [moved("a"), moved("b")];
    const string = (host: string) => `db+srv://${host}.ab1cd.db.example`;
    const out = {
      ...stack,
      old: { outputs: { current: string("a-pri"), b: string("b-pri") } },
      new: { outputs: { current: string("b"), b: string("b") } },
    };
    const text = shownText([a, b, out], { state: [] });
    assert.match(text, /\nChanges to 2 lookups and 2 stack outputs\.\n/);
    assert.match(text, /\n#### Stack outputs\n[^]*\n\| `current` \|/);
    assert.deepEqual(text.match(/outputs? `.*(?= \|)/g), ["outputs `b`, `current`"]);
    assert.doesNotMatch(text, /\n#### Stack outputs\n[^]*\n\| `b` \|/);
  });

  it("explains an output by its lookup if another one gets the same string", () => {
    const host = "orders.ab1cd.db.example";
    const steps = [moved("a", "standardSrv", host), moved("b", "standardSrv", host)];
    const outputs = (names: Readonly<Record<string, string>>) => ({
      outputs: Object.fromEntries(
        Object.entries(names).map(([name, start]) => [name, `db+srv://${start}.ab1cd.db.example`]),
      ),
    });
    const before = outputs({ a: "a-pri", b: "b-pri" });
    const out = { ...stack, old: before, new: outputs({ a: "orders", b: "orders" }) };
    const text = shownText([...steps, out], { state: [] });
    assert.doesNotMatch(text, /#### Stack outputs/);
  });

  const string = { recommended: "db+srv://orders", recommendedKind: "standardSrv" };
  const renamed = [
    { op: "delete", urn: urnOf("o"), old: { inputs: lookup(string) } },
    { op: "create", urn: urnOf("orders"), new: { inputs: lookup(string) } },
  ];
  const rowsOf = (text: string) => text.split("\n").filter((line) => /^\| `/.test(line));

  it("says that a new output receives an added string, not a deleted one", () => {
    const out = { ...stack, old: { outputs: {} }, new: { outputs: { url: string.recommended } } };
    const text = shownText([...renamed, out], { state: [] });
    assert.deepEqual(rowsOf(text), [
      "| `o` | `internet` `db+srv://orders` |",
      "| `orders` | `internet` `db+srv://orders` | output `url` |",
    ]);
    assert.doesNotMatch(text, /Stack outputs/);
  });

  it("shows an output that is added or removed while the string changes", () => {
    const [before, after] = ["orders-pri", "orders"].map(
      (host) => `db+srv://${host}.ab1cd.db.example`,
    );
    const out = { ...stack, old: { outputs: { old: before } }, new: { outputs: { new: after } } };
    const text = shownText([moved("orders"), out], { state: [] });
    assert.match(text, /\| outputs `new`, `old` \|/);
    assert.match(text, /\n#### Stack outputs\n[^]*\| `new` \|/);
    assert.match(text, /\n#### Stack outputs\n[^]*\| `old` \|/);
  });

  it("hides what the program hides in diffs", () => {
    const { old, new: changed, ...step } = moved("orders");
    const hideDiffs = ["recommended", "network.kind"];
    const text = shownText([{ ...step, old, new: { ...changed, hideDiffs } }]);
    assert.doesNotMatch(text, /db\.example/);
    assert.match(text, /\nChanges to 1 lookup\.\n/);
    const deleted = { ...step, op: "delete", old: { ...old, hideDiffs } };
    assert.doesNotMatch(shownText([deleted]), /db\.example/);
  });

  it("says nothing of outputs if the preview failed, which then has none", () => {
    const urls = { outputs: { A_URL: secret, url: "db+srv://a.ab1cd.db.example" } };
    const diagnostics = [diagnostic("it failed")];
    for (const [steps, state] of [
      [[{ ...stack, old: urls, new: {} }], []],
      [[{ ...stack, old: urls, new: urls }], []],
      [[], stateOf({ urn: stack.urn, ...urls })],
    ] as const) {
      const text = markdown(reportOn({ steps: [moved("a"), ...steps], diagnostics }, { state }));
      assert.doesNotMatch(text, /secret/i);
    }
  });

  it("lists the changes to other resources, and warns about deletions and replacements", () => {
    const step = (name: string, op: string) => ({ op, urn: urnOf(name, "aws:s3:Bucket") });
    const replacement = ["create-replacement", "replace", "delete-replaced"];
    const text = shownText([
      ...replacement.map((op) => step("archive", op)),
      ...list(2, (at) => step(`old-${at}`, "delete")),
      ...list(32, (at) => step(`bucket-${at}`, "update")),
    ]);
    assert.match(
      text,
      /\n\n2 other resources are deleted and 1 other resource is replaced\. Changes to 32 other resources\.\n\n> \[!WARNING\]\n> Deletes Bucket `old-0`, `old-1`\.<br>\n> Replaces Bucket `archive`\.\n/,
    );
    assert.match(
      text,
      /<summary>35 changes to other [^]*\nreplace Bucket archive\ndelete Bucket old-0\n[^]*\nupdate Bucket bucket-26\n… and 5 more\n/,
    );
  });

  it("says that a refresh found another resource changed", () => {
    const metadata = { op: "refresh", urn: urnOf("logs", "aws:s3:Bucket"), old: null, new: null };
    const found = { ...metadata, new: { outputs: { tags: {} } } };
    const events = [
      { resourcePreEvent: { metadata } },
      { resOutputsEvent: { metadata: found } },
      { summaryEvent: { result: "succeeded" } },
    ];
    const preview = eventLog(events.map((event) => ({ sequence: 1, ...event })));
    assert.match(
      markdown(buildReport({ preview })),
      /\n\n1 other resource differs from the state\.\n[^]*\ndiffers from the state: Bucket logs\n/,
    );
  });

  it("says that the service changed a string if a refresh found another one", () => {
    const { old, new: found, urn } = moved("orders", "privateSrv", "orders2-pri");
    const metadata = { op: "refresh", urn, new: null };
    const before = { outputs: old.inputs };
    const events = [
      { resourcePreEvent: { metadata: { ...metadata, old: before } } },
      {
        resOutputsEvent: { metadata: { ...metadata, old: before, new: { outputs: found.inputs } } },
      },
      { summaryEvent: { result: "succeeded" } },
    ];
    const text = markdown(
      buildReport({ preview: eventLog(events.map((event) => ({ sequence: 1, ...event }))) }),
    );
    assert.match(text, /\n1 connection string was changed in the service\.\n/);
    assert.match(text, /\n#### 1 lookup: .*, changed in the service\n/);
  });

  it("shows the recorded string before the update, not the one that a refresh found", () => {
    const { urn, old, new: changed } = moved("orders");
    const found = { outputs: { ...old.inputs, recommended: "db+srv://found-pri" } };
    const recordedState = { outputs: old.inputs };
    const steps = [
      { resourcePreEvent: { metadata: { op: "refresh", urn, old: recordedState, new: null } } },
      { resOutputsEvent: { metadata: { op: "refresh", urn, old: recordedState, new: found } } },
      { resourcePreEvent: { metadata: { op: "update", urn, old: found, new: changed } } },
      { summaryEvent: { result: "succeeded" } },
    ];
    const preview = eventLog(steps.map((event) => ({ sequence: 1, ...event })));
    assert.match(
      markdown(buildReport({ preview })),
      /\| `orders` \| `db\+srv:\/\/orders-pri\.ab1cd\.db\.example` \| `db\+srv:\/\/orders\.ab1cd\.db\.example` \|/,
    );
  });

  for (const [what, op, old, found, title] of [
    ["is new", "read", undefined, "orders", "added"],
    ["has another string", "read", "orders", "moved", "`internet`, changed in the service"],
    ["is removed from the program", "discard", "orders", undefined, "deleted"],
    ["stays the same", "read", "orders", "orders", undefined],
    ["was not read before the preview failed", "read", "orders", "", undefined],
  ] as const) {
    it(`says that a string of a lookup by \`get\` ${what}`, () => {
      const outputs = (host: string) =>
        host === ""
          ? {}
          : lookup({ recommended: `db+srv://${host}`, recommendedKind: "standardSrv" });
      const state = (host: string | undefined) =>
        host === undefined ? null : { outputs: outputs(host) };
      const text = shownText([{ op, urn: urnOf("orders"), old: state(old), new: state(found) }]);
      assert.equal(/\n#### 1 lookup: (.*)\n/.exec(text)?.[1], title, text);
    });
  }

  it("is partial if it failed, even with the deletion of what an earlier update left", () => {
    const diagnostics = [diagnostic("it failed")];
    const isPartial = (isLeftover: boolean) => {
      const old = { outputs: {}, delete: isLeftover };
      const step = { op: "delete", urn: urnOf("logs", "aws:s3:Bucket"), old };
      const events = eventsOf({ steps: [step], diagnostics }).slice(0, -1);
      return buildReport({ preview: eventLog(events), exitCode: 1 }).isPartial;
    };
    assert.deepEqual([true, false].map(isPartial), [true, false]);
  });

  it("does not compare what an earlier update could not delete, which is refreshed under the same URN", () => {
    const metadata = { op: "refresh", urn: urnOf("logs", "aws:s3:Bucket"), new: null };
    const [leftover, current] = [{ delete: true, outputs: { size: 1 } }, { outputs: { size: 2 } }];
    const events = [
      { resourcePreEvent: { metadata: { ...metadata, old: leftover } } },
      { resourcePreEvent: { metadata: { ...metadata, old: current } } },
      { resOutputsEvent: { metadata: { ...metadata, old: leftover } } },
      { resOutputsEvent: { metadata: { ...metadata, old: current, new: current } } },
      { summaryEvent: { result: "succeeded" } },
    ];
    const preview = eventLog(events.map((event) => ({ sequence: 1, ...event })));
    assert.equal(buildReport({ preview }).outcome, "unchanged");
  });

  it("keeps what happens to a resource of which an earlier update could not discard another one", () => {
    const step = moved("orders");
    const leftover = { op: "discard-replaced", urn: step.urn, old: { outputs: {}, delete: true } };
    assert.match(shownText([step, leftover]), /\| `orders` \| `db\+srv:\/\/orders-pri\./);
  });

  it("counts a lookup once that is renamed, and of which a refresh found another string", () => {
    const { urn, old, new: changed } = moved("orders");
    const found = { outputs: { ...old.inputs, recommended: "db+srv://found-pri" } };
    const recordedState = { outputs: old.inputs };
    const renamed = { ...found, urn };
    const steps = [
      { resourcePreEvent: { metadata: { op: "refresh", urn, old: recordedState, new: null } } },
      { resOutputsEvent: { metadata: { op: "refresh", urn, old: recordedState, new: found } } },
      {
        resourcePreEvent: {
          metadata: { op: "update", urn: urnOf("renamed"), old: renamed, new: changed },
        },
      },
      { summaryEvent: { result: "succeeded" } },
    ];
    const preview = eventLog(steps.map((event) => ({ sequence: 1, ...event })));
    assert.match(markdown(buildReport({ preview })), /\nChanges to 1 lookup\.\n/);
  });

  it("shows white space at the end of a name or value", () => {
    const outputs = (a: string) => ({ outputs: { a } });
    const step = { op: "update", urn: urnOf("s", "pulumi:pulumi:Stack") };
    const text = shownText([{ ...step, old: outputs("x"), new: outputs("x ") }]);
    assert.ok(text.includes("`` x  ``") || text.includes("` x  `"), text);
  });

  it("counts an unknown operation as a change", () => {
    const preview = recorded("disable-allowed", ['"update"', '"rebuild"']);
    assert.equal(buildReport({ preview }).outcome, "changed");
  });

  it("shows no secret", () => {
    const preview = recorded("string-changed", ["db+srv://", "db+srv://app:pass/wd@"]);
    const report = buildReport({ preview, log: "at https://user:hunter2@host" });
    const all = [markdown(report), githubAnnotations(report, ""), JSON.stringify(report)];
    assert.doesNotMatch(all.join("\n"), /pass\/wd|hunter2/);
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

  it("shows an output that becomes empty, or whose type alone changes", () => {
    const shown = (before: unknown, after: unknown) => {
      const [old, changed] = [before, after].map((a) => ({ outputs: { a } }));
      const row = /\n\| `a` (.*)\n/.exec(shownText([{ ...stack, old, new: changed }]))?.[1];
      return row?.replaceAll("`", "");
    };
    assert.equal(shown("x", ""), '| x | "" |');
    assert.equal(shown(undefined, ""), '|  | "" |');
    assert.equal(shown(8080, "8080"), '| 8080 | "8080" |');
    assert.equal(shown("true", true), '| "true" | true |');
    assert.equal(shown("1", 2), "| 1 | 2 |");
  });

  it("shows an output with the name of what objects inherit", () => {
    const outputs = { constructor: "x", toString: "x" };
    const text = shownText([{ ...stack, old: { outputs: {} }, new: { outputs } }]);
    assert.match(text, /\n\| `constructor` \|  \| `x` \|\n\| `toString` \|  \| `x` \|\n/);
  });

  it("does not say that a string differs that becomes a secret", () => {
    const { old, new: changed, ...step } = moved("orders", "privateSrv", "orders-pri");
    for (const outputs of [
      { recommended: secret },
      { recommended: secret, recommendedKind: secret },
    ]) {
      const text = shownText([{ ...step, old, new: { ...changed, outputs } }]);
      assert.match(text, /\n#### 1 lookup: .*secret string\n/);
      assert.doesNotMatch(text, /different string|Running applications/);
    }
  });

  it("shows no output of a new resource that the program marks as secret", () => {
    const preview = recorded("secret-string", ['"update"', '"create"']);
    assert.match(markdown(buildReport({ preview })), /\| `orders` \| .* \| `\[secret\]` \|\n/);
  });

  it("shows a string that differs only in its options, and a lookup whose string stays", () => {
    const of = (options: string, rest: object = {}) =>
      lookup({ recommendedKind: "standard", ...rest, recommended: `db://a.db.example${options}` });
    assert.match(
      shownText([update("a", of("/?w=1"), of("/?w=2"))]),
      /`db:\/\/a\.db\.example\/\?w=1` \|.*`db:\/\/a\.db\.example\/\?w=2`/,
    );
    const copied = (options: string) => of(options, { standard: `db://a.db.example${options}` });
    const copies = shownText([update("a", copied("/?w=a"), copied("/?w=b"))]);
    assert.doesNotMatch(copies, /Other changed/);
    const version = (databaseVersion: string) => of("", { databaseVersion });
    const same = shownText([update("a", version("7.0.1"), version("8.0.0"))]);
    assert.match(
      same,
      /`internet \(hosts\)`, same string\n\n\|.*\n\|.*\n\| `a` \| `databaseVersion` \|\n/,
    );
    assert.match(same, /\n- databaseVersion: 7\.0\.1\n\+ databaseVersion: 8\.0\.0\n/);
    assert.doesNotMatch(same, /receive these strings/);
  });

  it("says that a lookup selects another private endpoint", () => {
    const of = (network: object, host: string) =>
      lookup({
        network: { kind: "privateEndpoint", ...network },
        recommendedKind: "privateEndpointSrv",
        recommended: `db+srv://${host}`,
      });
    const google = of({ endpointId: "e", region: "us-east1" }, "b");
    assert.match(
      shownText([update("a", of({ region: "us-east-1" }, "a"), google)]),
      /\n\| `a` \| `db\+srv:\/\/a` with `region us-east-1` \| `db\+srv:\/\/b` with `endpointId e, region us-east1` \|\n/,
    );
    const moves = update("a", google, of({ endpointId: "e", region: "us-east1" }, "c"));
    assert.match(shownText([moves]), /\n\| `a` \| `db\+srv:\/\/b` \| `db\+srv:\/\/c` \|\n/);
  });

  it("groups equal changes", () => {
    const text = shownText([moved("a"), moved("x", "privateEndpointSrv"), moved("b")]);
    assert.match(text, /\n#### 2 lookups: `peering` to `internet`\n/);
    assert.match(text, /\n#### 1 lookup: `peering` to `privateEndpoint`\n/);
  });

  it("says nothing of a change of other receivers if all of them change", () => {
    const preview = recorded("string-changed", ['"same"', '"create"']);
    const { state } = read("string-changed");
    const all = buildReport({ preview, state: readStackExport(JSON.stringify(state), "it") });
    assert.match(all.summary, /, and 2 other resources\.$/);
    assert.match(
      markdown(all),
      /\n\nRunning applications use the old string until they restart\.\n/,
    );
  });
});

describe("a file of a report", () => {
  for (const [text, problem] of [
    ["", /it is empty/],
    [" \n", /it is empty/],
    ["Previewing update (dev):", /line 1 of it is not an event, or was truncated/],
    ["db://app:s3cret@orders", /^ProviderError: line 1 of it is not an event, [^]*(?<!s3cret.*)$/],
    [
      '{"steps": []}',
      /line 1 of it is not an event .*sequence.*PULUMI_ENABLE_STREAMING_JSON_PREVIEW=true/,
    ],
    ["[1]", /line 1 of it is not/],
    ['{"sequence": 1}\nno\n{"sequence": 2}', /line 2 of it is not an event,/],
    [
      '{"sequence": 1}\n{"sequence": 2, "diagnosticEvent": {}}',
      /line 2 .*diagnosticEvent\.message/,
    ],
    [
      JSON.stringify(eventsOf({ steps: [{ op: "same", urn: "orders" }] })[0]),
      /metadata\.urn: not a URN/,
    ],
  ] as const) {
    it(`is refused as an event log if it is ${JSON.stringify(text)}`, () => {
      assert.throws(() => readEventLog(text, "it"), problem);
    });
  }

  for (const [text, problem] of [
    ["", /it is not JSON/],
    ["s3cret", /it is not JSON\.$/],
    ['{"sequence": 1}', /it is invalid: deployment/],
    ['{"deployment": {"resources": [{}]}}', /deployment\.resources\.0\.urn/],
  ] as const) {
    it(`is refused as a stack export if it is ${JSON.stringify(text)}`, () => {
      assert.throws(() => readStackExport(text, "it"), problem);
    });
  }
});
