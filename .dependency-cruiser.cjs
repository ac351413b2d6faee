/**
 * The direction of imports, which `npm run lint` checks. In provider/src, from the bottom up: messages; validation; service;
 * settings; program and host; the resources; and the entry points. Nothing imports upward, the parts of one level do not
 * know each other, and what runs in the user's program cannot reach host at all.
 */

const provider = "^provider/src";
const resources = "privateIpMode|clusterConnectionStrings|databaseUrl";

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
      name: "messages-know-nothing",
      severity: "error",
      from: { path: `${provider}/messages/` },
      to: { path: `${provider}/|@pulumi/`, pathNot: `${provider}/messages/` },
    },
    {
      name: "validation-knows-only-messages",
      severity: "error",
      from: { path: `${provider}/validation/` },
      to: { path: `${provider}/|@pulumi/`, pathNot: `${provider}/(validation|messages)/` },
    },
    {
      name: "service-knows-only-http",
      comment: "The HTTP client knows nothing of Pulumi, settings or resources.",
      severity: "error",
      from: { path: `${provider}/service/` },
      to: {
        path: `${provider}/|@pulumi/`,
        pathNot: `${provider}/((service|validation|messages)/|version\\.ts$)`,
      },
    },
    {
      name: "settings-know-no-pulumi",
      severity: "error",
      from: { path: `${provider}/settings/` },
      to: {
        path: `${provider}/|@pulumi/`,
        pathNot: `${provider}/(settings|service|validation|messages)/`,
      },
    },
    {
      name: "program-and-host-are-independent",
      severity: "error",
      from: { path: `${provider}/(program|host)/` },
      to: {
        path: `${provider}/`,
        pathNot: `${provider}/($1/|(settings|service|validation|messages)/|providerText\\.ts$)`,
      },
    },
    {
      name: "programs-reach-no-host",
      comment: "What runs in the user's program must not load what runs in the provider process.",
      severity: "error",
      from: {
        path: `${provider}/(index\\.ts$|program/|(${resources})/(args|functions|resource)\\.ts$)`,
      },
      to: { path: `${provider}/host/`, reachable: true },
    },
    {
      name: "resources-are-independent",
      severity: "error",
      from: { path: `${provider}/(${resources})/` },
      to: { path: `${provider}/(${resources})/`, pathNot: `${provider}/$1/` },
    },
    {
      name: "reports-are-read-and-written-separately",
      comment: "What is read reaches writing through report/decide, in the model.",
      severity: "error",
      from: { path: `${provider}/report/(read|write)/` },
      to: { path: `${provider}/report/(read|decide|write)/`, pathNot: `${provider}/report/$1/` },
    },
    {
      name: "reports-are-decided-before-they-are-written",
      severity: "error",
      from: { path: `${provider}/report/decide/` },
      to: { path: `${provider}/report/write/` },
    },
    {
      name: "only-the-guard-permits-to-disable",
      comment: "Nothing else may obtain a permission. Import its type.",
      severity: "error",
      from: { path: "^(provider|plugin)/src/", pathNot: `${provider}/privateIpMode/guard\\.ts$` },
      to: {
        path: `${provider}/service/disablePermission\\.ts$`,
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "one-door-to-the-network",
      comment: "Send requests with httpsTransport. proxy.ts opens its tunnels.",
      severity: "error",
      from: {
        path: "^(provider|plugin)/src/",
        pathNot: `${provider}/service/(transport|proxy)\\.ts$`,
      },
      to: { path: "undici|^(node:)?http(s|2)?$", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "plugin-imports-one-file-of-the-provider",
      comment: "Export what else the plugin needs from pluginApi.ts.",
      severity: "error",
      from: { path: "^plugin/src/" },
      to: { path: "^provider/", pathNot: `${provider}/pluginApi\\.ts$` },
    },
    {
      name: "nothing-imports-an-entry-point",
      severity: "error",
      from: { path: `${provider}/[^/]+/` },
      to: { path: `${provider}/[^/]+\\.ts$`, pathNot: `${provider}/(version|providerText)\\.ts$` },
    },
    {
      name: "connection-strings-stand-alone",
      comment: "An application that parses or checks a string installs nothing else.",
      severity: "error",
      from: { path: "^connection-strings/src/" },
      to: {
        pathNot: "^connection-strings/(src/|package\\.json$)",
        dependencyTypesNot: ["core"],
      },
    },
    {
      name: "functions-open-no-connections",
      comment:
        "Only the command opens connections, so applications can bundle the functions for any platform.",
      severity: "error",
      from: {
        path: "^connection-strings/src/",
        pathNot: "^connection-strings/src/(cli\\.ts$|check/)",
      },
      to: { path: "^connection-strings/src/check/|^(node:)?(dns|dgram|fs|net|tls)(/|$)" },
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
      from: { path: "^(provider|connection-strings|plugin|simulator)/src/" },
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
