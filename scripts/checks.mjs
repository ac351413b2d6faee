// @ts-check
/** Runs the static checks concurrently. Each one prints its output only if it fails. */
import os from "node:os";
import path from "node:path";
import { capture } from "./processes.mjs";
import { bold, dim, duration, green, red, say } from "./terminal.mjs";
import { installed, root } from "./workspace.mjs";

const cache = path.join("node_modules", ".cache", "clouddb");

/**
 * @param {{ fix?: boolean }} options fix: whether to fix what can be fixed automatically
 */
export async function runChecks({ fix = false } = {}) {
  const result = { passed: 0, skipped: 0, failures: /** @type {string[]} */ ([]) };
  const waiting = checks(fix);
  const worker = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      const [script = "", ...args] = check.command;
      const started = Date.now();
      const { code, output } = await capture(process.execPath, [installed(script), ...args], {
        cwd: root,
      });
      if (code === 0) {
        result.passed += 1;
      } else {
        result.failures.push(check.name);
        say(output);
      }
      const time = dim(duration(Date.now() - started));
      say(`${code === 0 ? green("passed") : red("failed")}  ${bold(check.name)} ${time}`);
    }
  };
  // Several checks fix the same files.
  const workers = fix ? 1 : os.availableParallelism();
  await Promise.all(Array.from({ length: workers }, worker));
  return result;
}

/**
 * The slowest check comes first. The build checks the types of the packages.
 * @param {boolean} fix
 * @returns {{ name: string, command: string[] }[]} each command is a script of a dependency and its arguments
 */
function checks(fix) {
  return [
    { name: "lint", command: ["oxlint/bin/oxlint", ...(fix ? ["--fix"] : [])] },
    ...[".", "examples"].map((project) => ({
      name: `types of ${project === "." ? "tests, scripts and quality" : project}`,
      command: [
        "typescript7/bin/tsc",
        "--noEmit",
        "--project",
        project,
        "--incremental",
        "--tsBuildInfoFile",
        path.join(cache, "types", `${project}.json`),
      ],
    })),
    {
      name: "imports",
      command: [
        "dependency-cruiser/bin/dependency-cruise.mjs",
        ...sources(),
        "tests",
        "--output-type",
        "err",
        "--cache",
        path.join(cache, "imports"),
      ],
    },
    { name: "unused files, exports and dependencies", command: ["knip/bin/knip.js", "--cache"] },
    // A broken link in a comment is a warning, which also fails (see typedoc.config.mjs).
    { name: "API reference", command: ["typedoc/bin/typedoc", "--emit", "none"] },
    {
      name: "generated parts of the reference",
      command: ["../scripts/reference.mjs", ...(fix ? ["--fix"] : [])],
    },
    {
      name: "format",
      command: ["@biomejs/biome/bin/biome", "format", ...(fix ? ["--write"] : [])],
    },
  ];
}

/** The folders whose imports .dependency-cruiser.cjs restricts, except the tests. */
function sources() {
  const packages = ["connection-strings", "provider", "plugin", "simulator"];
  return [...packages.map((name) => path.join(name, "src")), "quality", "scripts"];
}
