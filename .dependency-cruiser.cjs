/**
 * The direction of imports. `npm run lint` checks it.
 *
 * In provider/src, from the bottom up: api; session; program and providerProcess, which do not know each
 * other; privateIpMode and clusterConnectionStrings, which do not know each other either; and the
 * entry points (index.ts, runtime.ts, cli.ts with commands and report, ...). Nothing imports upward.
 */

const provider = "^provider/src";
const resources = "privateIpMode|clusterConnectionStrings";

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "no-circles",
      comment: "Move what both files need into a third one.",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "api-knows-only-http",
      comment: "The HTTP client knows nothing of Pulumi, settings or resources.",
      severity: "error",
      from: { path: `${provider}/api/` },
      to: { path: `${provider}/|@pulumi/`, pathNot: `${provider}/api/` },
    },
    {
      name: "session-uses-only-api",
      severity: "error",
      from: { path: `${provider}/session/` },
      to: { path: `${provider}/|@pulumi/`, pathNot: `${provider}/((session|api)/|version\\.ts$)` },
    },
    {
      name: "program-uses-only-session-and-api",
      comment: "What runs in the user's program must not load what runs in the provider process.",
      severity: "error",
      from: { path: `${provider}/program/` },
      to: { path: `${provider}/`, pathNot: `${provider}/(program|session|api)/` },
    },
    {
      name: "provider-process-uses-only-session-and-api",
      severity: "error",
      from: { path: `${provider}/engine/` },
      to: { path: `${provider}/`, pathNot: `${provider}/(providerProcess|session|api)/` },
    },
    {
      name: "resources-are-independent",
      severity: "error",
      from: { path: `${provider}/(${resources})/` },
      to: { path: `${provider}/(${resources})/`, pathNot: `${provider}/$1/` },
    },
    {
      name: "plugin-imports-no-program",
      comment: "The plugin serves the lifecycles; it is no part of the user's program.",
      severity: "error",
      from: { path: "^plugin/src/" },
      to: {
        path: [
          `${provider}/program/`,
          `${provider}/[^/]+\\.ts$`,
          "^(tests|quality|scripts|examples|simulator)/",
        ],
        pathNot: `${provider}/(lifecycles|version)\\.ts$`,
      },
    },
    {
      name: "server-knows-no-service",
      comment: "The gRPC server of the plugin knows nothing of this service.",
      severity: "error",
      from: { path: "^plugin/src/(server|properties)\\.ts$" },
      to: {
        path: [`${provider}/`, "^plugin/src/", "connection-strings"],
        pathNot: [
          `${provider}/engine/lifecycle\\.ts$`,
          `${provider}/session/errors\\.ts$`,
          "^plugin/src/properties\\.ts$",
        ],
      },
    },
    {
      name: "nothing-imports-an-entry-point",
      severity: "error",
      from: { path: `${provider}/[^/]+/` },
      to: { path: `${provider}/[^/]+\\.ts$`, pathNot: `${provider}/version\\.ts$` },
    },
    {
      name: "connection-strings-stand-alone",
      comment: "An application that parses a string installs nothing but semver.",
      severity: "error",
      from: { path: "^connection-strings/src/" },
      to: {
        pathNot: ["^connection-strings/src/", "^node_modules/(@types/)?semver/"],
        dependencyTypesNot: ["core"],
      },
    },
    {
      name: "simulator-stands-alone",
      comment: "A service that shares code with its client would share its mistakes.",
      severity: "error",
      from: { path: "^simulator/src/" },
      to: { path: "^(provider|connection-strings|tests|quality|scripts)/" },
    },
    {
      name: "packages-import-no-tests-or-scripts",
      severity: "error",
      from: { path: "^(provider|connection-strings|simulator)/src/" },
      to: { path: "^(tests|quality|scripts|examples)/" },
    },
  ],
  options: {
    doNotFollow: { path: ["node_modules", "/dist/"] },
    exclude: { path: "/dist/(?!index)" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["types", "require"] },
  },
};
