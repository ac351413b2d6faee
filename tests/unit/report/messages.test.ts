/** What a report says of messages: whose they are, which resources they are about, and which ones say the cause. */
import assert from "node:assert/strict";
import { buildReport } from "../../../provider/src/report/decide/buildReport";
import { markdown } from "../../../provider/src/report/write/markdown";
import { diagnostic, eventLog, eventsOf, list, reportOn, urnOf } from "./recorded";

const bucket = (name: string) => urnOf(name, "aws:s3:Bucket");
const ended = "error reading from server: EOF";

describe("a message in a report", () => {
  for (const [whose, message, code] of [
    ["a resource of this package", diagnostic("no [clouddb-refused]"), "refused"],
    [
      "the npm package's resource",
      {
        ...diagnostic("no [clouddb-refused]"),
        urn: urnOf("a", "pulumi-nodejs:dynamic/clouddb:PrivateIpMode"),
      },
      "refused",
    ],
    [
      "the plugin's provider",
      {
        ...diagnostic("no [clouddb-refused]"),
        urn: urnOf("default", "pulumi:providers:clouddb"),
      },
      "refused",
    ],
    ["another resource", { ...diagnostic("no [clouddb-refused]"), urn: bucket("a") }, undefined],
    ["no resource", { ...diagnostic("no [clouddb-refused]"), urn: undefined }, undefined],
    ["a resource, with the code in a quotation", diagnostic("[clouddb-refused]: no"), undefined],
    ["a resource, with an unknown code", diagnostic("no [clouddb-nonsense]"), undefined],
  ] as const) {
    it(`has the code ${code ?? "of nobody"} if it is of ${whose}`, () => {
      const { refusals, errors } = reportOn({ diagnostics: [message] });
      assert.deepEqual(
        [...refusals, ...errors].map((error) => error.code),
        [code],
      );
      assert.equal(refusals.length, code === undefined ? 0 : 1);
    });
  }

  it("of a policy neither hides a change of the mode nor decides the outcome", () => {
    const step = {
      op: "update",
      urn: urnOf("orders", "clouddb:index:PrivateIpMode"),
      old: { inputs: { projectId: "p", enabled: true } },
      new: { inputs: { projectId: "p", enabled: false } },
    };
    const violations = ["drift", "refused"].map((code) => ({
      policyEvent: {
        policyName: "p",
        resourceUrn: step.urn,
        enforcementLevel: "advisory",
        message: `see [clouddb-${code}]`,
      },
    }));
    const [first, end] = eventsOf({ steps: [step] });
    const events = [first, ...violations.map((event) => ({ sequence: 2, ...event })), end];
    const report = buildReport({ preview: eventLog(events) });
    assert.equal(report.outcome, "changed");
    assert.match(markdown(report), /in project `p`: `on` → `off`\n/);
    assert.doesNotMatch(markdown(report), /differs from the state/);
  });

  it("names each of its resources once, and counts them", () => {
    const diagnostics = [
      ...list(12, (at) => ({ ...diagnostic("it is full"), urn: bucket(`b${at}`) })),
      { ...diagnostic("it is full"), urn: bucket("b0") },
    ];
    const report = reportOn({ diagnostics });
    assert.equal(report.summary, "Failed with 12 errors.");
    assert.match(
      markdown(report),
      /\n\nFailed with 12 errors\.\n\n#### Error at `Bucket b0`, `Bucket b1`, .*, `Bucket b9` and 2 more\n/,
    );
    const warnings = diagnostics.map((each) => ({ ...each, severity: "warning" }));
    assert.match(
      markdown(reportOn({ diagnostics: warnings })),
      /\n> `Bucket b0, Bucket b1, Bucket b2 and 9 more: it is full`\n/,
    );
  });

  for (const [count, isFolded] of [
    [13, false],
    [14, true],
  ] as const) {
    it(`of ${count} lines is ${isFolded ? "folded at its end" : "whole"}, because to fold one line saves nothing`, () => {
      const text = list(count, (at) => `line ${at}`).join("\n");
      const report = markdown(reportOn({ diagnostics: [diagnostic(text)] }));
      assert.equal(report.includes("Rest of this error"), isFolded);
      assert.ok(report.includes(`line ${count - 1}`));
    });
  }

  it("is said once if it is the only error", () => {
    const text = markdown(reportOn({ diagnostics: [diagnostic("it is full")] }));
    assert.match(
      text,
      /### failed\n\n#### Error at `PrivateIpMode orders`\n\n> \[!CAUTION\]\n> `it/,
    );
  });

  it("is counted with a refusal, which says nothing of changes", () => {
    const diagnostics = ["no [clouddb-refused]", "it is full", "it is closed"].map((message) =>
      diagnostic(message),
    );
    const report = reportOn({ diagnostics });
    assert.equal(report.outcome, "refused");
    assert.match(markdown(report), /\n\nFailed with 3 errors\.\n/);
    assert.doesNotMatch(markdown(report), /found changes/);
  });

  it("about an ended process is a cause if it has a resource, and a consequence beside another error", () => {
    const errorsOf = (...diagnostics: readonly object[]) => {
      const { errors } = reportOn({ diagnostics }, { exitCode: 1 });
      return errors.flatMap(({ text, places }) => places.map(({ resource }) => [resource, text]));
    };
    const crash = ["a", "b"].map((name) => ({ ...diagnostic(ended), urn: bucket(name) }));
    const failure = { severity: "error", message: "preview failed\n" };
    assert.deepEqual(errorsOf(...crash, failure), [
      ["Bucket a", ended],
      ["Bucket b", ended],
    ]);
    const end = { severity: "error", message: ended };
    assert.deepEqual(errorsOf(end, failure), [
      [undefined, ended],
      [undefined, "preview failed"],
    ]);
    const cause = { ...diagnostic("it is full"), urn: bucket("a") };
    assert.deepEqual(errorsOf(cause, end, failure), [["Bucket a", "it is full"]]);
  });

  it("of the engine stands once if Pulumi prints it as well", () => {
    const diagnostics = [{ severity: "warning", message: "a plugin is old\n" }];
    const log = "warning: a plugin is old\nerror: no such backend";
    const report = reportOn({ diagnostics }, { exitCode: 1, log });
    assert.equal(markdown(report).match(/a plugin is old/g)?.length, 1);
    assert.deepEqual(
      report.errors.map(({ text }) => text),
      ["no such backend"],
    );
  });

  it("does not show a secret in the place of an error", () => {
    const text = "it failed\n    at https://user:pa55@host.example/x.ts:3:4";
    const diagnostics = [{ ...diagnostic(text), urn: undefined }];
    assert.doesNotMatch(JSON.stringify(reportOn({ diagnostics }, { folder: "/" })), /pa55/);
  });

  it("does not show a secret that it has as Pulumi serializes it", () => {
    const serialized = (value: object) =>
      JSON.stringify({
        "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        ...value,
      });
    for (const text of [
      `{"a":${serialized({ plaintext: '"s3}{cret"' })},"b":1}`,
      JSON.stringify({ nested: serialized({ value: "s3cret" }) }),
      serialized({ value: "s3cret" }).slice(0, -2),
    ]) {
      const stack = urnOf("s", "pulumi:pulumi:Stack");
      const outputs = {
        op: "update",
        urn: stack,
        old: { outputs: {} },
        new: { outputs: { a: text } },
      };
      const report = reportOn({ diagnostics: [diagnostic(text, "warning")], steps: [outputs] });
      assert.equal(report.outputs.length, 1);
      const shown = markdown(report);
      assert.doesNotMatch(shown, /s3|cret"|1b4706/);
      assert.match(shown, /\[secret\]/);
    }
  });
});
