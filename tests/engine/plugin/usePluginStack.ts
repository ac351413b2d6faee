/** The mocha hooks for stacks that use the packed plugin. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { markerFolder, useCleanup } from "../../cleanup";
import { skipIfMissing } from "../../missing";
import { packedPlugin } from "../../lifecycles/packedPlugin";
import { type Service, useService } from "../../service";
import { pluginSettings } from "../pluginSettings";
import { type TestStack, exampleStack, programStack } from "../stack";
import { generateSdks } from "./sdks";

interface PluginStacks {
  readonly service: Service;
  /** Creates a stack for a program, which can use `pulumi` and `clouddb`, the generated SDK. */
  readonly createStack: (
    program: string,
    environment: Record<string, string>,
  ) => Promise<TestStack>;
  /** Creates a stack for a copy of an example. */
  readonly createExample: (
    example: string,
    environment: Record<string, string>,
  ) => Promise<TestStack>;
}

/** Runs a service during the tests of the enclosing `describe`. Skips them if the SDK cannot be generated. */
export function usePluginStack(): PluginStacks {
  const cleanup = useCleanup("test");
  const service = useService();
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
  return {
    service,
    createStack(text, environment) {
      const sdk = JSON.stringify(join(String(generated[0]), "nodejs", "bin"));
      const preamble = `const pulumi = require("@pulumi/pulumi");\nconst clouddb = require(${sdk});\n`;
      const program = { text, preamble, settings: pluginSettings() };
      return programStack(cleanup, program, { TMPDIR: folder, ...environment });
    },
    async createExample(example, environment) {
      const variables = { TMPDIR: folder, ...environment };
      const tested = await exampleStack(cleanup, example, variables);
      const project = join(tested.folder, "Pulumi.yaml");
      const text = readFileSync(project, "utf8");
      writeFileSync(project, text.replace("../../plugin", packedPlugin()));
      return tested;
    },
  };
}
