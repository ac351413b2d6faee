import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { scratchFolder, temporaryFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";
import { projectId, settingsFor, useService } from "../support/service";
import { unpackProvider } from "./packed";

describe("the packed pulumi-clouddb", () => {
  const cleanup = useCleanup("file");
  const service = useService();
  let folder: string;

  before(() => {
    folder = scratchFolder(cleanup);
    unpackProvider(folder);
  });

  const evaluate = (text: string) =>
    execFileSync(process.execPath, ["-e", text], { cwd: folder, encoding: "utf8" }).trim();

  /** Returns the files that a module loads, one per line. */
  const loadedBy = (name: string) =>
    evaluate(
      `require(${JSON.stringify(name)}); console.log(Object.keys(require.cache).join("\\n"))`,
    );

  it("exports the resources, the provider and the functions", () => {
    const names = evaluate(
      'console.log(Object.keys(require("pulumi-clouddb")).sort().join("\\n"))',
    );
    assert.deepEqual(names.split("\n"), [
      "ClusterConnectionStrings",
      "DatabaseUrl",
      "PrivateIpMode",
      "Provider",
      "errorCodes",
      "getClusters",
      "getClustersOutput",
      "getConnectionStrings",
      "getConnectionStringsOutput",
    ]);
  });

  it("loads no HTTP client, schemas, guard, TypeScript or main module of the SDK when it is imported", () => {
    const loaded = loadedBy("pulumi-clouddb");
    assert.match(loaded, /pulumi-clouddb.dist.index\.js/);
    assert.doesNotMatch(
      loaded,
      /undici|zod|pulumi-clouddb.dist.(service.(client|transport)|engine|privateIpMode.guard)/,
    );
    assert.match(loaded, /@pulumi.pulumi.resource\.js/);
    assert.doesNotMatch(loaded, /@pulumi.pulumi.(index|automation|runtime.closure)/);
    assert.doesNotMatch(loaded, /node_modules.typescript/);
  });

  it("works in a bundle, whatever package.json is beside it", async () => {
    const application = temporaryFolder(cleanup);
    const contents = `
      const { getConnectionStrings } = require("pulumi-clouddb");
      getConnectionStrings({ projectId: "${projectId}", clusterName: "orders" }).then(console.log);
    `;
    buildSync({
      stdin: { contents, resolveDir: folder },
      bundle: true,
      platform: "node",
      outfile: join(application, "dist", "index.js"),
      logLevel: "error",
    });
    writeFileSync(join(application, "package.json"), '{ "engines": { "node": ">=99" } }');
    const env = { ...process.env, ...settingsFor(service) };
    const args = [join("dist", "index.js")];
    const started = startCommand(cleanup, process.execPath, args, { cwd: application, env });
    const { stdout, stderr } = await started.result;
    assert.match(stdout, /recommended: 'db\+srv:\/\/orders\./);
    assert.equal(stderr, "");
  });

  it("exports connection-strings, which loads neither Pulumi nor an HTTP client", () => {
    const loaded = loadedBy("pulumi-clouddb/connection-strings");
    assert.match(loaded, /clouddb-connection-strings.dist.index\.js/);
    assert.doesNotMatch(loaded, /@pulumi|undici|zod|pulumi-clouddb.dist.(?!connectionStrings\.js)/);
  });
});
