/** Reports of files that are hostile, damaged, or of another kind than expected. */
import assert from "node:assert/strict";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { createLocator } from "../../../provider/src/report/declarations";
import { readFile, readStream } from "../../../provider/src/report/files";
import { githubAnnotations, gitlabCodeQuality } from "../../../provider/src/report/findings";
import { nameOf, readInput } from "../../../provider/src/report/input";
import { markdown } from "../../../provider/src/report/markdown";
import { terminalText } from "../../../provider/src/report/terminal";
import { interpret } from "../../../provider/src/report/meaning";
import type { Report } from "../../../provider/src/report/model";
import { jsonText } from "../../../provider/src/messages/text";
import { temporaryFolder, useCleanup } from "../../support/cleanup";

const urnOf = (name: string, type = "ClusterConnectionStrings") =>
  `urn:pulumi:dev::infra::clouddb:index:${type}::${name}`;
const preview = (parts: object) => JSON.stringify({ changeSummary: {}, ...parts });
const update = (name: string, oldInputs: object, newInputs: object, rest: object = {}) => ({
  ...{ op: "update", urn: urnOf(name) },
  ...{ oldState: { inputs: oldInputs, ...rest }, newState: { inputs: newInputs, ...rest } },
});
const diagnostic = (message: string, severity = "error") => ({
  ...{ urn: urnOf("orders", "PrivateIpMode"), message, severity },
});
const refusal = (row: string) =>
  diagnostic(`private IP mode of project p cannot be disabled: x:\n${row}`);
const events = (all: readonly object[]) =>
  all.map((each, index) => JSON.stringify({ sequence: index + 1, ...each })).join("\n");
const list = <T>(length: number, item: (index: number) => T) =>
  Array.from({ length }, (_, at) => item(at));
const nested = (depth: number) => `{"steps":[],"x":${"[".repeat(depth)}${"]".repeat(depth)}}`;
const written = (report: Report) => ({
  json: jsonText(report),
  gitlab: gitlabCodeQuality(report, ""),
  github: githubAnnotations(report, ""),
  markdown: markdown(report),
  text: terminalText(report),
});

describe("a report of hostile text", function () {
  this.timeout(60_000);
  const many = 15_000;
  const step = (index: number) => ({
    metadata: { op: "update", urn: urnOf(`r${index}`), old: null, new: null },
  });
  const attacks: Readonly<Record<string, () => string>> = {
    parentheses: () => preview({ diagnostics: [refusal(`  a  ${"(".repeat(300_000)}`)] }),
    spaces: () => preview({ diagnostics: [refusal(`  a${" ".repeat(300_000)}`)] }),
    "the start of a check failure": () =>
      preview({
        diagnostics: [diagnostic(`x resource 'a${"': property x value {".repeat(100_000)}`)],
      }),
    warnings: () => preview({ diagnostics: list(many, (at) => diagnostic(`${at}`, "warning")) }),
    "refreshed resources": () =>
      preview({
        steps: [
          ...list(many, (at) => ({ op: "refresh", urn: urnOf(`a${at}`), oldState: {} })),
          ...list(many, (at) => ({ op: "same", urn: urnOf(`b${at}`), oldState: {} })),
        ],
      }),
    "refreshes of one large resource": () => {
      const inputs = Object.fromEntries(list(10_000, (at) => [`k${at}`, at]));
      const steps = list(10_000, () => ({ op: "refresh", urn: urnOf("a"), oldState: {} }));
      return preview({ steps: [...steps, { op: "same", urn: urnOf("a"), oldState: { inputs } }] });
    },
    events: () =>
      events([
        ...list(many, (at) => ({ resourcePreEvent: step(at) })),
        ...list(many, (at) => ({ resOutputsEvent: step(at) })),
      ]),
    "changes of several providers": () =>
      preview({
        steps: [
          ...list(many, (at) => update(`r${at}`, {}, {})),
          ...list(many, (at) => ({ op: "create", urn: `urn:pulumi:dev::infra::aws:s3:B::${at}` })),
        ],
      }),
    operations: () =>
      preview({
        changeSummary: Object.fromEntries(list(many, (at) => [`op${at}`, 1])),
        steps: list(5000, (at) => update(`r${at}`, {}, {})),
      }),
    "a chain of receivers": () =>
      preview({
        steps: list(5000, (at) =>
          update(
            `r${at}`,
            { recommended: "db://a" },
            { recommended: `db://h${at}` },
            {
              propertyDependencies: { x: at === 0 ? [] : [urnOf(`r${at - 1}`)] },
            },
          ),
        ),
      }),
    "modes and lookups of one project": () =>
      preview({
        steps: list(5000, (at) => ({
          ...update(
            `r${at}`,
            { projectId: "p", enabled: true },
            { projectId: "p", enabled: false },
          ),
          urn: urnOf(`r${at}`, at % 2 === 0 ? "PrivateIpMode" : "ClusterConnectionStrings"),
        })),
      }),
    "a long host": () =>
      preview({ steps: [update("r", {}, { recommended: `db://${"例え".repeat(1e6)}` })] }),
  };
  /** Asserts that a report takes a few seconds of CPU time, not the many that quadratic time would take. */
  function takesLinearTime(report: () => Report) {
    const before = process.cpuUsage();
    assert.ok(markdown(report()).length <= 60_000);
    const seconds = process.cpuUsage(before).user / 1e6;
    assert.ok(seconds < 5, `${seconds} s`);
  }

  for (const [name, text] of Object.entries(attacks)) {
    it(`takes linear time for ${name}`, () => {
      takesLinearTime(() => interpret([readInput(text(), "it")]));
    });
  }

  it("takes linear time for a log", () => {
    const errors = list(many, (at) => `error: ${at}\n`).join("");
    const log = `${"`\n".repeat(100_000)}${`${"x".repeat(1000)}\n`.repeat(10_000)}${errors}`;
    takesLinearTime(() => interpret([], { exitCode: 1, log }));
  });

  it("does not repeat a long stack name or position", () => {
    const [long, count] = ["s".repeat(100_000), 5000];
    const sourcePosition = `project:///${long}#1`;
    const urn = `urn:pulumi:${long}::infra::a:b:C::x`;
    const placed = update("r", {}, {}, { sourcePosition });
    const steps = list(count, () => update("r", {}, {}));
    const text = preview({ steps: [{ op: "same", urn }, ...steps, placed] });
    for (const each of Object.values(written(interpret([readInput(text, "it")]))))
      assert.ok(each.length < 1e7);
  });

  for (const [name, text, problem] of [
    [
      "nested too deeply",
      nested(50_000),
      /^it is not Pulumi output .*nested more than 200 levels deep\.$/,
    ],
    [
      "a list of wrong values",
      preview({ steps: list(1e6, () => 1) }),
      /steps\.0: must be an object, not a number/,
    ],
    ["an infinite count", '{"changeSummary":{"update":1e999}}', /expected a count/],
    ["a NUL byte", `${preview({})}\0`, /is not JSON in line 1, /],
    ["only a line break", "\r\n", /is empty/],
  ] as const) {
    it(`is refused in one line: ${name}`, () => {
      assert.throws(() => readInput(text, "it"), { name: "ProviderError", message: problem });
    });
  }

  it("shows properties whose names every object inherits", () => {
    const inputs = '{"constructor":"x","toString":"y","__proto__":{"enabled":true}}';
    const text = preview({ steps: [{ ...update("a", {}, {}), oldState: null }] });
    const { changes } = interpret([
      readInput(text.replace('"inputs":{}', `"inputs":${inputs}`), "it"),
    ]);
    assert.deepEqual(changes[0]?.properties, [
      { name: "constructor", old: undefined, new: "x" },
      { name: "toString", old: undefined, new: "y" },
    ]);
  });

  it("ignores a count of clusters that JavaScript cannot represent", () => {
    const text = preview({ diagnostics: [refusal(`  a  6.0\n  and ${"9".repeat(400)} more`)] });
    assert.equal(interpret([readInput(text, "it")]).refusals[0]?.count, 1);
  });

  it("prints no control or format characters in any format", () => {
    const hostile = "a\u0085\u009b2J\u202e\u2028\u200b\u{e0001}\u007f\ud800";
    const position = { sourcePosition: `project:///${encodeURIComponent("\u202eb.ts")}#1` };
    const text = preview({
      diagnostics: [diagnostic(hostile)],
      steps: [update(hostile, {}, { recommended: hostile, [hostile]: 1 }, position)],
    });
    const report = interpret([readInput(text, "it")], { title: hostile, log: hostile });
    for (const each of Object.values(written(report)))
      assert.doesNotMatch(each.replaceAll("\n", ""), /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
});

describe("a file of a report", () => {
  const cleanup = useCleanup("test");
  const fileOf = (content: Buffer) => {
    const file = join(temporaryFolder(cleanup), "preview.json");
    writeFileSync(file, content);
    return file;
  };

  const text = preview({ steps: [] });
  const utf16 = Buffer.from(`\ufeff${text}`, "utf16le");
  for (const [encoding, bytes] of [
    ["UTF-8", Buffer.from(text)],
    ["UTF-8 with a byte order mark", Buffer.from(`\ufeff${text}`)],
    ["UTF-16, little-endian", utf16],
    ["UTF-16, big-endian", Buffer.from(utf16).swap16()],
  ] as const) {
    it(`is decoded, as is standard input: ${encoding}`, async () => {
      assert.equal(readFile(fileOf(bytes)), text);
      assert.equal(
        await readStream(Readable.from([bytes.subarray(0, 1), bytes.subarray(1)]), "it"),
        text,
      );
    });
  }

  it("is refused if it is too large, as is standard input", async () => {
    const megabyte = Buffer.alloc(1024 * 1024, " ");
    assert.throws(
      () => readFile(fileOf(Buffer.alloc(1024 * 1024 + 1)), 1024 * 1024),
      /exceeds the limit of 1 MB/,
    );
    const endless = Readable.from(
      (function* () {
        for (;;) yield megabyte;
      })(),
    );
    await assert.rejects(
      readStream(endless, "it"),
      /^ProviderError: it exceeds the limit of 64 MB/,
    );
  });

  it("is refused unless it is a regular file", () => {
    for (const path of [temporaryFolder(cleanup), "/dev/zero"])
      assert.throws(() => readFile(path), /^ProviderError: .* is not a regular file/);
    assert.throws(() => readFile("a\0b"), /^ProviderError: a\\u\{0\}b cannot be read/);
  });
});

describe("the place of a declaration", () => {
  const cleanup = useCleanup("test");

  /** Returns the location that a report finds for this position, in a folder with several kinds of files. */
  function located(sourcePosition: string) {
    const outside = temporaryFolder(cleanup);
    const folder = join(outside, "infra");
    mkdirSync(join(folder, "folder"), { recursive: true });
    const source = `\n\nnew clouddb.ClusterConnectionStrings(\n"orders", {});\n`;
    for (const file of ["../outside.ts", "inside.py", "100%.py", "..py"])
      writeFileSync(join(folder, file), source);
    symlinkSync("../outside.ts", join(folder, "link.ts"));
    symlinkSync("/dev/zero", join(folder, "device.ts"));
    symlinkSync("link-to-itself.ts", join(folder, "link-to-itself.ts"));
    writeFileSync(join(folder, "large.py"), `${source}${" ".repeat(1024 * 1024)}`);
    const resources = [{ urn: urnOf("orders"), sourcePosition }];
    const locate = createLocator(folder);
    const text = JSON.stringify({ deployment: { resources } });
    const last = readInput(text, "it").positions.get(urnOf("orders"));
    return locate(nameOf(urnOf("orders")), last);
  }

  for (const path of ["inside.py", "100%25.py", "..py"]) {
    it(`is found in a file of the folder: ${path}`, () => {
      assert.deepEqual(located(`project:///${path}#9`), {
        file: decodeURIComponent(path),
        line: 3,
      });
    });
  }

  for (const path of [
    ...[
      "%2e%2e/outside.ts",
      "folder/%2E%2E/../%2e./outside.ts",
      "..%2foutside.ts",
      "..%5Coutside.ts",
    ],
    ...[
      "/dev/zero",
      "%2Fdev%2Fzero",
      "link.ts",
      "device.ts",
      "link-to-itself.ts",
      "folder",
      "large.py",
    ],
    ...["100%.py", "%ff", "a%00b", "", "."],
  ]) {
    it(`is not found outside the project or in a file that is not a source: "${path}"`, () => {
      assert.equal(located(`project:///${path}#1`), undefined);
    });
  }

  it("is found for many resources in linear time", function () {
    this.timeout(20_000);
    const folder = temporaryFolder(cleanup);
    const lines = list(15_000, (at) => `new clouddb.ClusterConnectionStrings("r${at}", {});\n`);
    writeFileSync(join(folder, "index.ts"), lines.join(""));
    const locate = createLocator(folder);
    for (const at of lines.keys())
      assert.deepEqual(locate(nameOf(urnOf(`r${at}`)), undefined), {
        file: "index.ts",
        line: at + 1,
      });
  });
});
