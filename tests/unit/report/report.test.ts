/** Reports of the previews in recordings/, which `npm run pictures -- --record` records with the real CLI. */
import assert from "node:assert/strict";
import fc from "fast-check";
import markdownIt from "markdown-it";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { disableRefusal } from "../../../provider/src/privateIpMode/guard";
import { githubAnnotations, gitlabCodeQuality } from "../../../provider/src/report/findings";
import { readInput } from "../../../provider/src/report/input";
import { markdown } from "../../../provider/src/report/markdown";
import { type Context, interpret } from "../../../provider/src/report/meaning";
import type { Report } from "../../../provider/src/report/model";
import { createReport } from "../../../provider/src/report/report";

const folder = join(__dirname, "recordings");
const recordingSchema = z.object({
  exitCode: z.number(),
  log: z.string(),
  json: z.unknown().optional(),
  events: z.array(z.unknown()).optional(),
  repeats: z.array(z.array(z.unknown())).default([]),
  state: z.unknown().optional(),
});

const names = readdirSync(folder).flatMap((file) => /^(.*)\.json$/.exec(file)?.[1] ?? []);
const read = (name: string) =>
  recordingSchema.parse(JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")));
const json = (name: string) => readInput(JSON.stringify(read(name).json), "the preview");
const eventLog = (events: readonly unknown[] = []) =>
  readInput(events.map((each) => JSON.stringify(each)).join("\n"), "the log");
const events = (name: string) => eventLog(read(name).events);
const exported = (name: string) => readInput(JSON.stringify(read(name).state), "the export");
const inputsOf = (name: string) => {
  const { json: preview, events: log, state } = read(name);
  return [
    ...(log === undefined ? [] : [events(name)]),
    ...(preview === undefined ? [] : [json(name)]),
    ...(state === undefined ? [] : [exported(name)]),
  ];
};
const reportOf = (name: string, context?: Context) => {
  const { exitCode, log, repeats } = read(name);
  return interpret(inputsOf(name), { exitCode, log, repeats: repeats.map(eventLog), ...context });
};

const urn = "urn:pulumi:dev::infra::pulumi-nodejs:dynamic/clouddb:PrivateIpMode::orders";
const failing = (message: string) =>
  interpret([
    readInput(JSON.stringify({ diagnostics: [{ urn, message, severity: "error" }] }), "it"),
  ]);

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

  it("reads the plugin's resources, too", () => {
    const text = JSON.stringify(read("disable-allowed").json);
    const plugin = text.replaceAll("pulumi-nodejs:dynamic/clouddb:", "clouddb:index:");
    const { verdict } = interpret([readInput(plugin, "it")]);
    assert.equal(verdict, "Changes: private IP mode is turned off in 1 project.");
  });

  it("shows what deleting a mode does to the project", () => {
    const step = { op: "delete", urn };
    const of = (onDelete?: string, __setByStack = true) => {
      const oldState = {
        inputs: { projectId: "p", enabled: true, enabledAtAdoption: false, onDelete },
        outputs: { __setByStack },
      };
      const preview = { steps: [{ ...step, oldState }], changeSummary: { delete: 1 } };
      return interpret([readInput(JSON.stringify(preview), "it")]).changes[0]?.to;
    };
    const [kept, restored] = ["on (no longer managed)", "off (no longer managed)"];
    assert.deepEqual([of(), of("restore"), of("restore", false)], [kept, restored, kept]);
  });

  it("lists the resources of a stack export", () => {
    const report = interpret([exported("secret-string")]);
    assert.equal(report.outcome, "unchanged");
    assert.match(
      markdown(report),
      /\| PrivateIpMode `orders` \| `64a0c0ffee0000000000a001` \| `on` \|/,
    );
    assert.match(markdown(report), /\| `privateSrv` `\[secret\]` \|/);
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
    const all = read("no-change").json;
    const unfinished = {
      ...z.record(z.string(), z.unknown()).parse(all),
      changeSummary: undefined,
    };
    const report = interpret([readInput(JSON.stringify(unfinished), "it")]);
    assert.equal(report.verdict, "Failed: the preview did not finish.");
    const log = (read("disable-allowed").events ?? []).map((each) => JSON.stringify(each));
    const cut = log.join("\n").slice(0, -300);
    assert.equal(interpret([readInput(cut, "it")]).outcome, "failed");
  });

  it("shows the log of a preview that failed before it began", () => {
    const report = interpret([], { exitCode: 255, log: "error: no stack named 'x'" });
    assert.equal(report.verdict, "Failed before the preview began.");
    assert.match(
      githubAnnotations(report, ""),
      /^::error title=pulumi preview::no stack named 'x'$/,
    );
  });

  it("compares stack outputs, of which only an event log has both values", () => {
    const { verdict, outputs } = reportOf("renamed-output");
    assert.equal(verdict, "Changes: 1 stack output is added, 1 stack output is removed.");
    assert.deepEqual(
      outputs.map(({ name }) => name),
      ["databaseUrl", "ordersUrl"],
    );
    assert.equal(interpret([json("renamed-output")]).verdict, "No changes of resources.");
    assert.deepEqual(reportOf("misspelled-cluster").outputs, [], "a failed preview has none");
  });

  it("says that a secret output can change, without its values", () => {
    const report = reportOf("string-changed");
    assert.deepEqual(report.secretOutputs, ["DATABASE_URL"]);
    assert.match(markdown(report), /\| `DATABASE_URL` \| can change \(secret\) \|/);
    const log = JSON.stringify(read("string-changed").events).replaceAll(
      /"DATABASE_URL":\{[^}]*\}(?=,"ordersUrl":"db\+srv:\/\/orders-pri)/g,
      '"DATABASE_URL":"db://plain.example"',
    );
    const lines = z.array(z.unknown()).parse(JSON.parse(log));
    const changed = interpret([
      readInput(lines.map((each) => JSON.stringify(each)).join("\n"), "it"),
    ]);
    assert.match(markdown(changed), /\| `DATABASE_URL` \| changes \(secret\) \|/);
    assert.doesNotMatch(JSON.stringify(changed), /plain\.example/);
    const state = (count: number) => ({ outputs: { app: { url: "[secret]", count } } });
    const stack = { op: "same", urn: urn.replace(/pulumi-nodejs.*/, "pulumi:pulumi:Stack::s") };
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
    for (const name of ["string-changed-by-service", "drift"]) {
      const report = reportOf(name);
      assert.deepEqual(
        report.changes.map(({ cause, position }) => [cause, position]),
        [["service", undefined]],
        name,
      );
      assert.doesNotMatch(githubAnnotations(report, ""), /file=/);
    }
    const preview = JSON.stringify(read("string-changed-by-service").json);
    // Only the new inputs; a stack has none.
    const waiting = preview.replace(
      /"newState":\{(?:(?!"inputs"|"oldState").)*"inputs":\{/g,
      '$&"waitSeconds":60,',
    );
    assert.notEqual(waiting, preview);
    const [changed] = interpret([readInput(waiting, "it")]).changes;
    assert.equal(changed?.cause, "service", "waitSeconds does not select the string");
  });

  it("follows a changed string, and the lookups of a changed mode, to resources and outputs", () => {
    const [string] = reportOf("string-changed").changes;
    const [mode] = reportOf("disable-allowed").changes;
    for (const receivers of [string?.receivers, mode?.receivers]) {
      const named = [receivers?.direct, receivers?.further].map((all) =>
        all?.map(({ name }) => name),
      );
      assert.deepEqual([named, receivers?.outputs], [[["orders-db"], ["api"]], ["ordersUrl"]]);
    }
    assert.deepEqual(
      mode?.receivers?.lookups.map(({ name }) => name),
      ["orders"],
    );
    const many = markdown(reportOf("many-receivers"));
    assert.match(
      many,
      /reaches Secret `orders-db`, Deployment `api-0`, `api-1`, .* and 95 more; output/,
    );
    assert.match(many, /^Deployment api-99$/m);
  });

  it("says which resources were not previewed after the first error", () => {
    const { notPreviewed } = reportOf("two-misspelled-clusters");
    assert.deepEqual(
      notPreviewed?.map(({ name }) => name),
      ["orders", "orders-db", "api"],
    );
    const [log, preview] = [events("two-misspelled-clusters"), json("two-misspelled-clusters")];
    for (const input of [log, preview])
      assert.match(
        markdown(interpret([input])),
        /\nThe preview stopped here\. Other changes are not shown\.\n/,
      );
    assert.doesNotMatch(markdown(reportOf("no-change")), /stopped here/);
  });

  it("includes the errors of further previews, which exclude the failed resources", () => {
    assert.deepEqual(
      reportOf("two-misspelled-clusters")
        .errors.map(({ text }) => /has no cluster \w+/.exec(text)?.[0])
        .sort(),
      ["has no cluster analytic", "has no cluster order"],
    );
    assert.equal(reportOf("two-misspelled-clusters", { repeats: [] }).errors.length, 1);
  });

  it("finds the cause of each failure, without a line of the program if none is the cause", () => {
    for (const [name, cause] of [
      ["wrong-passphrase", /^getting stack configuration: .*incorrect passphrase$/],
      ["broken-stack-file", /^getting stack configuration: invalid YAML file/],
      ["missing-packages", /^It looks like the Pulumi SDK has not been installed/],
      [
        "missing-variable",
        /^a setting is missing or invalid: clouddb:baseUrl \(or CLOUDDB_BASE_URL\) is not set/,
      ],
      [
        "bad-settings",
        /^the settings have 2 problems:\n {2}clouddb:apiPath .*\n {2}clouddb:requestsPerMinute .*\n\[clouddb-settings\]$/,
      ],
    ] as const) {
      const { errors, output } = reportOf(name, { locate: () => ({ file: "index.ts", line: 1 }) });
      assert.deepEqual([errors.length, errors[0]?.position, output], [1, undefined, []], name);
      assert.match(errors[0]?.text ?? "", cause);
    }
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
    const text = JSON.stringify({ diagnostics, changeSummary: {} });
    assert.equal(interpret([readInput(text, "it")]).warnings.length, 3);
  });

  it("counts a mandatory policy as an error and another one as a warning", () => {
    const policy = (enforcementLevel: string) => ({
      sequence: 1,
      policyEvent: { message: "use peering", policyName: "network", enforcementLevel },
    });
    const summary = { sequence: 2, summaryEvent: { resourceChanges: {} } };
    const of = (level: string) =>
      interpret([readInput(`${JSON.stringify(policy(level))}\n${JSON.stringify(summary)}`, "it")]);
    assert.equal(of("mandatory").outcome, "failed");
    assert.deepEqual([of("advisory").outcome, of("advisory").warnings.length], ["unchanged", 1]);
  });

  it("counts changes that the JSON of a preview does not describe", () => {
    const text = JSON.stringify({ steps: [], changeSummary: { update: 2, same: 1, read: 3 } });
    const { outcome, verdict } = interpret([readInput(text, "it")]);
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
    const { json: preview, ...rest } = read("secret-string");
    for (const text of [preview, rest.state].map((each) => JSON.stringify(each))) {
      const planted = text.replaceAll("db+srv://", "db+srv://app:pass/wd@");
      const report = interpret([readInput(planted, "it")], {
        log: "at https://user:hunter2@host",
      });
      const all = [markdown(report), githubAnnotations(report, ""), gitlabCodeQuality(report, "")];
      assert.doesNotMatch([...all, JSON.stringify(report)].join("\n"), /pass|hunter2/);
    }
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
    assert.equal(change?.to, "standardSrv [secret]");
  });

  it("locates a failed resource in the program", () => {
    const position = { file: "index.ts", line: 5 };
    const report = reportOf("refused-by-one", {
      locate: ({ name }) => (name === "orders" ? position : undefined),
    });
    assert.match(
      githubAnnotations(report, "infra"),
      /^::error file=infra\/index\.ts,line=5,title=PrivateIpMode orders::/,
    );
    assert.match(markdown(report), /`index\.ts:5`/);
  });
});

describe("the input of a report", () => {
  for (const [text, problem] of [
    ["", /it is empty/],
    ["Previewing update (dev):", /it is not JSON in line 1, or was truncated/],
    ["db://app:s3cret@orders", /^ProviderError: it is not JSON in line 1, [^]*(?<!s3cret.*)$/],
    [" {} ", /it is empty/],
    ['{"version": 3}', /neither "steps".*nor "deployment"/],
    ["[1]", /it, event 1 is not/],
    ['{"steps": [{"op": "same"}]}', /steps\.0\.urn/],
    ['{"steps": [{"op": "same", "urn": "orders"}]}', /steps\.0\.urn: not a URN/],
    ['{"sequence": 1}\nno\n{"sequence": 2}', /not JSON in line 2,/],
    [
      '{"sequence": 1}\n{"sequence": 2, "diagnosticEvent": {}}',
      /event 2 .*diagnosticEvent\.message/,
    ],
    ['{"deployment": {"resources": [{}]}}', /deployment\.resources\.0\.urn/],
  ] as const) {
    it(`is refused if it is ${text === "" ? "empty" : JSON.stringify(text)}`, () => {
      assert.throws(() => readInput(text, "it"), problem);
    });
  }

  it("is refused with the log, the only source of what happened", () => {
    const place = { folder, folderInRepository: "" };
    const of = (text: string) =>
      createReport({
        ...{ ...place, files: [{ name: "preview.json", text }], exitCode: 1 },
        log: "error: at db://u:hunter2@host\u001b[2J",
      });
    assert.throws(() => of("Previewing"), {
      name: "ProviderError",
      message:
        /^preview\.json is not JSON[^]*\nThis is what pulumi printed:\nerror: at db:\/\/\[secret\]@host\\u\{1b\}\[2J$/,
    });
    assert.deepEqual([of("{}").exitCode, of("").outcome], [1, "failed"]);
  });

  it("is refused if it describes two stacks", () => {
    const other = JSON.stringify(read("no-change").json).replaceAll(
      "pulumi:production",
      "pulumi:dev",
    );
    const inputs = [json("no-change"), readInput(other, "it")];
    assert.throws(
      () => interpret(inputs),
      /two different stacks, infra\/production and infra\/dev/,
    );
  });
});

describe("a report as Markdown", () => {
  const hostile = (text: string) => {
    const preview = JSON.stringify(read("string-changed").json).replaceAll(
      JSON.stringify("orders"),
      JSON.stringify(text),
    );
    return readInput(
      preview.replaceAll("::orders", `::${JSON.stringify(text).slice(1, -1)}`),
      "it",
    );
  };
  const said = (text: string) =>
    readInput(JSON.stringify({ diagnostics: [{ message: text, severity: "error" }] }), "it");
  const parts = [
    "|",
    "`",
    "\\",
    "\n",
    "@team",
    "<!--",
    "</details>",
    "](https://x.example)",
    "*",
    "a",
    " ",
    "~~~",
    ...["#1", "1.", "- ", "&lt;", "www.x.example", "    ", "'", "(", "!", "\n\n", ":"],
  ];

  it("neutralizes external text", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { minLength: 1 }), (text) => {
        const report = interpret([hostile(text.join(""))], { log: text.join("") });
        const html = markdownIt({ html: true, linkify: true }).render(markdown(report));
        assert.equal(html.match(/<li>/g)?.length, 1, "one change");
        const outside = html.replace(/<(code|pre)\b.*?<\/\1>/gs, "");
        assert.doesNotMatch(outside, /@|<a |x\.example|<!--|~~~/);
        assert.equal(html.match(/<\/details>/g)?.length, html.match(/<details>/g)?.length);
      }),
    );
  });

  it("shows errors as prose, and neutralizes external text in them", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...parts), { minLength: 1 }), (text) => {
        const report = interpret([said(`x ${text.join("")}`)]);
        const html = markdownIt({ html: true, linkify: true }).render(markdown(report));
        const outside = html.replace(/<(code|pre)\b.*?<\/\1>/gs, "");
        assert.doesNotMatch(
          outside,
          /@|<a |x\.example|<!--|~~~|#1|<(ul|ol|em|table|h[1-3](?!.*failed))/,
        );
        assert.equal(html.match(/<h\d/g)?.length, 2);
      }),
    );
  });

  it("links only to the documentation", () => {
    const address = "https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/concepts.md#a";
    const html = (text: string) =>
      markdownIt({ linkify: true }).render(markdown(interpret([said(text)])));
    assert.match(
      html(`Try again: ${address}`),
      new RegExp(`<a href="${address}">documentation</a>`),
    );
    for (const other of ["https://github.com/x/y", `${address})(`, `${address}?x`])
      assert.doesNotMatch(html(`Try again: ${other}`), /<a /);
  });

  it("starts with the commit and the job, whose address must be a URL", () => {
    const of = (job: string) =>
      markdown(reportOf("no-change", { commit: "0a1b2c3", job })).split("\n")[2];
    assert.equal(
      of("https://ci.example/o/r/runs/1"),
      "`0a1b2c3` · [log of the job](https://ci.example/o/r/runs/1)",
    );
    for (const wrong of ["javascript:x", "https://x.example/a) [b](c", ""])
      assert.equal(of(wrong), "`0a1b2c3`");
  });

  it("shows ten clusters in natural order, and folds the others", () => {
    const [shown = "", folded = ""] = markdown(reportOf("refused-by-60")).split("<details>");
    const names = (text: string) => text.match(/(?<=\| `)shop-\d+/g);
    assert.deepEqual(
      names(shown),
      Array.from({ length: 10 }, (_, at) => `shop-${at + 1}`),
    );
    assert.equal(names(folded)?.length, 50);
    assert.match(shown, /60 of 64 clusters prevent it: 48 at 5\.0, 12 at 6\.0\./);
    assert.match(
      githubAnnotations(reportOf("refused-by-60"), ""),
      /::private IP mode cannot be disabled; 60 of 64 clusters prevent it: 48 at 5\.0, 12 at 6\.0%0AUpgrade them[^%]*$/,
    );
  });

  it("has at most 60,000 characters, and leaves out the least important rows", () => {
    const offenders = Array.from({ length: 20 }, (_, at) => `  cluster-${at}  6.0.5`).join("\n");
    const refusal = `private IP mode of project p cannot be disabled: 20 of its 20 clusters do not run version 7.0.0 or later:\n${offenders}\nUpgrade them.`;
    const change = {
      op: "update",
      oldState: { inputs: { recommended: "db://a" } },
      newState: { inputs: { recommended: "db://b" } },
    };
    const type = "pulumi-nodejs:dynamic/clouddb:ClusterConnectionStrings";
    const preview = {
      steps: Array.from({ length: 3000 }, (_, at) => ({
        ...change,
        urn: `urn:pulumi:dev::infra::${type}::lookup-${at}`,
      })),
      diagnostics: [{ urn, message: refusal, severity: "error" }],
      changeSummary: { update: 3000 },
    };
    const report = interpret([readInput(JSON.stringify(preview), "it")], {
      log: "x\n".repeat(90_000),
    });
    const text = markdown(report);
    assert.ok(text.length <= 60_000 && text.length > 55_000, `${text.length} characters`);
    assert.match(text, /\| `cluster-19` \| `6\.0\.5` \|\n/);
    assert.match(text, /\n- update `ClusterConnectionStrings lookup-0`/);
    assert.match(text, /\n\(\d+ more left out\)\n/);
    assert.equal(text.match(/^```\w/gm)?.length, text.match(/^```$/gm)?.length);
    assert.equal(text.match(/<details>/g)?.length, text.match(/<\/details>/g)?.length);
  });
});

describe("a report as Markdown with many errors", () => {
  const many = (messages: readonly string[], name = "orders") =>
    interpret([
      readInput(
        JSON.stringify({
          diagnostics: messages.map((message) => ({
            urn: urn.replace("orders", name),
            message,
            severity: "error",
          })),
        }),
        "it",
      ),
    ]);
  const refusal = (project: string) =>
    `private IP mode of project ${project} cannot be disabled: 1 of its 1 clusters is too old:\n  a  6.0.5\nUpgrade it.`;

  it("describes 40 errors and 40 refusals, and counts the others", () => {
    const errors = Array.from({ length: 500 }, (_, at) => `${at}: ${"x".repeat(500)}`);
    const text = markdown(
      many([...errors, ...errors.slice(0, 41).map((_, at) => refusal(`p${at}`))]),
    );
    assert.ok(text.length <= 60_000, `${text.length} characters`);
    assert.equal(text.match(/^#### Error/gm)?.length, 40);
    assert.match(text, /\n\nAnd 460 more errors\.\n/);
    assert.equal(text.match(/^#### .* cannot be disabled/gm)?.length, 40);
    assert.match(text, /\n\nAnd 1 more refusal\.\n/);
  });

  it("never exceeds the limit", () => {
    const message = fc.oneof(
      fc.string(),
      fc.constantFrom("`".repeat(900), "|".repeat(900)),
      fc.string({ minLength: 1 }).map((text) => refusal(text.replace(/\s/g, "_"))),
    );
    fc.assert(
      fc.property(
        fc.array(message, { minLength: 1, maxLength: 300, size: "max" }),
        fc.constantFrom("orders", "x".repeat(900), "|".repeat(900)),
        (messages, name) => {
          const text = markdown(many(messages, name));
          assert.ok(text.length <= 60_000, `${text.length} characters`);
        },
      ),
      { numRuns: 30, endOnFailure: true },
    );
  });
});

describe("annotations and code quality reports", () => {
  it("escape messages and places as GitHub decodes them", () => {
    const report = interpret([
      readInput(
        JSON.stringify({ diagnostics: [{ message: "50%\n::error::x", severity: "error" }] }),
        "it",
      ),
    ]);
    assert.equal(githubAnnotations(report, ""), "::error title=pulumi preview::50%25%0A::error::x");
    const placed = reportOf("refused-by-one", { locate: () => ({ file: "a,b:c.ts", line: 2 }) });
    assert.match(githubAnnotations(placed, ""), /^::error file=a%2Cb%3Ac\.ts,line=2,/);
  });

  it("have an error for a failure without a message", () => {
    const report = reportOf("no-change", { exitCode: 1 });
    assert.match(githubAnnotations(report, ""), /^::error title=pulumi preview::Failed: /);
  });

  it("point to lines of the program", () => {
    assert.match(
      githubAnnotations(reportOf("string-changed"), "infra"),
      /^::notice file=infra\/index\.ts,line=6,/,
    );
    const findings = z
      .array(
        z.object({
          severity: z.string(),
          fingerprint: z.string(),
          location: z.object({ path: z.string(), lines: z.object({ begin: z.number() }) }),
        }),
      )
      .parse(JSON.parse(gitlabCodeQuality(reportOf("disable-allowed"), "infra")));
    assert.deepEqual(
      findings.map(({ severity, location }) => [severity, location.path, location.lines.begin]),
      [
        ["major", "infra/Pulumi.yaml", 1],
        ["info", "infra/index.ts", 5],
      ],
    );
    assert.equal(new Set(findings.map(({ fingerprint }) => fingerprint)).size, 2);
  });
});
