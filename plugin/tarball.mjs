// @ts-check
// Creates the tarball that `pulumi plugin install resource clouddb <version> --file <tarball>` takes.
// Unlike npm's, its files are not in a folder `package`. It is the same for every platform.
import { readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { create } from "tar";

const folder = path.dirname(fileURLToPath(import.meta.url));
const { name, version, files } = JSON.parse(
  readFileSync(path.join(folder, "package.json"), "utf8"),
);
const file = path.resolve(process.argv[2] ?? ".", `${name}-v${version}.tar.gz`);

await create({ cwd: folder, file, gzip: true, portable: true }, ["package.json", ...files]);
console.log(file);
