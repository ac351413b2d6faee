import assert from "node:assert/strict";
import { githubAnnotations } from "../../../provider/src/ci/annotations";
import { withCode } from "../../../provider/src/messages/errors";
import { disableRefusal } from "../../../provider/src/privateIpMode/guard";
import { diagnostic, list, reportOf, reportOn } from "../report/recorded";

/** The lines of the annotation of an error, to which a command adds advice, as GitHub decodes them. */
function linesOf(message: string, ...advice: readonly string[]): string[] {
  const report = reportOn({ diagnostics: [diagnostic(message)] });
  const errors = report.errors.map((error) => ({
    ...error,
    text: [error.text, ...advice].join("\n"),
  }));
  const annotation = githubAnnotations({ ...report, errors }, "");
  const [, text = ""] = /^::error title=[^:]*::(.*)$/.exec(annotation) ?? [];
  return text.replaceAll("%0A", "\n").split("\n");
}

/** The refusal of a project with only clusters of a version below 7.0, and names of this length. */
function refusalOf(clusters: number, nameLength = 10, gap?: { reason: string; advice: string }) {
  const records = list(clusters, (at) => ({
    name: `c${at}`.padEnd(nameLength, "-"),
    version: at === 0 ? undefined : "6.0.5",
    majorVersion: undefined,
  }));
  return withCode(disableRefusal("64a0", { records, gap }) ?? "", "refused");
}

describe("annotations", () => {
  it("escape messages and places as GitHub decodes them", () => {
    const report = reportOn({ diagnostics: [{ message: "50%\n::error::x", severity: "error" }] });
    assert.equal(githubAnnotations(report, ""), "::error title=pulumi preview::50%25%0A::error::x");
    const [first] = reportOf("refused-by-one").refusals;
    const position = { file: "a,b:c.ts", line: 2 };
    const placed = {
      ...reportOf("refused-by-one"),
      refusals: first
        ? [{ ...first, places: [{ resource: "PrivateIpMode orders", position }] }]
        : [],
    };
    assert.match(
      githubAnnotations(placed, "infra"),
      /^::error file=infra\/a%2Cb%3Ac\.ts,line=2,title=PrivateIpMode orders::private IP mode of project \w+ cannot be disabled: 1 of its 4 clusters does not run version 7\.0 or later:%0A {2}billing {2}5\.0\.1%0AUpgrade it/,
    );
  });

  it("have an error for a failure without a message, and none for changes", () => {
    const report = reportOf("no-change", { exitCode: 255 });
    assert.match(
      githubAnnotations(report, ""),
      /^::error title=pulumi preview::Failed: pulumi exited with code 255, /,
    );
    assert.equal(githubAnnotations(reportOf("disable-allowed"), ""), "");
  });

  it("are at most ten", () => {
    const diagnostics = list(14, (at) => ({ message: `error ${at}`, severity: "error" }));
    const lines = githubAnnotations(reportOn({ diagnostics }), "").split("\n");
    assert.equal(lines.length, 10);
    assert.match(lines.at(-1) ?? "", /::and 5 more errors; see the report$/);
  });

  const advice = [
    "Upgrade them to 7.0 or later, or keep the mode with enabled: true. If the program upgrades them, deploy the upgrade first.",
    "If no version is given, check the setting clouddb:fieldPrefix: the service's two version fields start with it. [clouddb-refused]",
  ];

  for (const count of [4, 17]) {
    it(`have the whole refusal of ${count} clusters`, () => {
      const lines = linesOf(refusalOf(count));
      assert.equal(lines.length, count + 3);
      assert.deepEqual(lines, refusalOf(count).split("\n"));
      assert.deepEqual(lines.slice(-2), advice);
    });
  }

  it("have 20 lines of the refusal of more clusters, with the advice and the code", () => {
    const lines = linesOf(refusalOf(40));
    assert.equal(lines.length, 20);
    assert.match(lines[0] ?? "", /^private IP mode of project 64a0 cannot be disabled: 40 of /);
    assert.match(lines[16] ?? "", /^ {2}c\d+-+ {2}6\.0\.5$/);
    assert.deepEqual(lines.slice(-3), ["and 24 more lines in the report", ...advice]);
  });

  it("have the advice after a table that the message itself cuts, and for an incomplete list", () => {
    const gap = { reason: "the service reports no totalCount", advice: "Try again." };
    const lines = linesOf(refusalOf(900, 100, gap));
    assert.match(lines.at(-2) ?? "", /^and \d+ more lines in the report$/);
    assert.equal(lines.at(-1), "Try again. [clouddb-refused]");
  });

  it("are cut before GitHub would cut them, after 4,096 characters", () => {
    const lines = linesOf(refusalOf(40, 1000));
    assert.ok(lines.join("\n").length <= 4000);
    assert.deepEqual(lines.slice(-2), advice);
    const long = linesOf(`${"x".repeat(3000)}\n${"y".repeat(1200)}\n`.repeat(3));
    assert.ok(long.join("\n").length <= 4000);
    assert.equal(long.at(-1), "and 3 more lines in the report");
  });

  it("have the code of an error and the command below it, but not the end of a stack trace", () => {
    const command = ["To check the settings:", "    npx --no pulumi-clouddb doctor --stack a"];
    const lines = [...list(30, (at) => `line ${at}`), "Not found. [clouddb-not-found]"];
    assert.deepEqual(linesOf(lines.join("\n"), ...command).slice(-4), [
      "and 14 more lines in the report",
      ...lines.slice(-1),
      ...command,
    ]);
    const trace = [
      "Error: wrong [clouddb-argument]",
      ...list(40, (at) => `    at f${at} (a.js:1)`),
    ];
    assert.deepEqual(linesOf(trace.join("\n")), [
      ...trace.slice(0, 19),
      "and 22 more lines in the report",
    ]);
  });
});
