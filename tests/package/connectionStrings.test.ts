/** The packed clouddb-connection-strings, in a folder without any other package, as in the container of an application. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { minimalEnvironment, startCommand } from "../support/command";
import { pack } from "./packed";

describe("the packed clouddb-connection-strings", () => {
  const cleanup = useCleanup("file");
  let folder: string;

  before("install the package alone", () => {
    folder = temporaryFolder(cleanup);
    const tarball = pack("connection-strings", folder);
    // On Windows, npm is a .cmd file, which only a shell can start.
    const options = { cwd: folder, shell: process.platform === "win32", stdio: "pipe" } as const;
    execFileSync("npm", ["init", "--yes"], options);
    execFileSync("npm", ["install", "--offline", "--no-audit", `./${tarball}`], options);
    const installed = readdirSync(join(folder, "node_modules")).filter((name) => !/^\./.test(name));
    assert.deepEqual(installed, ["clouddb-connection-strings"]);
  });

  const npx = (args: readonly string[], options: { input?: string; env?: NodeJS.ProcessEnv }) =>
    startCommand(cleanup, "npx", ["--no", "clouddb-connection-strings", ...args], {
      cwd: folder,
      input: options.input ?? "",
      env: { ...minimalEnvironment(), HOME: folder, ...options.env },
    }).result;

  it("checks a string of a variable or standard input with its command", async function () {
    if (process.platform === "win32") this.skip();
    const URL = "mongodb://app:s3cret@localhost:1/?tls=true";
    const named = await npx(["check", "--variable", "URL"], { env: { URL } });
    const piped = await npx(["check"], { input: `${URL}\n` });
    for (const { code, stdout } of [named, piped]) {
      assert.equal(code, 1);
      assert.match(stdout, /^problem +TCP +localhost:1 +connection refused\nNot reachable\./m);
      assert.doesNotMatch(stdout, /s3cret/);
    }
    const unset = await npx(["check", "--variable", "OTHER"], {});
    assert.equal(unset.code, 1);
    assert.match(unset.stderr, /^Could not check the string: OTHER is not set here, or empty\./);
    assert.equal((await npx(["check", "--url", "x"], {})).code, 2);
    assert.equal((await npx(["check", "--help"], {})).code, 0);
  });

  for (const name of ["clouddb-connection-strings", "clouddb-connection-strings/credentials"]) {
    it(`loads no module that opens connections if ${name} is imported`, () => {
      const list = `
        const Module = require("node:module");
        const load = Module._load;
        Module._load = (request, ...rest) => (console.log(request), load(request, ...rest));
        require("${name}");
      `;
      const loaded = execFileSync(process.execPath, ["-e", list], {
        cwd: folder,
        encoding: "utf8",
      });
      assert.match(loaded, new RegExp(`^${name}$`, "m"));
      assert.doesNotMatch(loaded, /net|tls|dns|dgram|http|check/);
    });
  }
});
