// @ts-check
/** `npm run version-packages` runs this after changesets, which writes every package.json of the workspace. */
import fs from "node:fs";
import path from "node:path";
import { Failure, command, say } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run version-packages    sets the next version of the packages in every package.json, in package-lock.json,
                            in the plugin's schema, in the template and in the documentation`;

/** Other files that contain the version of the packages. They must not contain an equal version of anything else. */
const files = [
  "plugin/schema.json",
  "plugin/README.md",
  "docs/guides/languages.md",
  "docs/upgrading.md",
  "examples/template/package.json",
];

await command(help, async () => {
  /** @type {{ version: string }} */
  const { version } = JSON.parse(read("provider/package.json"));
  /** @type {{ version: string }} */
  const { version: previous } = JSON.parse(read("plugin/schema.json"));
  // Every file is checked before the first one is written.
  const wrong = files.filter((file) => !read(file).includes(previous));
  if (wrong.length > 0) {
    throw new Failure(
      `${wrong.join(", ")} no longer state the version ${previous}, so it cannot be updated. ` +
        "Correct the list in scripts/versionMentions.mjs, then run npm run version-packages again.",
    );
  }
  for (const file of files) {
    fs.writeFileSync(path.join(root, file), read(file).replaceAll(previous, version));
  }
  say(`The version is ${version} in ${files.join(", ")}.`);
  return 0;
});

/** @param {string} file its path in the repository */
function read(file) {
  return fs.readFileSync(path.join(root, file), "utf8");
}
