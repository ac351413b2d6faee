/** Compiles a user's program against the packed declarations with several versions of TypeScript. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratchFolder, useCleanup } from "../cleanup";
import { unpack, unpackProvider } from "./packed";

const root = join(__dirname, "..", "..");
const compile = join(__dirname, "typescript", "compile.mjs");

const compilers = [
  ["5.0", join(__dirname, "typescript", "5.0", "node_modules", "typescript")],
  ["5.4", join(__dirname, "typescript", "5.4", "node_modules", "typescript")],
  ["5.9", join(__dirname, "typescript", "5.9", "node_modules", "typescript")],
  ["6.0", join(root, "node_modules", "typescript")],
] as const;

/** Uses every module of the packages that has types. */
const program = `
import * as clouddb from "pulumi-clouddb";
import { classify, clusterStrings, select } from "pulumi-clouddb/connection-strings";
import * as runtime from "pulumi-clouddb/runtime";
import { type Selection, parse } from "clouddb-connection-strings";
import { withCredentials } from "clouddb-connection-strings/credentials";
import { type Cluster, type Fault, type Seed, startSimulator } from "clouddb-simulator";
import { fixtures } from "clouddb-simulator/fixtures";

const provider = new clouddb.Provider("partner", { publicKey: "key", privateKey: "secret" });
const mode = new clouddb.PrivateIpMode("orders", { projectId: "p", enabled: false }, { provider });
const orders = new clouddb.ClusterConnectionStrings("orders", {
  projectId: mode.projectId,
  clusterName: "orders",
  network: { kind: "privateEndpoint", region: "us-east-1" },
});
const found = clouddb.getConnectionStringsOutput({ projectId: orders.projectId, clusterName: "c" });
export const url = clouddb.withCredentials(found.recommended, { username: "u", password: "p" });
export const ready = clouddb.getPrivateIpModeReadinessOutput({ projectId: "p" }).ready;
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
    writeFileSync(join(folder, "program.ts"), program);
  });

  for (const [version, compiler] of compilers) {
    it(`compile with TypeScript ${version} under every module resolution, without types of other packages`, () => {
      const args = [compile, compiler, folder];
      const errors = execFileSync(process.execPath, args, { encoding: "utf8" });
      assert.equal(errors, "");
    });
  }
});
