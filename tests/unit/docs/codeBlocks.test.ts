/** Compiles, runs and parses the code in the Markdown files. tests/engine/guides.test.ts previews the Pulumi programs. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { parse } from "yaml";
import { z } from "zod";
import { scratchFolder, useCleanup } from "../../support/cleanup";
import { type Example, examples, exceptions } from "./examples";
import { codeBlocks, pages } from "./markdown";

// The compiler separates folders with slashes on Windows, too.
const root = join(__dirname, "../../..").replaceAll("\\", "/");
const template = join(root, "examples", "template");
const blocks = pages().flatMap(codeBlocks);
const all = examples();

const { compilerOptions } = z
  .object({ compilerOptions: z.unknown() })
  .parse(JSON.parse(readFileSync(join(template, "tsconfig.json"), "utf8")));
const { options } = ts.convertCompilerOptionsFromJson(compilerOptions, root);

/** Compiles examples as in a project made from the template. Returns the problems, with the page and the line. */
function compile(compiled: readonly Example[]): string[] {
  const extension = ({ kind }: Example) => (kind === "module" ? "mts" : "ts");
  const files = new Map(
    compiled.map((example) => [
      `${root}/${example.page}.${example.line}.${extension(example)}`,
      example.file,
    ]),
  );
  // The test with mocks imports the program of the template, of which the file in memory is in the page's folder.
  for (const { page, kind } of compiled) {
    const program = join(root, page, "..", "index.ts").replaceAll("\\", "/");
    if (kind === "test") files.set(program, readFileSync(join(template, "index.ts"), "utf8"));
  }
  const onDisk = ts.createCompilerHost(options);
  const host: ts.CompilerHost = {
    ...onDisk,
    fileExists: (name) => files.has(name) || onDisk.fileExists(name),
    getSourceFile: (name, version, onError) => {
      const text = files.get(name);
      return text === undefined
        ? onDisk.getSourceFile(name, version, onError)
        : ts.createSourceFile(name, text, version);
    },
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const line = file === undefined ? 0 : ts.getLineAndCharacterOfPosition(file, start).line + 1;
    const name = file?.fileName.replace(/\.\d+\.m?ts$/, "").replace(`${root}/`, "") ?? "";
    return `${name}:${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

describe("the code in the Markdown files", function () {
  this.timeout(120_000);
  const cleanup = useCleanup("test");

  it("compiles in a project made from the template", () => {
    assert.ok(all.length > 10);
    assert.deepEqual(compile(all), []);
  });

  it("does not compile if it is wrong, or awaits outside an ES module", () => {
    const broken = (code: string) =>
      compile(examples([{ page: "a.md", line: 7, language: "ts", code }]));
    assert.match(broken("\norders.recommend;")[0] ?? "", /^a\.md:8: Property 'recommend' does not/);
    const awaiting = "const { clusters } = await clouddb.getClusters({ projectId });";
    assert.match(broken(awaiting)[0] ?? "", /^a\.md:7: The current file is a CommonJS module/);
  });

  for (const { page, line, code, file, kind } of all) {
    if (kind !== "script" && kind !== "module") continue;
    it(`runs and prints what it says: ${page}:${line}`, () => {
      const format = kind === "module" ? ts.ModuleKind.ES2022 : ts.ModuleKind.CommonJS;
      const script = join(scratchFolder(cleanup), kind === "module" ? "index.mjs" : "index.cjs");
      const compilerOptions = { module: format, target: ts.ScriptTarget.ES2022 };
      const { outputText } = ts.transpileModule(file, { compilerOptions });
      // An example of the simulator may leave it running.
      writeFileSync(script, `${outputText}\nprocess.exit();`);
      const { status, stdout, stderr } = spawnSync(process.execPath, [script], {
        encoding: "utf8",
      });
      const printed = [...code.matchAll(/console\.\w+\(.*\); \/\/ (.*)/g)].map(
        ([, text = ""]) => text,
      );
      assert.deepEqual(
        [status, `${stdout}${stderr}`],
        [0, printed.map((text) => `${text}\n`).join("")],
      );
      if (kind === "module") assert.ok(/\bES module\b/.test(textOf(page)));
    });
  }

  for (const { page, line, file, kind } of all) {
    if (kind !== "test") continue;
    it(`fails if its expectation is wrong, as a test with mocks: ${page}:${line}`, () => {
      const folder = scratchFolder(cleanup);
      cpSync(template, folder, { recursive: true });
      const [command = "", ...args] =
        /node .*--test index\.test\.ts/.exec(textOf(page))?.[0]?.split(" ") ?? [];
      const run = (text: string) => {
        writeFileSync(join(folder, "index.test.ts"), text);
        const { status, stdout, stderr } = spawnSync(command, args, {
          cwd: folder,
          encoding: "utf8",
        });
        return `${status} ${stdout}${stderr}`;
      };
      assert.match(run(file), /^0 [^]* pass 1$/m);
      assert.match(run(file.replace("equal(", "notEqual(")), /^1 [^]* fail 1$/m);
    });
  }

  it("has exceptions only for code that is there", () => {
    for (const { page, part } of exceptions) {
      assert.ok(
        blocks.some((block) => block.page === page && block.code.includes(part)),
        part,
      );
    }
  });

  it("parses if it is JSON or YAML, as does the pipeline for GitLab", () => {
    for (const { page, line, language, code } of blocks) {
      const read = () => (language === "json" ? void JSON.parse(code) : void parse(code));
      if (/^(json|yaml)$/.test(language)) assert.doesNotThrow(read, `${page}:${line}`);
    }
    const gitlab = join(root, "examples", "pr-check", "gitlab-ci.yml");
    assert.doesNotThrow(() => void parse(readFileSync(gitlab, "utf8")));
  });
});

function textOf(page: string): string {
  return readFileSync(join(root, page), "utf8");
}
