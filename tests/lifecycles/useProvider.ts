/** The mocha hooks of this layer, which start and stop a service and provider processes. */
import type { Seed } from "clouddb-simulator";
import { type Lifetime, useCleanup } from "../support/cleanup";
import { type Service, type ServiceSettings, settingsFor, useService } from "../support/service";
import type { ProviderCalls } from "./providerCalls";
import { type Lifecycle, type ProviderProcess, startProvider } from "./providerProcess";

interface Options {
  /** The initial data of the service. Default: the quickstart's seed */
  readonly seed?: Seed;
  /** Settings of the service. Default: the simulator's defaults */
  readonly settings?: ServiceSettings;
  /** When the processes stop. Default: "test" */
  readonly lifetime?: Lifetime;
}

interface StartOptions {
  /** Environment variables. Default: the settings for the service */
  readonly environment?: Record<string, string>;
  /** The engine's address, which all processes of one run share. Default: the address of a new run */
  readonly engine?: string;
  /** The name of the resource. Default: orders */
  readonly name?: string;
}

interface TestedProvider {
  readonly service: Service;
  /** The process of the current test. */
  readonly provider: ProviderCalls & Pick<ProviderProcess, "output">;
  /** Starts another process. */
  readonly start: (options?: StartOptions) => Promise<ProviderProcess>;
}

/** Runs a service during all tests of the enclosing `describe`, and a provider process during each test. */
export function useProvider(
  lifecycle: Lifecycle,
  { seed, settings, lifetime = "test" }: Options = {},
): TestedProvider {
  const cleanup = useCleanup(lifetime);
  const service = useService(seed, settings);
  const start = ({ environment = settingsFor(service), engine, name }: StartOptions = {}) => {
    const starting = startProvider(lifecycle, environment, engine, name);
    cleanup(async () => {
      // The test reports a failed start.
      const [started] = await Promise.allSettled([starting]);
      if (started.status === "fulfilled") await started.value.stop();
    });
    return starting;
  };
  const started: ProviderProcess[] = [];
  const hook = lifetime === "file" ? before : beforeEach;
  hook("start the provider process", async () => {
    started.splice(0, 1, await start());
  });
  const current = (): ProviderProcess => {
    const [provider] = started;
    if (provider === undefined) throw new Error("the provider process runs only during tests");
    return provider;
  };
  const provider: TestedProvider["provider"] = {
    check: (...args) => current().check(...args),
    diff: (...args) => current().diff(...args),
    create: (...args) => current().create(...args),
    read: (...args) => current().read(...args),
    update: (...args) => current().update(...args),
    delete: (...args) => current().delete(...args),
    output: () => current().output(),
  };
  return { service, provider, start };
}
