// @ts-check
/** `npm run version-packages` runs this after changesets: writes the packages' version everywhere else that states it. */
import fs from "node:fs";
import path from "node:path";
import { Failure, command, say } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
npm run version-packages    sets the next version of the packages in every package.json, in package-lock.json,
                            in the plugin's schema, in the template and in the documentation`;

const range = '"pulumi-clouddb": "^<version>"';
const installation = "pulumi plugin install resource clouddb <version> --server github://";
const installationOfFile =
  "pulumi plugin install resource clouddb <version> --file ~/clouddb-packages/pulumi-resource-clouddb-v<version>-*";
const packageAdd = "pulumi package add clouddb@<version>";

/** The files that state the version, and how. changesets writes every package.json of a workspace. */
const mentions = [
  {
    file: "plugin/schema.json",
    texts: ['"name": "clouddb",\n  "displayName": "CloudDB",\n  "version": "<version>"'],
  },
  { file: "plugin/README.md", texts: [installation, packageAdd] },
  { file: "docs/guides/languages.md", texts: [installation, packageAdd] },
  { file: "docs/installation-configuration.md", texts: [installation, packageAdd] },
  { file: "docs/upgrading.md", texts: [installationOfFile, packageAdd] },
  { file: "examples/template/package.json", texts: [range] },
  { file: ".github/ISSUE_TEMPLATE/bug_report.yml", texts: ["pulumi-clouddb <version>, Node.js"] },
];

const anyVersion = String.raw`\d+\.\d+\.\d+(?:-[\w.]*\w)?`;

await command(help, async (args) => {
  if (args.length > 0) throw new Failure(`Unknown argument: ${args[0]}\n${help}`);
  /** @type {{ version: string }} */
  const { version } = JSON.parse(read("provider/package.json"));
  // Every file is checked before the first one is written.
  const updated = mentions.map(({ file, texts }) => ({
    file,
    content: texts.reduce((content, text) => setVersion(file, content, text, version), read(file)),
  }));
  for (const { file, content } of updated) fs.writeFileSync(path.join(root, file), content);
  say(`The version is ${version} in ${updated.map(({ file }) => file).join(", ")}.`);
  return 0;
});

/**
 * Replaces the version in every occurrence of a string.
 * @param {string} file
 * @param {string} content
 * @param {string} text contains `<version>`
 * @param {string} version
 * @throws {Failure} if the file does not contain the text
 */
function setVersion(file, content, text, version) {
  const parts = text.split("<version>").map((part) => part.replace(/[.^$*+?()[\]{}|\\]/g, "\\$&"));
  const pattern = new RegExp(parts.join(anyVersion), "g");
  if (!pattern.test(content)) {
    throw new Failure(
      `${file} no longer contains \`${text}\`, so the version in it cannot be updated. ` +
        "Correct the list in scripts/versionMentions.mjs, then run npm run version-packages again.",
    );
  }
  return content.replace(pattern, () => text.replaceAll("<version>", version));
}

/** @param {string} file its path in the repository */
function read(file) {
  return fs.readFileSync(path.join(root, file), "utf8");
}
