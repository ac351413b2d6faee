/** The mocha hooks of this layer, which start and stop a service and provider processes. */
import type { Seed } from "clouddb-simulator";
import { type Cleanup, type Lifetime, useCleanup } from "../support/cleanup";
import { type ForeignService, type Handler, foreignService } from "../support/foreignService";
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
  /** The stack's configuration. Default: empty */
  readonly configuration?: Record<string, string>;
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
export function useProvider(lifecycle: Lifecycle, options: Options = {}): TestedProvider {
  const { service, start } = useProviders(lifecycle, options);
  const started: ProviderProcess[] = [];
  const hook = options.lifetime === "file" ? before : beforeEach;
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

/** Like {@link useProvider}, for tests that start their processes themselves. */
export function useProviders(
  lifecycle: Lifecycle,
  { seed, settings, lifetime = "test" }: Options = {},
): Pick<TestedProvider, "service" | "start"> {
  const cleanup = useCleanup(lifetime);
  const service = useService(seed, settings);
  const start = ({ environment = settingsFor(service), ...options }: StartOptions = {}) =>
    startFor(cleanup, lifecycle, { ...options, environment });
  return { service, start };
}

/**
 * Registers the hooks for services that are not the simulator. Everything stops after each test.
 *
 * @returns a function that starts a service with the handler, and a provider process that uses it
 */
export function useForeignService(): (
  lifecycle: Lifecycle,
  handler: Handler,
) => Promise<ProviderProcess & { readonly service: ForeignService }> {
  const cleanup = useCleanup("test");
  return async (lifecycle, handler) => {
    const service = await foreignService(handler);
    cleanup(() => {
      service.stop();
    });
    const environment = settingsFor(service);
    return { service, ...(await startFor(cleanup, lifecycle, { environment })) };
  };
}

function startFor(
  cleanup: Cleanup,
  lifecycle: Lifecycle,
  { configuration = {}, environment = {}, engine, name }: StartOptions,
): Promise<ProviderProcess> {
  const starting = startProvider(lifecycle, configuration, environment, engine, name);
  cleanup(async () => {
    // The test reports a failed start.
    const [start] = await Promise.allSettled([starting]);
    if (start.status === "fulfilled") await start.value.stop();
  });
  return starting;
}
