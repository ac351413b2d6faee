// @ts-check
/** Publishes a release. tests/rehearsals/release.test.ts runs it as release.yml does, with registries on loopback. */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { run } from "./processes.mjs";
import { Failure, command } from "./terminal.mjs";
import { installed, root } from "./workspace.mjs";

const help = `
node scripts/publish.mjs npm                     publishes each npm package whose version is not published yet
node scripts/publish.mjs archives <sdks> <out>   packs the generated SDKs, one folder per language
node scripts/publish.mjs python <sdks>           publishes the SDK for Python to twine's registry, by default PyPI`;

await command(help, async ([what, sdks = "", out = ""]) => {
  if (what === "npm") {
    await succeed(process.execPath, [
      installed("@changesets/cli/bin.js"),
      "publish",
      "--no-git-tag",
    ]);
  } else if (what === "archives" && out !== "") {
    const manifest = fs.readFileSync(path.join(root, "plugin", "package.json"), "utf8");
    const { version } = JSON.parse(manifest);
    fs.mkdirSync(out, { recursive: true });
    for (const language of fs.readdirSync(sdks)) {
      const archive = path.resolve(out, `pulumi-clouddb-sdk-${language}-v${version}.tar.gz`);
      await succeed("tar", ["-czf", archive, "-C", sdks, language]);
    }
  } else if (what === "python" && sdks !== "") {
    await publishPython(path.resolve(sdks, "python"));
  } else {
    throw new Failure(help);
  }
  return 0;
});

/** @param {string} sdk */
async function publishPython(sdk) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "clouddb-python-"));
  try {
    const python = path.join(folder, "bin", "python");
    await succeed("python3", ["-m", "venv", folder]);
    await succeed(python, ["-m", "pip", "install", "--quiet", "build>=1.3,<2", "twine>=6.1,<7"]);
    const packages = path.join(folder, "packages");
    await succeed(python, ["-m", "build", "--outdir", packages, sdk]);
    const files = fs.readdirSync(packages).map((name) => path.join(packages, name));
    await succeed(python, ["-m", "twine", "upload", "--non-interactive", ...files]);
  } finally {
    fs.rmSync(folder, { recursive: true });
  }
}

/** @param {string} program @param {string[]} args */
async function succeed(program, args) {
  const code = await run(program, args, { cwd: process.cwd() });
  if (code !== 0) throw new Failure(`${program} ${args[0]} failed with exit code ${code}.`, code);
}
