/** Runs the rows of the matrix. Each row installs the packages, and then runs its program on the real engine. */
import assert from "node:assert/strict";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { z } from "zod";
import { backendIn } from "../../tests/engine/terminal";
import { type Cleanup, temporaryFolder } from "../../tests/support/cleanup";
import { startCommand } from "../../tests/support/command";
import { projectId, settingsFor, startService } from "../../tests/support/service";
import { rejectUnlistedOptions } from "./options";
import type { Format, Row } from "./rows";
import { type Toolchain, cacheFolder, packageManagers, withoutNpm } from "./toolchain";

/**
 * Installs the packages in an empty folder, and runs the program of a row.
 *
 * @throws an error that names the first step that failed, with its output
 */
export async function runRow(row: Row, toolchain: Toolchain, release: Cleanup): Promise<void> {
  const parent = temporaryFolder(release);
  const project = placeProgram(row, join(parent, "project"), toolchain);
  let step = "install";
  try {
    const { command, install } = packageManagers[row.manager];
    await runCommand(release, command, install(join(cacheFolder, row.manager)), project);
    const context = await startProgram(row, project, release);
    for (const [name, runStep] of Object.entries(steps)) {
      step = name;
      await runStep(context);
    }
  } catch (error) {
    const output = error instanceof Error ? error.message : String(error);
    throw new Error(`failed at ${step}: ${output}`, { cause: error });
  }
}

interface Project {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Creates the folder of a program. */
function placeProgram({ manager, node, sdk, format }: Row, cwd: string, tools: Toolchain): Project {
  const { command, manifest, files, environment } = packageManagers[manager];
  const { packages, sdks, network, nodes, managers } = tools;
  cpSync(tools.folder, cwd, { recursive: true });
  const program = programs[format];
  const packageFile = {
    name: "matrix",
    private: true,
    dependencies: { ...packages, "@pulumi/pulumi": sdks[sdk] },
    devDependencies: { "@types/node": "^20", typescript: "^5" },
    ...manifest?.(packages),
    ...program.manifest,
  };
  const runtime = `{ name: nodejs, options: { packagemanager: ${command} } }`;
  const contents = {
    ...(format === "typescript" ? { "tsconfig.json": JSON.stringify(tsconfig) } : {}),
    [program.manifest.main]: program.text,
    "Pulumi.yaml": `name: matrix\nruntime: ${runtime}\n`,
    "package.json": JSON.stringify(packageFile),
    ...files?.(packages),
  };
  for (const [name, content] of Object.entries(contents)) writeFileSync(join(cwd, name), content);
  const path = [nodes.get(node), managers.get(manager), process.env["PATH"]];
  const env = {
    ...withoutNpm(process.env),
    ...environment(network, join(cacheFolder, manager)),
    PATH: path.filter((folder) => folder !== undefined).join(delimiter),
  };
  return { cwd, env };
}

/** Starts the service of a program. */
async function startProgram(row: Row, { cwd, env }: Project, release: Cleanup) {
  const backend = `${cwd}-backend`;
  const temporary = `${cwd}-tmp`;
  for (const folder of [backend, temporary]) mkdirSync(folder);
  const service = await startService();
  release(() => service.stop());
  const options = {
    cwd,
    env: {
      ...env,
      ...settingsFor(service),
      ...backendIn(backend),
      TMPDIR: temporary,
    },
  };
  const pulumi = (...args: readonly string[]) =>
    runCommand(release, "pulumi", [...args, "--non-interactive"], options);
  const bin = join(cwd, "node_modules", "pulumi-clouddb", "bin", "pulumi-clouddb.js");
  const command = (...args: readonly string[]) =>
    runCommand(release, "node", [bin, ...args], options);
  return { cwd, pulumi, command, project: service.project(projectId), row };
}

type StepContext = Awaited<ReturnType<typeof startProgram>>;

/** The steps, in the order they run. Each throws or rejects if it fails. */
const steps: Readonly<Record<string, (context: StepContext) => unknown>> = {
  "creation of the stack": ({ pulumi }) => pulumi("stack", "init", "test"),
  preview: async ({ pulumi }) => {
    assert.match(await pulumi("preview"), /again *: "db\+srv:\/\/orders\./);
  },
  up: ({ pulumi }) => pulumi("up", "--yes", "--skip-preview"),
  outputs: async ({ pulumi, row }) => {
    const printed = await pulumi("stack", "output", "--json", "--show-secrets");
    const outputs = z.record(z.string(), z.unknown()).parse(JSON.parse(printed));
    const { url, again, ...rest } = outputs;
    assert.match(String(url), /^db\+srv:\/\/app:p%40ss@orders\./);
    assert.match(String(again), /^db\+srv:\/\/orders\./);
    const expected = { legacy: true, isResource: true, isSecret: true, runtime: row.node };
    assert.deepEqual(rest, expected);
  },
  "the command doctor": async ({ command }) => {
    assert.match(await command("doctor", "--project", projectId), /^No problem found\.$/m);
  },
  "preview without changes": ({ pulumi }) => pulumi("preview", "--expect-no-changes"),
  refresh: ({ pulumi }) => pulumi("refresh", "--yes", "--skip-preview", "--expect-no-changes"),
  // SDKs before 3.216.0 ignore the inputs that a provider reads, and the engine compares inputs.
  "preview of drift": async ({ pulumi, project }) => {
    project.setPrivateIpMode(false);
    assert.match(await pulumi("preview", "--refresh", "--diff"), /enabled *: false => true/);
  },
  destroy: ({ pulumi }) => pulumi("destroy", "--yes", "--skip-preview"),
  "the options of the SDK": ({ cwd }) => {
    rejectUnlistedOptions(cwd);
  },
};

/** Uses the resources, an explicit provider and a function, and reports what runs them. */
const body = `
const projectId = "${projectId}";
const provider = new clouddb.Provider("same", { publicKey: "demo", privateKey: "demo-secret" });
const mode = new clouddb.PrivateIpMode("orders", { projectId, enabled: true });
const args = { projectId: mode.projectId, clusterName: "orders" };
const orders = new clouddb.ClusterConnectionStrings("orders", args, { provider });
const user = { username: "app", password: "p@ss" };
const { url } = new clouddb.DatabaseUrl("orders", { connectionString: orders.recommended, ...user });
const again = clouddb.getConnectionStringsOutput(args).recommended;
const legacy = orders.legacy.apply((text) => text === undefined);
const isResource = [mode, orders].every((resource) => resource instanceof pulumi.CustomResource);
const isSecret = pulumi.isSecret(url);
const runtime = process.versions.bun ? "bun" : Number.parseInt(process.versions.node);
`;
const outputs = "{ url, again, legacy, isResource, isSecret, runtime }";
const modules = `import * as pulumi from "@pulumi/pulumi";
import * as clouddb from "pulumi-clouddb";
${body}export ${outputs};
`;
const commonJs = `const pulumi = require("@pulumi/pulumi");
const clouddb = require("pulumi-clouddb");
${body}module.exports = ${outputs};
`;

/** Equivalent programs, and their fields of package.json. */
const programs: Readonly<
  Record<Format, { readonly text: string; readonly manifest: { main: string; type?: string } }>
> = {
  typescript: { text: modules, manifest: { main: "index.ts" } },
  commonjs: { text: commonJs, manifest: { main: "index.js" } },
  esm: { text: modules, manifest: { main: "index.js", type: "module" } },
};

/** The compiler options of Pulumi's templates that matter to the packages. */
const tsconfig = {
  compilerOptions: {
    strict: true,
    target: "es2020",
    module: "commonjs",
    moduleResolution: "node",
  },
  files: ["index.ts"],
};

/**
 * Runs a command without blocking this process, which runs the service.
 *
 * @returns its standard output
 * @throws an error with its whole output if it fails
 */
async function runCommand(
  release: Cleanup,
  command: string,
  args: readonly string[],
  project: Project,
): Promise<string> {
  const { code, stdout, stderr } = await startCommand(release, command, args, project).result;
  if (code === 0) return stdout;
  const ended = code === null ? "was killed" : `exited with code ${code}`;
  throw new Error(`${command} ${args.join(" ")} ${ended}:\n${stdout}${stderr}`);
}
