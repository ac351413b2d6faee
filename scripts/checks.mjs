// @ts-check
/** Static checks. Each passes or fails as a whole. */
import fs from "node:fs";
import path from "node:path";
import { bold, green, red, say } from "./terminal/console.mjs";
import { run } from "./terminal/run.mjs";
import { installed, root } from "./workspace.mjs";

/**
 * @param {{ fix?: boolean }} options fix: whether to fix what can be fixed automatically
 * @returns {Promise<{ passed: number, failed: number }>}
 */
export async function runChecks({ fix = false } = {}) {
  const counts = { passed: 0, failed: 0 };
  for (const { name, commands } of checks(fix)) {
    const passed = await passes(commands);
    counts[passed ? "passed" : "failed"] += 1;
    say(`${passed ? green("passed") : red("failed")}  ${bold(name)}`);
  }
  return counts;
}

/**
 * @param {boolean} fix
 * @returns {{ name: string, commands: string[][] }[]} each command is a script of a dependency and its arguments
 */
function checks(fix) {
  return [
    { name: "lint", commands: [["eslint/bin/eslint.js", ".", ...(fix ? ["--fix"] : [])]] },
    {
      name: "format",
      commands: [["@biomejs/biome/bin/biome", "format", ...(fix ? ["--write"] : [])]],
    },
    {
      name: "imports",
      commands: [
        ["dependency-cruiser/bin/dependency-cruise.mjs", ...sources(), "--output-type", "err"],
      ],
    },
    { name: "unused files, exports and dependencies", commands: [["knip/bin/knip.js"]] },
    {
      name: "duplicates",
      commands: [["jscpd/bin/jscpd", ...sources().filter((folder) => folder !== "tests")]],
    },
    // A broken link in a comment is a warning, which fails as well: see typedoc.config.mjs.
    { name: "API reference", commands: [["typedoc/bin/typedoc", "--emit", "none"]] },
    {
      name: "types",
      // The build checks the types of the packages.
      commands: [".", ...examples()].map((project) => [
        "typescript/bin/tsc",
        "--noEmit",
        "--project",
        project,
      ]),
    },
  ];
}

/** The folders whose imports .dependency-cruiser.cjs restricts. */
function sources() {
  const packages = ["connection-strings", "provider", "plugin", "simulator"];
  return [
    ...packages.map((name) => path.join(name, "src")),
    "quality",
    "mutation",
    "tests",
    "scripts",
  ];
}

/** Lists the examples that are separate TypeScript projects. */
function examples() {
  return fs
    .readdirSync(path.join(root, "examples"))
    .map((name) => path.join("examples", name))
    .filter((folder) => fs.existsSync(path.join(root, folder, "tsconfig.json")));
}

/** @param {string[][]} commands */
async function passes(commands) {
  for (const [script = "", ...args] of commands) {
    const code = await run(process.execPath, [installed(script), ...args], { cwd: root });
    if (code !== 0) return false;
  }
  return true;
}
