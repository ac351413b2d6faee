// @ts-check
/** `npm run version-packages`: sets the version of the packages, which all share one. */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import semver from "semver";
import { run } from "./processes.mjs";
import { Failure, command, say } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run version-packages -- 1.2.3    sets the version of the packages in every package.json, in package-lock.json,
                                     in the plugin's schema and in the documentation`;

/** Other files that contain the version of the packages. They must not contain an equal version of anything else. */
const files = ["plugin/schema.json", "docs/upgrading.md"];

await command(help, async ([version = ""]) => {
  /** @type {{ version: string }} */
  const { version: previous } = JSON.parse(read("provider/package.json"));
  if (semver.valid(version) !== version || semver.lte(version, previous)) {
    throw new Failure(`Pass a version after ${previous}, such as 1.2.3 or 1.2.3-rc.0.\n${help}`);
  }
  // Every file is checked before the first one is written.
  const wrong = files.filter((file) => !read(file).includes(previous));
  if (wrong.length > 0) {
    throw new Failure(
      `${wrong.join(", ")} no longer state the version ${previous}, so it cannot be updated. ` +
        "Correct the list in scripts/versionMentions.mjs, then run the command again.",
    );
  }
  const search = ["ls-files", "*/package.json", ":!tests"];
  const manifests = execFileSync("git", search, { cwd: root, encoding: "utf8" }).trim().split("\n");
  for (const file of new Set([...files, ...manifests])) {
    fs.writeFileSync(path.join(root, file), read(file).replaceAll(previous, version));
  }
  say(`The version is ${version} in every package.json and in ${files.join(", ")}.`);
  return run("npm", ["install", "--package-lock-only", "--ignore-scripts"], { cwd: root });
});

/** @param {string} file its path in the repository */
function read(file) {
  return fs.readFileSync(path.join(root, file), "utf8");
}
