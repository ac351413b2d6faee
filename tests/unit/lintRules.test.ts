import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join, posix } from "node:path";
import { z } from "zod";
import directions from "../../.dependency-cruiser.cjs";
import { temporaryFolder, useCleanup } from "../support/cleanup";
import { startCommand } from "../support/command";

const root = join(__dirname, "..", "..");

/** `file` imports `target`, which is a file or a module. With `between`, it imports that file, which imports `target`. */
type Import = readonly [file: string, target: string, between?: string];

const permission = "provider/src/service/disablePermission.ts";
const host = "provider/src/host/inputs.ts";

/** Imports that break each rule of .dependency-cruiser.cjs. Some break others, too. */
const badImports: Record<string, readonly Import[]> = {
  "no-circles": [["provider/src/messages/text.ts", "provider/src/messages/text.ts"]],
  "messages-know-nothing": [
    ["provider/src/messages/text.ts", "provider/src/validation/values.ts"],
    ["provider/src/messages/text.ts", "@pulumi/pulumi"],
  ],
  "validation-knows-only-messages": [
    ["provider/src/validation/values.ts", "provider/src/service/client.ts"],
    ["provider/src/validation/values.ts", "@pulumi/pulumi"],
  ],
  "service-knows-only-http": [
    ["provider/src/service/client.ts", "provider/src/settings/settings.ts"],
    ["provider/src/service/client.ts", "@pulumi/pulumi"],
  ],
  "settings-know-no-pulumi": [
    ["provider/src/settings/settings.ts", "provider/src/program/run.ts"],
    ["provider/src/settings/settings.ts", "@pulumi/pulumi"],
  ],
  "program-and-host-are-independent": [
    ["provider/src/program/run.ts", "provider/src/privateIpMode/args.ts"],
    [host, "provider/src/program/run.ts"],
  ],
  "programs-reach-no-host": [
    ["provider/src/index.ts", host, "provider/src/runtimeHost.ts"],
    ["provider/src/program/run.ts", host],
    ["provider/src/privateIpMode/args.ts", host],
  ],
  "resources-are-independent": [
    ["provider/src/privateIpMode/args.ts", "provider/src/databaseUrl/args.ts"],
  ],
  "reports-are-read-and-written-separately": [
    ["provider/src/report/read/events.ts", "provider/src/report/decide/changes.ts"],
    ["provider/src/report/write/layout.ts", "provider/src/report/read/events.ts"],
    ["provider/src/report/write/layout.ts", "provider/src/report/decide/changes.ts"],
  ],
  "reports-are-decided-before-they-are-written": [
    ["provider/src/report/decide/changes.ts", "provider/src/report/write/layout.ts"],
  ],
  "only-the-guard-permits-to-disable": [
    ["provider/src/privateIpMode/lifecycle.ts", permission],
    ["provider/src/service/client.ts", permission],
    ["plugin/src/main.ts", permission],
  ],
  "one-door-to-the-network": [
    ["provider/src/service/client.ts", "undici"],
    ["provider/src/commands/doctor.ts", "https"],
    ["plugin/src/main.ts", "http"],
  ],
  "plugin-imports-one-file-of-the-provider": [["plugin/src/main.ts", "provider/src/runtime.ts"]],
  "nothing-imports-an-entry-point": [["provider/src/commands/doctor.ts", "provider/src/index.ts"]],
  "connection-strings-stand-alone": [
    ["connection-strings/src/parsing.ts", "provider/src/messages/text.ts"],
    ["connection-strings/src/parsing.ts", "zod"],
  ],
  "functions-open-no-connections": [
    ["connection-strings/src/parsing.ts", "connection-strings/src/check/dns.ts"],
    ["connection-strings/src/parsing.ts", "net"],
  ],
  "simulator-stands-alone": [["simulator/src/simulator.ts", "provider/src/messages/text.ts"]],
  "packages-import-no-tests-or-scripts": [
    ["provider/src/commands/doctor.ts", "scripts/markedProcesses.cjs"],
    ["simulator/src/simulator.ts", "tests/support/command.ts"],
  ],
};

/** The folders in which oxlint must report each rule of the overrides for published packages, and code that breaks it. */
const badCode: Record<string, { folders: readonly string[]; code: string }> = {
  "no-restricted-globals": {
    folders: ["plugin", "provider"],
    code: 'export const response = fetch("https://service.example");\n',
  },
  complexity: {
    folders: ["connection-strings", "plugin", "provider"],
    code: `export function decide(value: number): void {\n${"  if (value > 1) return;\n".repeat(20)}}\n`,
  },
  "max-lines-per-function": {
    folders: ["connection-strings", "plugin", "provider"],
    code: `export function act(): void {\n${"  act();\n".repeat(49)}}\n`,
  },
};

/** Returns the sources of files with only these imports. */
function sourcesOf(imports: readonly Import[]): Map<string, string> {
  const sources = new Map<string, string>();
  const add = (file: string, target: string) => {
    const isFile = target.includes(".");
    if (isFile) sources.set(target, sources.get(target) ?? "");
    const module = isFile ? `./${posix.relative(posix.dirname(file), target)}` : target;
    sources.set(file, `${sources.get(file) ?? ""}import "${module}";\n`);
  };
  for (const [file, target, between = file] of imports) {
    if (between !== file) add(file, between);
    add(between, target);
  }
  return sources;
}

describe("npm run lint", function () {
  this.timeout(60_000);
  const cleanup = useCleanup("test");

  /** Creates a folder with settings of this repository and some sources. */
  function folderWith(settings: string, sources: ReadonlyMap<string, string>): string {
    const folder = temporaryFolder(cleanup);
    for (const name of [settings, "tsconfig.json"]) cpSync(join(root, name), join(folder, name));
    for (const [file, text] of sources) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), text);
    }
    return folder;
  }

  /** Runs a tool, and returns the JSON that it prints. */
  async function findings(cwd: string, script: string, ...args: string[]): Promise<unknown> {
    const command = [join(root, "node_modules", script), ...args];
    const { stdout, stderr } = await startCommand(cleanup, process.execPath, command, { cwd })
      .result;
    assert.equal(stderr, "");
    return JSON.parse(stdout);
  }

  it("reports an import against each rule of .dependency-cruiser.cjs as an error", async () => {
    const settings = z.object({ forbidden: z.array(z.object({ name: z.string() })) });
    const { forbidden } = settings.parse(directions);
    assert.deepEqual(Object.keys(badImports).sort(), forbidden.map(({ name }) => name).sort());

    const sources = sourcesOf(Object.values(badImports).flat());
    // A rule about a file of another name forbids nothing.
    for (const file of sources.keys()) assert.ok(existsSync(join(root, file)), `no file ${file}`);
    const output = await findings(
      folderWith(".dependency-cruiser.cjs", sources),
      "dependency-cruiser/bin/dependency-cruise.mjs",
      ".",
      "--output-type",
      "json",
    );
    const rule = z.object({ name: z.string(), severity: z.string() });
    const violation = z.object({ rule, from: z.string(), to: z.string() });
    const { summary } = z
      .object({ summary: z.object({ violations: z.array(violation) }) })
      .parse(output);
    const found = summary.violations.map(
      ({ rule, from, to }) => `${rule.severity} ${rule.name}: ${from} imports ${to}`,
    );
    for (const [name, imports] of Object.entries(badImports)) {
      for (const [file, target] of imports) {
        const violation = `error ${name}: ${file} imports ${target}`;
        assert.ok(found.includes(violation), violation);
      }
    }
  });

  it("reports code against each rule of .oxlintrc.json that is only for published packages", async () => {
    const text = readFileSync(join(root, ".oxlintrc.json"), "utf8").replaceAll(/^\s*\/\/.*$/gm, "");
    const override = z.object({
      files: z.array(z.string()),
      rules: z.record(z.string(), z.unknown()),
    });
    const { overrides } = z.object({ overrides: z.array(override) }).parse(JSON.parse(text));
    const own = overrides.filter(({ files }) =>
      files.some((pattern) => pattern.endsWith("/src/**")),
    );
    assert.deepEqual(
      Object.keys(badCode),
      own.flatMap(({ rules }) => Object.keys(rules)),
    );

    const sources = Object.entries(badCode).flatMap(([rule, { folders, code }]) =>
      folders.map((folder) => [`${folder}/src/${rule}.ts`, code] as const),
    );
    const folder = folderWith(".oxlintrc.json", new Map(sources));
    // It runs in this repository, because that has the tool for rules that need types.
    const args = ["--config", join(folder, ".oxlintrc.json"), "--format", "json", folder];
    const output = await findings(root, "oxlint/bin/oxlint", ...args);
    const diagnostic = z.object({ code: z.string(), severity: z.string(), filename: z.string() });
    const { diagnostics } = z.object({ diagnostics: z.array(diagnostic) }).parse(output);
    const found = diagnostics.map(
      ({ code, severity, filename }) =>
        `${severity} ${code}: ${basename(dirname(dirname(filename)))}`,
    );
    for (const [rule, { folders }] of Object.entries(badCode)) {
      for (const folder of folders) {
        const finding = `error eslint(${rule}): ${folder}`;
        assert.ok(found.includes(finding), finding);
      }
    }
  });
});
