// @ts-check
/** Publishes a release. tests/rehearsals/release.test.ts runs it as release.yml does, with a registry on loopback. */
import fs from "node:fs";
import path from "node:path";
import { capture, run } from "./processes.mjs";
import { Failure, command, say } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
node scripts/publish.mjs    publishes each npm package whose version is not published yet`;

await command(help, async () => {
  // A package comes after those that it depends on.
  for (const folder of ["connection-strings", "provider", "plugin", "simulator"]) {
    const manifest = fs.readFileSync(path.join(root, folder, "package.json"), "utf8");
    /** @type {{ name: string, version: string }} */
    const { name, version } = JSON.parse(manifest);
    const published = await publishedVersions(name);
    if (published.includes(version)) {
      say(`${name} ${version} is already published.`);
      continue;
    }
    // Until a stable version is published, `npm install` without a version installs the latest release candidate.
    const isStable = (/** @type {string} */ text) => !text.includes("-");
    const tag = isStable(version) || !published.some(isStable) ? "latest" : "rc";
    const options = ["--workspace", folder, "--access", "public", "--tag", tag];
    const code = await run("npm", ["publish", ...options], { cwd: root });
    if (code !== 0) throw new Failure(`${name} ${version} was not published.`, code);
  }
  return 0;
});

/**
 * Returns the published versions of a package; none if the registry does not have it.
 * @param {string} name
 * @returns {Promise<string[]>}
 */
async function publishedVersions(name) {
  const args = ["view", name, "versions", "--json", "--loglevel=silent"];
  const { code, output } = await capture("npm", args, { cwd: root });
  const found = JSON.parse(output);
  if (code === 0) return [found].flat();
  if (found.error?.code === "E404") return [];
  throw new Failure(`The versions of ${name} cannot be read: ${output}`, code);
}
