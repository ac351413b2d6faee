/**
 * The module `pulumi-clouddb/runtime`: the entry point of the engine's provider process, loaded by the
 * text in providerText.ts. Published as one bundle, because the engine starts a process for
 * every operation on a stack (docs/internals/decisions.md#0010-bundled-runtime). Never loads the main module of
 * @pulumi/pulumi or TypeScript.
 *
 * The process loads this module once and configures each handler with the same settings.
 */
import { RuntimeHost } from "./runtimeHost";
import { closeOnSignal, createEngineLog, engineAddress, modulesOfPulumi } from "./engine/engine";
import type { Lifecycle } from "./engine/lifecycle";
import type { providerText } from "./providerText";
import type { SettingsSource } from "./settings/settings";

type Configuration = Parameters<typeof processSettings>[0];

class ProviderProcess {
  #configuration: Configuration = { get: () => undefined };
  readonly host = new RuntimeHost({
    settings: () => processSettings(this.#configuration),
    log: createEngineLog({ engineAddress, modules: modulesOfPulumi }),
    engineAddress,
  });

  /** Adds the hook that the engine calls first. It only stores the configuration, so it never fails. */
  handler(lifecycle: Lifecycle) {
    const configure = (request: { readonly config: Configuration }): Promise<void> => {
      this.#configuration = request.config;
      return Promise.resolve();
    };
    return { ...lifecycle, configure };
  }
}

const providerProcess = new ProviderProcess();
closeOnSignal(() => providerProcess.host.close());

/**
 * Reads the configuration of a provider process: the stack's, or the properties of an explicit
 * provider. The process cannot tell which of the two it received.
 */
function processSettings(config: { get(key: string): string | undefined }): SettingsSource {
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

/** The handlers by their names in the provider loader, which users never call. */
const handlers: Readonly<Record<Parameters<typeof providerText>[0], object>> = {
  get privateIpMode() {
    return providerProcess.handler(providerProcess.host.privateIpMode);
  },

  get clusterConnectionStrings() {
    return providerProcess.handler(providerProcess.host.clusterConnectionStrings);
  },
};

export = handlers;
