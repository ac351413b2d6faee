/** The files of a program, as a user writes them. */
import { projectId } from "../../tests/service";
import type { Format } from "./rows";

/** A file's content by its name. */
export type Files = Readonly<Record<string, string>>;

/** How a program of a module format differs from the others. */
interface ProgramFormat {
  /** Fields of package.json. */
  readonly manifest: Readonly<Record<string, string>>;
  readonly files: Files;
}

/** The outputs of each program. */
const outputs = "url, again, legacy, isResource, isSecret, node";

/** Uses the resources, an explicit provider and a function, and reports what runs them. */
const body = `
const projectId = "${projectId}";
const provider = new clouddb.Provider("same", { publicKey: "demo", privateKey: "demo-secret" });
const mode = new clouddb.PrivateIpMode("orders", { projectId, enabled: true });
const args = { projectId: mode.projectId, clusterName: "orders" };
const orders = new clouddb.ClusterConnectionStrings("orders", args, { provider });
const url = clouddb.withCredentials(orders.recommended, { username: "app", password: "p@ss" });
const again = clouddb.getConnectionStringsOutput(args).recommended;
const legacy = orders.legacy.apply((text) => text === undefined);
const isResource = [mode, orders].every((each) => each instanceof pulumi.CustomResource);
const isSecret = pulumi.isSecret(url);
const node = Number.parseInt(process.versions.node);
`;

const moduleProgram = `import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
${body}
export { ${outputs} };
`;

const commonJsProgram = `const pulumi = require("@pulumi/pulumi");
const clouddb = require("pulumi-clouddb");
${body}
module.exports = { ${outputs} };
`;

/** The compiler options of Pulumi's templates. */
const tsconfig = {
  compilerOptions: {
    strict: true,
    outDir: "bin",
    target: "es2020",
    module: "commonjs",
    moduleResolution: "node",
    sourceMap: true,
    pretty: true,
    noFallthroughCasesInSwitch: true,
    noImplicitReturns: true,
    forceConsistentCasingInFileNames: true,
  },
  files: ["index.ts"],
};

/** The programs of all formats. They do the same. */
export const programs: Readonly<Record<Format, ProgramFormat>> = {
  typescript: {
    manifest: { main: "index.ts" },
    files: { "index.ts": moduleProgram, "tsconfig.json": JSON.stringify(tsconfig) },
  },
  commonjs: { manifest: { main: "index.js" }, files: { "index.js": commonJsProgram } },
  esm: { manifest: { main: "index.js", type: "module" }, files: { "index.js": moduleProgram } },
};

/**
 * Returns the Pulumi.yaml of a program.
 *
 * @param packageManager the command of the package manager
 */
export function projectFile(packageManager: string): string {
  return [
    "name: matrix",
    "runtime:",
    "  name: nodejs",
    "  options:",
    `    packagemanager: ${packageManager}`,
    "",
  ].join("\n");
}
