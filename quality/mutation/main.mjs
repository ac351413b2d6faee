// @ts-check
/** Mutates the sources of some subjects with Stryker, and fails if too many mutants survive their tests. */
import fs from "node:fs";
import { testEnvironment } from "../../scripts/environment.mjs";
import { prepare } from "../../scripts/firstRun/index.mjs";
import { run } from "../../scripts/processes.mjs";
import { Failure, bold, command, say } from "../../scripts/terminal.mjs";
import { root } from "../../scripts/workspace.mjs";

const subjects = Object.keys(
  JSON.parse(fs.readFileSync(new URL("subjects.json", import.meta.url), "utf8")),
);

const help = `
node quality/mutation/main.mjs [subject...]    mutates the sources of subjects (default: all) with Stryker, which npx
                                               downloads, and runs their tests. Fails if a subject scores below its
                                               accepted score in subjects.json. All subjects take 80 minutes, of
                                               which the simulator takes 40.

The subjects are ${subjects.join(", ")}.`;

/** The versions whose scores subjects.json states. Stryker reads tsconfig.json with a TypeScript beside itself. */
const packages = [
  "@stryker-mutator/core@9.6.1",
  "@stryker-mutator/mocha-runner@9.6.1",
  // Not the version of this workspace, which npx would not install again.
  "typescript@5.9.3",
];

await command(help, async (names) => {
  const unknown = names.find((name) => !subjects.includes(name));
  if (unknown !== undefined) throw new Failure(`Unknown subject: ${unknown}\n${help}`);
  await prepare();
  const failed = [];
  for (const name of names.length > 0 ? names : subjects) {
    say(bold(name));
    const env = {
      ...testEnvironment(undefined),
      MUTATION_SUBJECT: name,
    };
    const options = packages.flatMap((name) => ["--package", name]);
    const stryker = ["stryker", "run", "quality/mutation/stryker.config.mjs"];
    const code = await run("npx", ["--yes", ...options, "--", ...stryker], { cwd: root, env });
    if (code !== 0) failed.push(name);
  }
  if (failed.length > 0) say(`Below the accepted score, or not tested: ${failed.join(", ")}`);
  return failed.length === 0 ? 0 : 1;
});
