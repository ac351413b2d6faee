import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";

const root = join(__dirname, "..", "..");

describe("npx mocha FILE", function () {
  this.timeout(60_000);
  const cleanup = useCleanup("test");

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
    const mocha = join(root, "node_modules/mocha/bin/mocha.js");
    const env = { ...process.env, CLOUDDB_BASE_URL: "https://real.example" };
    const { result } = startCommand(cleanup, process.execPath, [mocha, file], { cwd: root, env });
    const { code, stdout, stderr } = await result;
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /0 left[^]*1 passing/);
  });
});
