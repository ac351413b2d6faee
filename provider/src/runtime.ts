/**
 * The module `pulumi-clouddb/runtime`, which the text in providerText.ts loads. Published as one bundle, because the
 * engine starts a process for every operation on a stack (docs/internals/decisions.md#0010-bundled-runtime). Never
 * loads TypeScript, or the main module of @pulumi/pulumi. The process configures each handler with the same settings.
 */
import type { Config, ResourceProvider } from "@pulumi/pulumi/dynamic";
import { RuntimeHost } from "./runtimeHost";
import { closeOnSignal, createEngineLog, engineAddress, modulesOfPulumi } from "./host/engine";
import type { Lifecycle } from "./host/lifecycle";
import type { providerText } from "./providerText";
import type { SettingsSource } from "./settings/settings";

const host = new RuntimeHost({
  log: createEngineLog({ engineAddress, modules: modulesOfPulumi }),
  engineAddress,
});
closeOnSignal(() => host.close());

/**
 * Returns Pulumi's dynamic provider of a resource type. Its `check`, `diff`, `create`, `read`, `update` and `delete`
 * are those of the lifecycle, in `privateIpMode/lifecycle.ts`, `clusterConnectionStrings/lifecycle.ts` or
 * `databaseUrl/lifecycle.ts`, which `withReportedErrors` in `host/lifecycle.ts` wraps. The engine calls `configure`
 * first, which never fails.
 */
function handler(lifecycle: Lifecycle) {
  return {
    ...lifecycle,
    configure: ({ config }) => {
      host.settings = processSettings(config);
      return Promise.resolve();
    },
  } satisfies ResourceProvider;
}

/** Reads the stack's configuration, or the properties of an explicit provider. The process cannot tell which. */
function processSettings(config: Config): SettingsSource {
  return {
    owner: { kind: "stack" },
    get: (key) => config.get(`clouddb:${key}`),
    // The keys are in a private property of Pulumi, which may change.
    keys: () => {
      const record = "rawConfig" in config ? config.rawConfig : undefined;
      return typeof record === "object" && record !== null ? Object.keys(record) : [];
    },
  };
}

/** The handlers by their names in the provider text, which users never call. */
const handlers: Readonly<Record<Parameters<typeof providerText>[0], ResourceProvider>> = {
  privateIpMode: handler(host.privateIpMode),
  clusterConnectionStrings: handler(host.clusterConnectionStrings),
  databaseUrl: handler(host.databaseUrl),
};

export = handlers;
