// @ts-check
// `npm test` and `npm run test:<layer>`: the checks and the test layers, and one count over all.
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { bootstrap, findPulumiCli } from "./bootstrap/index.mjs";
import { runChecks } from "./checks.mjs";
import { command } from "./terminal/command.mjs";
import { bold, say } from "./terminal/console.mjs";
import { Failure } from "./terminal/failure.mjs";
import { run } from "./terminal/run.mjs";
import { installed, root } from "./workspace.mjs";

const HELP = `
npm test                                     lint, format, types and every test layer
npm run test:unit -- tests/unit/x.test.ts    one layer, or one file of it
npm run test:engine -- --grep "in preview"   further arguments are Mocha's

Layers: unit, protocol (the provider's process, without an engine), engine (the real Pulumi CLI),
package (the packed tarballs). The last line counts all: N passed, N failed.`;

/** @typedef {{ passed: number, failed: number, skipped: number }} Counts */

/** Test layers, in the order they run. The timeout is for one test, in milliseconds. */
const LAYERS = [
  { name: "unit", timeout: 30_000, needsCli: false },
  { name: "protocol", timeout: 60_000, needsCli: false },
  { name: "engine", timeout: 300_000, needsCli: true },
  { name: "package", timeout: 300_000, needsCli: true },
];

await command(HELP, async (args) => {
  const { layers, mochaArgs } = parse(args);
  const everything = layers.length === LAYERS.length;
  await bootstrap();
  const bin = layers.some((layer) => layer.needsCli) ? await findPulumiCli() : undefined;

  /** @type {Counts} */
  const total = { passed: 0, failed: 0, skipped: 0 };
  let testsRun = 0;
  if (everything) add(total, { ...(await runChecks()), skipped: 0 });
  for (const layer of layers) {
    const counts = await runLayer(layer, mochaArgs, environment(bin));
    add(total, counts);
    testsRun += counts.passed + counts.failed;
  }
  if (testsRun === 0) say("No test ran.");
  const skipped = total.skipped > 0 ? `, ${total.skipped} skipped` : "";
  process.stdout.write(`${total.passed} passed, ${total.failed} failed${skipped}\n`);
  return total.failed === 0 && testsRun > 0 ? 0 : 1;
});

/** @param {string[]} args */
function parse(args) {
  const [first = "", ...rest] = args;
  if (first === "" || first.startsWith("-")) return { layers: LAYERS, mochaArgs: args };
  const layer = LAYERS.find(({ name }) => name === first);
  if (layer) return { layers: [layer], mochaArgs: rest };
  const ofFile = LAYERS.find(({ name }) => path.resolve(first).startsWith(folderOf(name)));
  if (ofFile) return { layers: [ofFile], mochaArgs: args };
  throw new Failure(`There is no test layer ${first}.\n${HELP}`);
}

/** @param {string} layer */
function folderOf(layer) {
  return path.join(root, "tests", layer) + path.sep;
}

/**
 * @param {typeof LAYERS[number]} layer
 * @param {string[]} mochaArgs
 * @param {NodeJS.ProcessEnv} env
 * @returns {Promise<Counts>}
 */
async function runLayer({ name, timeout }, mochaArgs, env) {
  const namesFiles = mochaArgs.some(
    (arg) => arg.endsWith(".test.ts") || (!arg.startsWith("-") && fs.existsSync(arg)),
  );
  const specs = namesFiles ? [] : testsIn(folderOf(name));
  if (!namesFiles && specs.length === 0) {
    say(`${bold(name)}: no tests`);
    return { passed: 0, failed: 0, skipped: 0 };
  }
  say(bold(name));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "clouddb-tests-"));
  const countsFile = path.join(folder, "counts.json");
  try {
    const args = [
      installed("mocha/bin/mocha.js"),
      ...["--require", "ts-node/register"],
      ...["--reporter", path.join(root, "tools", "counting-reporter.cjs")],
      ...["--reporter-option", `countsFile=${countsFile}`],
      // Mocha would colour the log of a continuous integration, too.
      ...(process.stdout.isTTY && process.stdout.hasColors() ? [] : ["--no-color"]),
      ...(mochaArgs.includes("--timeout") ? [] : ["--timeout", String(timeout)]),
      ...mochaArgs,
      ...specs,
    ];
    const code = await run(process.execPath, args, { cwd: root, env });
    return countsOf(countsFile, code);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {string} folder */
function testsIn(folder) {
  return fs
    .readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => path.join(folder, name))
    .sort();
}

/**
 * @param {string} countsFile
 * @param {number} code Mocha's exit code
 * @returns {Counts}
 */
function countsOf(countsFile, code) {
  /** @type {Counts} */
  const counts = fs.existsSync(countsFile)
    ? JSON.parse(fs.readFileSync(countsFile, "utf8"))
    : { passed: 0, failed: 0, skipped: 0 };
  // A file that cannot be loaded, or a process that died, is a failure that Mocha did not count.
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return counts;
}

/**
 * @param {string | undefined} bin the Pulumi CLI's folder
 * @returns {NodeJS.ProcessEnv}
 */
function environment(bin) {
  // Settings meant for a real service must not reach the tests.
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("CLOUDDB_"));
  const env = Object.fromEntries(inherited);
  // First on PATH, where the Automation API and any child find it by name.
  return bin === undefined ? env : { ...env, PATH: `${bin}${path.delimiter}${env.PATH ?? ""}` };
}

/**
 * @param {Counts} total
 * @param {Counts} counts
 */
function add(total, counts) {
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped += counts.skipped;
}
