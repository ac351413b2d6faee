/** The examples for users of the generated SDKs, under the type checkers that these users run. */
import assert from "node:assert/strict";
import { type ExecFileSyncOptions, execFileSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { scratchFolder, useCleanup } from "../support/cleanup";
import { codeBlocks, pages } from "../unit/docs/markdown";
import { generateSdks, sdkEnvironment } from "../engine/plugin/sdks";

const root = join(__dirname, "..", "..");
const described = z.record(z.string(), z.object({ description: z.string() }));
const schema = z
  .object({ resources: described, functions: described })
  .parse(JSON.parse(readFileSync(join(root, "plugin", "schema.json"), "utf8")));

describe("the examples in the schema", () => {
  const cleanup = useCleanup("test");

  it("and in the documentation pass mypy and pyright in Python", () => {
    const folder = scratchFolder(cleanup);
    for (const [name, code] of examplesIn("python"))
      writeFileSync(join(folder, `${name}.py`), code);
    const program = join(root, "examples", "python", "__main__.py");
    cpSync(program, join(folder, "quickstart.py"));
    const blocks = pages()
      .flatMap(codeBlocks)
      .filter(
        ({ language, code }) => language === "python" && code.includes("import pulumi_clouddb"),
      );
    assert.ok(blocks.length > 0);
    for (const { code, line } of blocks) writeFileSync(join(folder, `block_${line}.py`), code);
    const python = join(sdkEnvironment(), "bin", "python");
    succeed(python, ["-m", "pip", "install", "--quiet", "mypy>=1.19,<2"], {});
    succeed(python, ["-m", "mypy", "--strict", folder], { cwd: folder });
    const pyright = ["exec", "--yes", "--package=pyright@1", "--", "pyright"];
    succeed("npm", [...pyright, "--pythonpath", python, folder], { cwd: root });
  });

  it("pass tsc --strict in TypeScript", () => {
    const folder = scratchFolder(cleanup);
    const sdk = join(folder, "node_modules", "pulumi-clouddb-sdk");
    cpSync(join(generateSdks(), "nodejs", "bin"), sdk, { recursive: true });
    const files = examplesIn("typescript").map(([name, code]) => {
      writeFileSync(join(folder, `${name}.ts`), code);
      return `${name}.ts`;
    });
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const options = ["--ignoreConfig", "--strict", "--noEmit", "--skipLibCheck", "--types", "node"];
    const module = ["--module", "node16", "--target", "es2022"];
    succeed(process.execPath, [tsc, ...options, ...module, ...files], { cwd: folder });
  });
});

/** Returns the example of each resource and function in a language. */
function examplesIn(language: string): [name: string, code: string][] {
  const all = Object.entries({ ...schema.resources, ...schema.functions });
  return all.map(([token, { description }]) => {
    const [, code] = new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, "m").exec(description) ?? [];
    assert.ok(code !== undefined, `${token} has no example in ${language}`);
    return [token.split(":").at(-1) ?? "", code];
  });
}

/** Runs a checker, and fails with its output. */
function succeed(command: string, args: readonly string[], options: ExecFileSyncOptions): void {
  try {
    execFileSync(command, args, { ...options, stdio: "pipe" });
  } catch (error) {
    const { stdout, stderr } = z.object({ stdout: z.unknown(), stderr: z.unknown() }).parse(error);
    assert.fail(`${String(stdout)}\n${String(stderr)}`);
  }
}
