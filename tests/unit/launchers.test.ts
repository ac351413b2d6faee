/** Tests the files that Node.js runs first. They report a version that is too old to load the rest. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(__dirname, "..", "..");

for (const [file, name, code] of [
  ["provider/bin/pulumi-clouddb.js", "pulumi-clouddb", 2],
  ["connection-strings/bin/clouddb-connection-strings.js", "clouddb-connection-strings", 2],
  ["simulator/bin/clouddb-simulator.js", "clouddb-simulator", 1],
  ["plugin/launcher.js", "pulumi-resource-clouddb", 1],
] as const) {
  describe(`the launcher of ${name}`, () => {
    const [folder = "", ...path] = file.split("/");
    /** Runs the launcher in a version of Node.js. */
    function launch(node: string) {
      let loadsTheRest = false;
      const printed: string[] = [];
      const fakes = {
        process: { versions: { node }, execPath: "/old/node", exitCode: 0 },
        console: { error: (line: string) => printed.push(line) },
        require: (path: string) => {
          if (path.endsWith("/package.json")) return { engines: { node: ">=20.19" } };
          if (path === "../dist/version.js") return run("provider/dist/version.js");
          loadsTheRest = true;
          return {};
        },
      };
      const run = (script: string) => {
        const source = readFileSync(join(root, script), "utf8").replace(/^#!.*/, "");
        const exports = {};
        const globals = { ...fakes, exports };
        // oxlint-disable-next-line typescript/no-implied-eval -- runs a file with other globals
        const start = new Function(...Object.keys(globals), source);
        Reflect.apply(start, undefined, Object.values(globals));
        return exports;
      };
      run(file);
      return { loadsTheRest, printed, exitCode: fakes.process.exitCode };
    }

    it("is a script of Node.js, for which npm also creates a command on Windows", () => {
      const manifest = JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8")) as {
        bin: Record<string, string>;
      };
      assert.deepEqual(manifest.bin, { [name]: path.join("/") });
      assert.match(readFileSync(join(root, file), "utf8"), /^#!\/usr\/bin\/env node\n/);
    });

    for (const version of ["8.17.0", "18.20.8", "20.9.0", "20.18.3"]) {
      it(`names both versions and loads nothing else in Node.js ${version}`, () => {
        const message = `${name} needs Node.js 20.19 or later, but /old/node is ${version}. Install Node.js from https://nodejs.org/, then run the command again.`;
        assert.deepEqual(launch(version), {
          loadsTheRest: false,
          printed: [message],
          exitCode: code,
        });
      });
    }

    for (const version of ["20.19.0", "20.20.1", "22.0.0", "100.1.0"]) {
      it(`loads the rest in Node.js ${version}`, () => {
        assert.deepEqual(launch(version), { loadsTheRest: true, printed: [], exitCode: 0 });
      });
    }
  });
}
