import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";

const root = join(__dirname, "..", "..");

describe("npx mocha", function () {
  this.timeout(60_000);
  const cleanup = useCleanup("test");

  /** Runs test files and folders with .mocharc.json, and returns what Mocha prints. */
  async function mocha(...specs: string[]): Promise<string> {
    const script = join(root, "node_modules/mocha/bin/mocha.js");
    const env = { ...process.env, CLOUDDB_BASE_URL: "https://real.example" };
    const args = [script, ...specs];
    const { result } = startCommand(cleanup, process.execPath, args, { cwd: root, env });
    const { code, stdout, stderr } = await result;
    assert.equal(code, 0, stdout + stderr);
    return stdout;
  }

  it("runs TypeScript that imports a built package, without the settings of a real service", async () => {
    const file = join(scratchFolder(cleanup), "example.test.ts");
    writeFileSync(
      file,
      `import { fixtures } from "clouddb-simulator/fixtures";
describe("settings", () => {
  it(\`\${Object.keys(process.env).filter((name) => name.startsWith("CLOUDDB_")).length} left\`, () => {
    const demo: unknown = fixtures.demo;
    if (demo === undefined) throw new Error("no fixture");
  });
});
`,
    );
    assert.match(await mocha(file), /0 left[^]*1 passing/);
  });

  it("runs the tests in a named file, in a named folder and in the folders in it", async () => {
    const folder = scratchFolder(cleanup);
    mkdirSync(join(folder, "named", "inner"), { recursive: true });
    for (const name of ["one.test.ts", "named/two.test.ts", "named/inner/three.test.ts"]) {
      writeFileSync(join(folder, name), `it("${name}", () => undefined);\n`);
    }
    writeFileSync(join(folder, "named", "support.ts"), 'throw new Error("not a test");\n');
    const output = await mocha(join(folder, "one.test.ts"), join(folder, "named"));
    assert.match(output, /one[^]*three[^]*two[^]*3 passing/);
  });
});
