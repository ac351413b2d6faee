/** The mocha hooks for stacks that use the packed plugin. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Seed } from "clouddb-simulator";
import { markerFolder, useCleanup } from "../../cleanup";
import { type Command, startCommand } from "../../command";
import { skipIfMissing } from "../../missing";
import { packedPlugin } from "../../lifecycles/packedPlugin";
import { type Service, settingsFor, useService } from "../../service";
import { pluginSettings } from "../pluginSettings";
import { type TestStack, exampleStack, programStack } from "../stack";
import { generateSdks } from "./sdks";

interface StackOptions {
  /** Environment variables. Default: the settings for the service */
  readonly environment?: Record<string, string>;
  /** What loads `pulumi` and `clouddb`. Default: the generated SDK */
  readonly preamble?: string;
}

interface PluginStacks {
  readonly service: Service;
  /** Creates a stack for a program, which can use `pulumi` and `clouddb`, the generated SDK. */
  readonly createStack: (program: string, options?: StackOptions) => Promise<TestStack>;
  /** Creates a stack for a copy of an example. */
  readonly createExample: (
    example: string,
    environment: Record<string, string>,
  ) => Promise<TestStack>;
  /** Returns what loads the generated SDK. */
  readonly preamble: () => string;
  /** Starts the Pulumi CLI in the folder of a stack. */
  readonly pulumi: (tested: TestStack, args: readonly string[]) => Command;
}

/** Runs a service during the tests of the enclosing `describe`. Skips them if the SDK cannot be generated. */
export function usePluginStack({ seed }: { readonly seed?: Seed } = {}): PluginStacks {
  const cleanup = useCleanup("test");
  const service = useService(seed);
  const folder = markerFolder();
  const generated: string[] = [];
  before("generate the SDK", function () {
    this.timeout(300_000);
    try {
      generated.push(generateSdks());
    } catch (error) {
      skipIfMissing(this, error);
    }
  });
  const sdkPreamble = () => {
    const sdk = join(String(generated[0]), "nodejs", "bin");
    return `const pulumi = require("@pulumi/pulumi");\nconst clouddb = require(${JSON.stringify(sdk)});\n`;
  };
  return {
    service,
    preamble: sdkPreamble,
    createStack: (program, { environment = settingsFor(service), preamble = sdkPreamble() } = {}) =>
      programStack(
        cleanup,
        { text: program, preamble, settings: pluginSettings() },
        { TMPDIR: folder, ...environment },
      ),
    async createExample(example, environment) {
      const variables = { TMPDIR: folder, ...environment };
      const tested = await exampleStack(cleanup, example, variables);
      const project = join(tested.folder, "Pulumi.yaml");
      const text = readFileSync(project, "utf8");
      writeFileSync(project, text.replace("../../plugin", packedPlugin()));
      return tested;
    },
    pulumi: (tested, args) =>
      startCommand(cleanup, "pulumi", [...args, "--stack", "test", "--non-interactive"], {
        cwd: tested.folder,
        env: { ...process.env, ...tested.environment },
      }),
  };
}
