// @ts-check
/** `npm run mutation`: tests how many faults the tests notice, with the subjects of mutation/. */
import path from "node:path";
import { prepare } from "./firstRun/index.mjs";
import { testEnvironment } from "./environment.mjs";
import { run } from "./processes.mjs";
import { Failure, command } from "./terminal.mjs";
import { root } from "./workspace.mjs";
import { subjects } from "../mutation/subjects.mjs";

const help = `
npm run mutation               mutates the code of every subject, runs its tests against each mutant, and
                               writes the scores to docs/reliability.md (about 30 minutes)
npm run mutation -- guard      some of the subjects
npm run mutation -- --quick    only the guard, and writes nothing (under a minute)

Subjects: ${Object.keys(subjects).join(", ")}. Fails if a score is below 90 %, or if mutation/survivors.json does
not explain a surviving mutant.`;

await command(help, async (args) => {
  const unknown = args.find((arg) => arg !== "--quick" && !(arg in subjects));
  if (unknown !== undefined) throw new Failure(`Unknown argument: ${unknown}\n${help}`);
  await prepare();
  return run(process.execPath, [path.join(root, "mutation", "main.mjs"), ...args], {
    cwd: root,
    env: testEnvironment(undefined),
  });
});
