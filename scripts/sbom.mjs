// @ts-check
/**
 * Writes the software bills of materials of the packages, for a release. `npm sbom` of the checkout would omit
 * dependencies that are also development dependencies, and bundled ones.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { prepare } from "./firstRun/index.mjs";
import { capture, lastLine } from "./processes.mjs";
import { Failure, command, say } from "./terminal.mjs";
import { root } from "./workspace.mjs";

const help = `
node scripts/sbom.mjs               writes sbom/<package>.cdx.json for each package: its installed and bundled
                                    dependencies, in CycloneDX format
node scripts/sbom.mjs <folder>      writes the files to another folder`;

/** The packages, and the packages of the same release that they depend on. */
const packages = [
  { folder: "connection-strings", siblings: [], bundles: [] },
  {
    folder: "provider",
    siblings: ["connection-strings"],
    bundles: ["provider/dist/runtime.bundle.LICENSES.txt"],
  },
  { folder: "plugin", siblings: [], bundles: ["plugin/dist/plugin.bundle.LICENSES.txt"] },
  { folder: "simulator", siblings: [], bundles: [] },
];

await command(help, async ([target = "sbom", ...rest]) => {
  if (target.startsWith("-") || rest.length > 0) throw new Failure(help);
  await prepare();
  const output = path.resolve(root, target);
  fs.mkdirSync(output, { recursive: true });
  for (const { folder, siblings, bundles } of packages) {
    const { name } = readJson(path.join(root, folder, "package.json"));
    const document = await describeInstallation([folder, ...siblings]);
    document.components.push(...bundles.flatMap(bundledComponents));
    const file = path.join(output, `${name}.cdx.json`);
    fs.writeFileSync(file, `${JSON.stringify(document, undefined, 2)}\n`);
    say(`${path.relative(process.cwd(), file)}: ${document.components.length} components`);
  }
  return 0;
});

/**
 * Installs packed packages in an empty folder, and describes the installed packages. Pulumi's SDK, a peer dependency,
 * belongs to the user's program.
 * @param {string[]} folders
 */
async function describeInstallation(folders) {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "clouddb-sbom-"));
  try {
    const packing = folders.map((folder) => path.join(root, folder));
    await npm(root, ["pack", "--silent", "--pack-destination", home, ...packing]);
    const tarballs = fs.readdirSync(home).filter((file) => file.endsWith(".tgz"));
    const manifest = { name: "release", version: "0.0.0", private: true };
    fs.writeFileSync(path.join(home, "package.json"), JSON.stringify(manifest));
    const options = ["--ignore-scripts", "--prefer-offline", "--no-audit", "--no-fund"];
    await npm(home, ["install", ...options, ...tarballs.map((file) => `./${file}`)]);
    return JSON.parse(await npm(home, ["sbom", "--sbom-format", "cyclonedx", "--omit", "peer"]));
  } finally {
    fs.rmSync(home, { recursive: true, force: true });
  }
}

/**
 * Reads the packages in a bundle from the headings of its license file, such as `zod@4.6.7 (MIT)`.
 * @param {string} file
 */
function bundledComponents(file) {
  const text = fs.readFileSync(path.join(root, file), "utf8");
  return [...text.matchAll(/^((?:@[^/\s]+\/)?[^@\s]+)@(\S+) \((.+)\)$/gm)].map(
    ([, name, version, license = ""]) => ({
      "bom-ref": `bundled:${name}@${version}`,
      type: "library",
      name,
      version,
      scope: "required",
      purl: `pkg:npm/${name?.replace("@", "%40")}@${version}`,
      properties: [{ name: "cdx:npm:package:bundled", value: "true" }],
      licenses: [/ /.test(license) ? { expression: license } : { license: { id: license } }],
    }),
  );
}

/**
 * @param {string} cwd
 * @param {string[]} args
 * @returns {Promise<string>} what npm printed
 */
async function npm(cwd, args) {
  const { code, output } = await capture("npm", [...args, "--loglevel", "error"], { cwd });
  if (code !== 0) throw new Failure(`npm ${args[0]} failed: ${lastLine(output)}`);
  return output;
}

/** @param {string} file */
function readJson(file) {
  return JSON.parse(fs.readFileSync(file, "utf8"));
}
