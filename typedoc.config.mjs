// @ts-check
/** The API reference. `npm run lint` fails on its warnings; `npm run docs:api` writes it. */

import { readFileSync } from "node:fs";
import { OptionDefaults } from "typedoc";

const manifest = readFileSync(new URL("provider/package.json", import.meta.url), "utf8");

/** @type {import("typedoc").TypeDocOptions} */
export default {
  plugin: ["typedoc-plugin-missing-exports"],
  entryPointStrategy: "packages",
  entryPoints: ["provider", "connection-strings", "simulator"],
  packageOptions: {
    entryPoints: ["src/index.ts"],
    // Types that exported ones consist of, such as the settings in ProviderArgs.
    internalModule: "Not exported",
    // The build reports them.
    skipErrorChecking: true,
    excludeExternals: true,
    excludePrivate: true,
    // The sources of reexported types would be declarations in dist.
    disableSources: true,
    requiredToBeDocumented: [
      "Variable",
      "Function",
      "Parameter",
      "TypeAlias",
      "Class",
      "Interface",
      "Property",
      "Method",
      "Accessor",
    ],
    // The schema of the plugin marks the same properties.
    modifierTags: [...OptionDefaults.modifierTags, "@secret"],
    blockTags: [...OptionDefaults.blockTags, "@replaces"],
    validation: { invalidLink: true, notDocumented: true, notExported: true },
    externalSymbolLinkMappings: {
      "@pulumi/pulumi": {
        CustomResource:
          "https://www.pulumi.com/docs/reference/pkg/nodejs/pulumi/pulumi/#CustomResource",
      },
    },
  },
  name: `pulumi-clouddb ${JSON.parse(manifest).version}`,
  out: ".clouddb/api",
  readme: "none",
  cleanOutputDir: true,
  treatWarningsAsErrors: true,
  treatValidationWarningsAsErrors: true,
  logLevel: "Warn",
};
