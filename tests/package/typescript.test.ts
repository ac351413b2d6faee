/** Compiles a user's program against the packed declarations with the oldest and the newest TypeScript. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { scratchFolder, useCleanup } from "../support/cleanup";
import { unpack, unpackProvider } from "./packed";

const root = join(__dirname, "..", "..");
/** The oldest and the newest supported versions. Version 7 has no resolution "node". */
const compilers = {
  "5.0": join(__dirname, "typescript", "5.0", "node_modules", "typescript", "bin", "tsc"),
  "7.0": join(root, "node_modules", "typescript7", "bin", "tsc"),
};

const resolutions = { node: "commonjs", node16: "node16", nodenext: "nodenext", bundler: "esnext" };

/** The declarations that must compile. Declarations of other packages are ignored. */
const packages =
  /(^|\/)node_modules\/(pulumi-clouddb|clouddb-connection-strings|clouddb-simulator)\//;

const files = ["program.ts", "module.mts"];

/** Uses every module of the packages that has types. */
const program = `
import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
import { classify, clusterStrings, select } from "pulumi-clouddb/connection-strings";
import * as runtime from "pulumi-clouddb/runtime";
import { type Selection, parse } from "clouddb-connection-strings";
import { withCredentials } from "clouddb-connection-strings/credentials";
import { type Cluster, type Fault, type Seed, startSimulator } from "clouddb-simulator";
import { fixtures } from "clouddb-simulator/fixtures";

declare const seconds: pulumi.Output<number | undefined>;
declare const network: pulumi.Output<clouddb.Network | undefined>;
declare const region: Promise<string> | undefined;
declare const names: pulumi.Output<string[] | undefined>;
new clouddb.ClusterConnectionStrings("optional", {
  projectId: pulumi.output("p"),
  clusterName: Promise.resolve("orders"),
  waitSeconds: seconds,
  network,
  form: undefined,
  optimized: seconds.apply((known) => known === undefined ? undefined : known > 0),
});
clouddb.getClustersOutput({
  projectId: "p",
  names,
  network: { kind: "privateEndpoint", region, endpointId: seconds.apply((known) => known?.toFixed()) },
});
new clouddb.Provider("optional", { requestTimeoutSeconds: seconds, profile: undefined });
// @ts-expect-error -- a required argument
new clouddb.PrivateIpMode("required", { projectId: seconds.apply(() => undefined), enabled: true });
// @ts-expect-error -- another type
new clouddb.Provider("other", { baseUrl: seconds });
declare const other: unknown;
export const origin: pulumi.Output<string> | undefined = clouddb.PrivateIpMode.isInstance(other)
  ? other.projectId
  : undefined;
export const handler: object = runtime.privateIpMode;

export const kind: string = classify("db://a").kind;
export const chosen: Selection = select(clusterStrings({ standard: "db://a" }), { form: "srv" });
export const hosts: string[] = parse("db://a").hosts.map(({ name }) => name);
export const plain: string = withCredentials("db://a", { username: "u", password: "p" });

const seed: Seed = fixtures.plain;
const fault: Fault = { status: 503 };
export async function clusters(): Promise<readonly Cluster[]> {
  const service = await startSimulator({ seed, port: 0 });
  service.faults.push(fault);
  await service.stop();
  return service.project("p").clusters;
}
`;

describe("the declarations of the packed packages", function () {
  this.timeout(300_000);
  const cleanup = useCleanup("file");
  let folder: string;

  before(() => {
    folder = scratchFolder(cleanup);
    unpackProvider(folder);
    unpack("simulator", join(folder, "node_modules", "clouddb-simulator"));
    // A CommonJS and an ES module, which resolve the declarations separately.
    for (const file of files) writeFileSync(join(folder, file), program);
  });

  for (const [version, compiler] of Object.entries(compilers)) {
    it(`compile with TypeScript ${version} under every module resolution, without types of other packages`, () => {
      for (const [moduleResolution, module] of Object.entries(resolutions)) {
        if (version === "7.0" && moduleResolution === "node") continue;
        const compilerOptions = {
          module,
          moduleResolution,
          target: "es2022",
          types: ["node"],
          noEmit: true,
          strict: true,
          exactOptionalPropertyTypes: true,
          skipLibCheck: false,
        };
        const project = { compilerOptions, files };
        writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(project));
        const args = [compiler, "--project", folder, "--pretty", "false", "--listFiles"];
        const { stdout } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
        const lines = stdout.split("\n");
        const declarations = lines.filter((line) => /^\/.*\.d\.[mc]?ts$/.test(line));
        const packed = declarations.filter((line) => packages.test(line));
        assert.ok(packed.length > 0, stdout);
        const errors = lines.filter((line) => /(^|: )error TS\d+: /.test(line));
        const own = errors.filter((line) => !line.includes("node_modules/") || packages.test(line));
        assert.deepEqual(own, [], moduleResolution);
        assert.deepEqual(packed.flatMap(foreignImports), [], moduleResolution);
      }
    });
  }
});

/** Returns the imports of types that users may not have. */
function foreignImports(declaration: string): string[] {
  const own = /^(\.|clouddb-connection-strings|@pulumi\/pulumi\/)/;
  return ts
    .preProcessFile(readFileSync(declaration, "utf8"))
    .importedFiles.filter(({ fileName }) => !own.test(fileName))
    .map(({ fileName }) => `${declaration} imports ${fileName}`);
}
