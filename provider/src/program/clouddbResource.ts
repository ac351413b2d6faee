/** The base class of the resources in a program. */
import { createRequire } from "node:module";
import { join } from "node:path";
import { providerText } from "../providerText";
import { runError, warnOfUnencryptedSecrets } from "./run";
import * as pulumi from "./sdk";

/** The lifecycle of each resource class, as the provider text names it. */
const lifecycles = {
  PrivateIpMode: "privateIpMode",
  ClusterConnectionStrings: "clusterConnectionStrings",
  DatabaseUrl: "databaseUrl",
} as const;

/** Returns the types of a class in Pulumi: that of the dynamic resource, and that of the plugin. */
const typesOf = (type: keyof typeof lifecycles) =>
  [`pulumi-nodejs:dynamic/clouddb:${type}`, `clouddb:index:${type}`] as const;

/** Returns whether a value is a resource of a class, from any copy or the plugin. Policy packs pass only its type. */
export function isOfClass(type: keyof typeof lifecycles, value: unknown): boolean {
  if (typeof value !== "object" || value === null || !("__pulumiType" in value)) return false;
  return typesOf(type).some((one) => one === value.__pulumiType);
}

/** A type as the outputs of a resource. */
export type OutputsOf<Properties> = {
  readonly [Name in keyof Properties]-?: pulumi.Output<Properties[Name]>;
};

/** A resource of this package. */
export abstract class ClouddbResource extends pulumi.CustomResource {
  /**
   * Creates the resource. `outputs` are the names of its outputs, because the SDK only creates those of properties that
   * are passed to it. @hidden
   */
  protected constructor(
    type: keyof typeof lifecycles,
    name: string,
    properties: pulumi.Inputs,
    outputs: readonly string[],
    options: pulumi.CustomResourceOptions = {},
  ) {
    rejectImport(name, options);
    rejectMissingPackage(name);
    warnOfUnencryptedSecrets();
    const traces = pauseStackTraces();
    const [dynamicType, pluginType] = typesOf(type);
    try {
      super(
        dynamicType,
        name,
        {
          ...Object.fromEntries(outputs.map((output) => [output, undefined])),
          ...properties,
          __provider: providerText(lifecycles[type]),
        },
        // Lets a stack move from the plugin without replacing its resources. The plugin's schema has the opposite alias
        // (docs/internals/decisions.md#0015-provider-plugin).
        { ...options, aliases: [...(options.aliases ?? []), { type: pluginType }] },
      );
      for (const output of outputs) {
        Reflect.set(this, output, absentAsUndefined(Reflect.get(this, output)));
      }
    } catch (error) {
      throw traces.withStackTrace(error);
    } finally {
      traces.resume();
    }
  }
}

/** Turns null in the state into undefined, as the types say (docs/internals/decisions.md#0013-absent-outputs). */
function absentAsUndefined(output: unknown): unknown {
  if (!pulumi.Output.isInstance(output)) return output;
  return output.apply((value: unknown) => value ?? undefined);
}

/**
 * Throws a `RunError` for the option `import`. The engine imports resources before it knows the dynamic provider, so an
 * import would fail inside the SDK.
 */
function rejectImport(name: string, options: pulumi.CustomResourceOptions = {}): void {
  if (options.import === undefined) return;
  throw runError(
    `the resource "${name}" has the option import, which dynamic providers such as pulumi-clouddb do not support. Remove the option, because creating the resource adopts what exists. To import it into a stack, use the plugin pulumi-resource-clouddb.`,
    "import-option",
  );
}

const folderWithoutPackage = findFolderWithoutPackage();

/**
 * Returns the provider process's working directory if this package cannot be loaded from there. A program that the CLI
 * started, which the environment variable shows, starts in the same directory. An inline program does not know it.
 */
function findFolderWithoutPackage(): string | undefined {
  if (process.env["PULUMI_NODEJS_MONITOR"] === undefined) return undefined;
  const folder = process.cwd();
  try {
    createRequire(join(folder, "program.js")).resolve("pulumi-clouddb/runtime");
    return undefined;
  } catch {
    return folder;
  }
}

/** Throws a `RunError` if the provider process would only report that it cannot find a module. */
function rejectMissingPackage(name: string): void {
  if (folderWithoutPackage === undefined) return;
  throw runError(
    `Pulumi's provider process loads pulumi-clouddb for the resource "${name}" from ${folderWithoutPackage}, where it is not installed. Install it there, even if the program is a bundle or another package depends on it.`,
    "not-installed",
  );
}

/**
 * Disables stack traces until `resume` is called, unless Pulumi is configured to report unsettled promises. Its SDK
 * records a stack trace with each of the four promises of an output, and maps it through the program's source map,
 * which is most of the program's cost (docs/internals/decisions.md#0014-measured-optimizations). Stands around
 * `super` in a constructor, because TypeScript does not allow `super` in a callback.
 */
function pauseStackTraces() {
  const { stackTraceLimit } = Error;
  const resume = () => {
    Error.stackTraceLimit = stackTraceLimit;
  };
  if (!process.env["PULUMI_DEBUG_PROMISE_LEAKS"]) Error.stackTraceLimit = 0;
  return {
    resume,
    /** Returns the error with the stack trace that it was created without. */
    withStackTrace(error: unknown): unknown {
      resume();
      if (error instanceof Error && !pulumi.RunError.isInstance(error))
        Error.captureStackTrace(error);
      return error;
    },
  };
}
