import assert from "node:assert/strict";
import fc from "fast-check";
import markdownIt from "markdown-it";
import { githubAnnotations } from "../../../provider/src/ci/annotations";
import { escapeText } from "../../../provider/src/messages/text";
import { jobSummary, markdown } from "../../../provider/src/report/write/markdown";
import { buildReport } from "../../../provider/src/report/decide/buildReport";
import { terminalText } from "../../../provider/src/report/write/terminal";
import {
  diagnostic,
  list,
  moved,
  recorded,
  reportOf,
  reportOn,
  shownText,
  update,
  urnOf,
} from "./recorded";

const parts = [
  "|",
  "`",
  "``",
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
  "#1",
  "1.",
  "- ",
  "&lt;",
  "www.x.example",
  "    ",
  "'",
  "(",
  "!",
  "\n\n",
  ":",
];
const hostileText = fc
  .array(fc.constantFrom(...parts), { minLength: 1 })
  .map((all) => all.join(""));

/** Matches the comments with the stack and the outcome, which begin a report. */
const comments = /^<!-- pulumi-clouddb stack: [!-~]* -->\n<!-- outcome: [a-z]+ -->\n/;

/** Renders Markdown as GitHub does, and returns what is outside of code, without the first comments. */
function rendered(text: string) {
  assert.match(text, comments);
  const html = markdownIt({ html: true, linkify: true }).render(text.replace(comments, ""));
  return { html, outside: html.replace(/<(code|pre)\b.*?<\/\1>/gs, "") };
}

/** Renders the report of an error. */
const renderedError = (message: string) =>
  rendered(markdown(reportOn({ diagnostics: [{ message, severity: "error" }] })));

const modeStep = {
  op: "update",
  urn: urnOf("orders", "clouddb:index:PrivateIpMode"),
  old: { inputs: { projectId: "p", enabled: false } },
  new: { inputs: { projectId: "p", enabled: true } },
};
const modeSection = /\n#### `update` `PrivateIpMode orders` in project `p`: `off` → `on`\n/;

describe("a report as Markdown", () => {
  it("neutralizes the names and values of resources", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const preview = recorded(
          "string-changed",
          [JSON.stringify("orders"), JSON.stringify(text)],
          ["::orders", `::${JSON.stringify(text).slice(1, -1)}`],
          ['"update"', JSON.stringify(text)],
        );
        const report = buildReport({ preview, log: text });
        const { html, outside } = rendered(markdown(report));
        assert.equal(html.match(/<table>/g)?.length, 2, "a lookup and its URL");
        assert.equal(html.match(/<tr>/g)?.length, 4, "one change of each");
        assert.doesNotMatch(outside, /@|<a |x\.example|<!--|~~~/);
        assert.equal(html.match(/<\/details>/g)?.length, html.match(/<details>/g)?.length);
      }),
    );
  });

  it("hides the name of the stack in a comment, which it cannot end", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const { outside } = rendered(markdown(reportOf("no-change", { title: `a-->${text}` })));
        assert.doesNotMatch(outside, /@|<a |x\.example|<!--|-->|~~~/);
      }),
    );
  });

  it("neutralizes external text in errors", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const { html, outside } = renderedError(`x ${text}`);
        assert.doesNotMatch(
          outside,
          /@|<a |x\.example|<!--|~~~|#1|<(ul|ol|em|table|h[1-3](?!.*failed))/,
        );
        assert.equal(html.match(/<h\d/g)?.length, 2);
      }),
    );
  });

  it("keeps the backticks of messages and names", () => {
    const said = (message: string) => renderedError(message).html;
    assert.match(said("Run `pulumi up` again."), /<code>Run `pulumi up` again\.<\/code>/);
    assert.match(said("a|b\n  is wrong"), /<code>a\|b<\/code><br>\n<code> {2}is wrong<\/code>/);
    const [row] = shownText([moved("a`|b")]).match(/^\| ``.*$/m) ?? [];
    assert.match(row ?? "", /^\| ``a`\\\|b`` \| /);
  });

  it("has a text with more runs of backticks than a function takes arguments", () => {
    const log = `${"` ".repeat(400)}\n`.repeat(400);
    assert.match(markdown(reportOn({}, { log }), jobSummary), /### no changes\n/);
  });

  it("links only to the documentation", () => {
    const address = "https://github.com/pulumi-clouddb/pulumi-clouddb/blob/main/docs/concepts.md#a";
    const html = (message: string) => renderedError(message).html;
    assert.ok(html(`Try again: ${address}`).includes(`<a href="${address}">documentation</a>`));
    const outside = address.replace("concepts.md", "../../../../../other/repo/a.md");
    for (const other of ["https://github.com/x/y", `${address})(`, `${address}?x`, outside])
      assert.doesNotMatch(html(`Try again: ${other}`), /<a /);
  });

  it("starts with the stack, the outcome and the commit, and links to the job", () => {
    const of = (job: string) =>
      markdown(reportOf("no-change", { commit: "0a1b2c3".padEnd(40, "d"), job })).split("\n\n");
    const [title, link] = of("https://ci.example/o/r/runs/1");
    assert.equal(
      title,
      "<!-- pulumi-clouddb stack: infra/production -->\n<!-- outcome: unchanged -->\n### `infra/production`: no changes at `0a1b2c3`",
    );
    assert.equal(link, "[Log of the job](https://ci.example/o/r/runs/1)\n");
    for (const wrong of ["javascript:x", "https://x.example/a) [b](c", ""])
      assert.equal(of(wrong)[1], undefined);
  });

  it("shows a refusal and a warning of this package as text in which no name has an effect", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const name = escapeText(text);
        const refusal = `project ${name} cannot be disabled:\n  ${name}  6.0\nUpgrade it. [clouddb-refused]`;
        const warning = `${name} is the project of clusters ${name}, ${name}.\n${name} [clouddb-drift]`;
        const diagnostics = [diagnostic(refusal), diagnostic(warning, "warning")];
        const report = reportOn({ diagnostics });
        assert.equal(report.outcome, "refused");
        const { html, outside } = rendered(markdown(report));
        assert.doesNotMatch(
          outside,
          /@|<a |x\.example|<!--|~~~|#1|<(ul|ol|em|table|h[1-3](?!.*refused))/,
        );
        assert.equal(html.match(/<h\d/g)?.length, 2);
        assert.match(terminalText(report), /\n {4}.*\n {2}Upgrade it\. \[clouddb-refused\]\n/);
      }),
    );
  });

  it("shows 30 rows and lines and counts the others, but has all of them in the summary of a job", () => {
    const steps = list(800, (at) => moved(`orders-${at}`));
    const report = reportOn({ steps }, { log: "x\n".repeat(90) });
    const text = markdown(report);
    assert.equal(text.match(/^\| `orders-/gm)?.length, 30);
    assert.match(text, /<summary>20 more<[^]*\n\nAnd 770 more rows\.\n/);
    assert.match(text, /\n… and 60 more\n/);
    const all = markdown(report, jobSummary);
    assert.equal(all.match(/^\| `orders-/gm)?.length, 800);
    assert.doesNotMatch(all, /And \d|… and/);
  });

  it("is cut between two blocks after 60,000 characters, but never refusals and modes", () => {
    const long = list(800, (at) => `  cluster-${at}  6.0.5`).join("\n");
    const diagnostics = [
      ...list(30, (at) => diagnostic(`${at} ${"`x ".repeat(300)}\n${"`x ".repeat(300)}`)),
      ...list(3, (at) => diagnostic(`${at} y`, "warning")),
      diagnostic(`it cannot be disabled:\n${long}\nUpgrade them. [clouddb-refused]`),
    ];
    const job = "https://ci.example/1";
    const text = markdown(reportOn({ diagnostics, steps: [modeStep] }, { job }));
    assert.ok(text.length <= 60_200 && text.length > 50_000, `${text.length} characters`);
    assert.match(text, /\n {2}cluster-799 {2}6\.0\.5\nUpgrade them\./);
    assert.match(text, modeSection);
    assert.match(
      text,
      /because it is too long: (\d+) errors and 3 warnings\. \[Log of the job\]\(https:\/\/ci\.example\/1\)\n$/,
    );
    const errors = Number(/ too long: (\d+) errors/.exec(text)?.[1]);
    assert.equal(errors, 30 - (text.match(/^#### Error/gm)?.length ?? 0));
    assert.equal(text.match(/<details>/g)?.length, text.match(/<\/details>/g)?.length);
  });

  it("has the section of a changed mode even behind 40 long warnings", () => {
    const line = "x ".repeat(400);
    const diagnostics = list(40, (at) => diagnostic(`${at}\n${line}\n${line}`, "warning"));
    const text = markdown(reportOn({ diagnostics, steps: [modeStep] }));
    assert.ok(text.length <= 60_200, `${text.length} characters`);
    assert.match(text, modeSection);
    assert.match(
      text,
      /\n\nA part of this report is left out, because it is too long: \d+ warnings\.\n$/,
    );
  });

  it("leaves out a heading with its table, and counts the rows", () => {
    const steps = list(90, (at) => moved(`orders-${at}`, "standardSrv", `${"x".repeat(300)}${at}`));
    const text = markdown(reportOn({ steps }), { maxLength: 20_000, maxRows: Infinity });
    assert.ok(text.length <= 20_200, `${text.length} characters`);
    assert.doesNotMatch(text, /^#### /m);
    assert.match(text, /because it is too long: 90 rows of tables\.\n$/);
  });

  it("shortens the tables of refusals if even the refusals are too long", () => {
    const table = list(800, (at) => `  cluster-${at}  6.0.5`).join("\n");
    const diagnostics = list(6, (at) =>
      diagnostic(`project p${at} cannot be disabled:\n${table}\nUpgrade them. [clouddb-refused]`),
    );
    const text = markdown(reportOn({ diagnostics, steps: [modeStep] }));
    assert.ok(text.length <= 60_200, `${text.length} characters`);
    assert.equal(text.match(/\n… and 770 more\nUpgrade them\./g)?.length, 6);
    assert.match(text, modeSection);
    assert.doesNotMatch(text, /left out/);
  });
});

describe("a report for a terminal", () => {
  it("has the same content", () => {
    assert.equal(
      terminalText(reportOf("refused-by-one")),
      `infra/production: refused

Private IP mode of project 64a0c0ffee0000000000a001 cannot be disabled: 1 of its 4 clusters does not run version 7.0 or later: billing.

Refused at PrivateIpMode orders (index.ts:5)

    billing  5.0.1
  Upgrade it to 7.0 or later, one major version at a time, or keep the mode with enabled: true. If the program upgrades it, deploy the upgrade first. [clouddb-refused]

The preview stopped here, so later resources were not checked.`,
    );
    const changed = terminalText(reportOf("string-changed"));
    assert.match(
      changed,
      /\n\n1 lookup: peering to internet\n\n {2}lookup +before +after +received by\n/,
    );
    assert.match(
      changed,
      /\n {2}orders .* DatabaseUrl orders, then Secret orders-db, Deployment api; output ordersUrl\n/,
    );
  });

  it("prints no control or format characters, as no other format does", () => {
    const hostile = "a\u0085\u009b2J\u202e\u2028\u200b\u{e0001}\u007f\ud800";
    const report = reportOn(
      {
        diagnostics: [diagnostic(hostile)],
        steps: [update(hostile, {}, { recommended: hostile, [hostile]: 1 })],
      },
      { title: hostile, log: hostile },
    );
    for (const text of [terminalText(report), markdown(report), githubAnnotations(report, "")])
      assert.doesNotMatch(text.replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
});
