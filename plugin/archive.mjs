// @ts-check
// Creates the archive that `pulumi plugin install resource clouddb` installs on this platform, under the name
// that the CLI requests.
//
//   node archive.mjs <folder>                 the files of the npm package, which need Node.js on PATH
//   node archive.mjs <folder> --executable    one executable that contains Node.js; run it with Node.js 26 or later
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const folder = path.dirname(fileURLToPath(import.meta.url));
const read = (/** @type {string[]} */ ...names) => readFileSync(path.join(...names), "utf8");
const { name, version, files } = JSON.parse(read(folder, "package.json"));
const systems = { linux: "linux", darwin: "darwin", win32: "windows" };
const architectures = { x64: "amd64", arm64: "arm64" };
const platform = `${systems[process.platform]}-${architectures[process.arch]}`;
const [output = ".", kind] = process.argv.slice(2);
const archive = `${name}-v${version}-${platform}.tar.gz`;

mkdirSync(output, { recursive: true });
const packed = mkdtempSync(path.join(tmpdir(), "clouddb-archive-"));
try {
  if (kind === "--executable") {
    packExecutable();
  } else {
    for (const file of ["package.json", ...files]) {
      cpSync(path.join(folder, file), path.join(packed, file));
    }
  }
  // GNU tar mistakes the drive letter of an absolute Windows path for a host name.
  execFileSync("tar", ["-czf", archive, "-C", packed, "."], { cwd: output });
} finally {
  rmSync(packed, { recursive: true });
}
console.log(path.resolve(output, archive));

function packExecutable() {
  const executable = path.join(packed, process.platform === "win32" ? `${name}.exe` : name);
  const bundle = path.join(folder, "dist", "plugin.bundle");
  const settings = path.join(packed, "executable.json");
  // The code cache makes the start faster. Only the platform itself can create it.
  const options = { disableExperimentalSEAWarning: true, useCodeCache: true, useSnapshot: false };
  writeFileSync(settings, JSON.stringify({ main: `${bundle}.js`, output: executable, ...options }));
  execFileSync(process.execPath, ["--build-sea", settings], { stdio: ["ignore", 2, 2] });
  rmSync(settings);
  // macOS starts only signed executables, and the signature of Node.js is no longer valid.
  const sign = ["--force", "--sign", "-", executable];
  if (process.platform === "darwin") execFileSync("codesign", sign);
  const started = execFileSync(executable, ["--version"], { encoding: "utf8" }).trim();
  if (started !== version) throw new Error(`The executable is version ${started}, not ${version}.`);
  const home = path.dirname(process.execPath);
  const license = ["LICENSE", "../LICENSE"].find((file) => existsSync(path.join(home, file)));
  if (license === undefined) throw new Error(`There is no license of Node.js near ${home}.`);
  const node = `node@${process.versions.node} (MIT)\n\n${read(home, license)}\n`;
  writeFileSync(path.join(packed, "LICENSES.txt"), `${node}\n${read(`${bundle}.LICENSES.txt`)}`);
  cpSync(path.join(folder, "../LICENSE"), path.join(packed, "LICENSE"));
}
