/** Finds resource options of Pulumi's SDK for which it is not decided whether a lookup waits for their resources. */
import { join } from "node:path";
import ts from "typescript";
import { awaitedOptions } from "../../provider/src/program/dependencies";

/** The options for which no lookup waits. */
const otherOptions: readonly string[] = [
  "additionalSecretOutputs",
  "customTimeouts",
  "deleteBeforeReplace",
  "envVarMappings",
  "hideDiffs",
  "hooks",
  "ignoreChanges",
  "pluginDownloadURL",
  "protect",
  "replaceOnChanges",
  "retainOnDelete",
  "stateMigrations",
  "version",
  // A lookup with one of these is rejected, or read without a call of `check`.
  "id",
  "import",
  "urn",
  // These add other options. provider/src/program/transformations.ts handles both.
  "transformations",
  "transforms",
];

/**
 * Throws an error for options of resources that are neither in a list of `awaitedOptions` nor in `otherOptions`.
 *
 * @param folder the project that has installed the SDK
 */
export function rejectUnlistedOptions(folder: string): void {
  const file = join(folder, "node_modules", "@pulumi", "pulumi", "resource.d.ts");
  const listed = [...Object.values(awaitedOptions).flat(), ...otherOptions];
  const unlisted = optionNames(file).filter((name) => !listed.includes(name));
  if (unlisted.length === 0) return;
  throw new Error(
    `Pulumi's SDK has new options of resources: ${unlisted.join(", ")}. If it waits for resources in one before it registers a resource, add it to awaitedOptions in provider/src/program/dependencies.ts, and otherwise to quality/matrix/options.ts.`,
  );
}

/** Returns the names of the options that a declaration file of the SDK declares. */
function optionNames(file: string): readonly string[] {
  const program = ts.createProgram([file], { noLib: true, types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  const exported = module ? checker.getExportsOfModule(module) : [];
  const options = exported.find(({ name }) => name === "CustomResourceOptions");
  if (options === undefined) throw new Error(`${file} exports no CustomResourceOptions.`);
  return checker
    .getDeclaredTypeOfSymbol(options)
    .getProperties()
    .map(({ name }) => name);
}
