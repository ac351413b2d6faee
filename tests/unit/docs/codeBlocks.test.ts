/** Compiles and parses the code in the Markdown files. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { parse } from "yaml";
import { type CodeBlock, codeBlocks, pages } from "./markdown";

// The compiler separates folders with slashes on Windows, too.
const root = join(__dirname, "../../..").replaceAll("\\", "/");
const blocks = pages().flatMap(codeBlocks);

/** What the text around a block introduces. A declaration in the block takes precedence. */
const context = `
declare const clouddb: typeof import("pulumi-clouddb");
declare const pulumi: typeof import("@pulumi/pulumi");
declare const config: import("@pulumi/pulumi").Config;
declare const projectId: string;
declare const project: import("@pulumi/pulumi").CustomResource;
declare const cluster: import("@pulumi/pulumi").CustomResource;
declare const orders: import("pulumi-clouddb").ClusterConnectionStrings;
declare const password: import("@pulumi/pulumi").Output<string>;
declare const clientId: string;
declare const clientSecret: import("@pulumi/pulumi").Output<string>;
declare const partner: import("pulumi-clouddb").Provider;
declare const seed: import("clouddb-simulator").Seed;
`;

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.Node16,
  moduleResolution: ts.ModuleResolutionKind.Node16,
  types: ["node"],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Compiles files that exist only in memory. Returns the problems, with the file and the line. */
function compile(files: ReadonlyMap<string, string>): string[] {
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
    return `${file?.fileName ?? ""}:${line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

/** An ES module, in which `await` is allowed. Empty lines keep the line numbers of the page. */
function moduleOf({ page, line, code }: CodeBlock): [string, string] {
  return [`${root}/${page}.${line}.mts`, `${"\n".repeat(line - 1)}${code}\nexport {};\n`];
}

describe("the code in the Markdown files", function () {
  this.timeout(120_000);

  it("compiles if it is TypeScript", () => {
    const typescript = blocks.filter(
      ({ language, code }) =>
        // Programs for the generated SDK are compiled with it by sdkTypes.test.ts.
        /^(ts|typescript)$/.test(language) && !code.includes("pulumi-clouddb-sdk"),
    );
    assert.ok(typescript.length > 10);
    const files = new Map(typescript.map(moduleOf)).set(`${root}/context.d.ts`, context);
    assert.deepEqual(compile(files), []);
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
