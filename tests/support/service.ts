/** The service under test, which is the simulator over TLS with the quickstart's project. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  type ReceivedRequest,
  type Seed,
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from "../../simulator/src";
import { processFolder, useCleanup } from "./cleanup";

/** The ID of the quickstart's project. */
export const projectId = "64a0c0ffee0000000000a001";

/** The ID of a project that does not exist. */
export const missingProjectId = "64a0c0ffee00000000009999";

/** The API key of the quickstart's seed. */
export const key = { publicKey: "demo", privateKey: "demo-secret" };

/** Returns a new copy of the seed of the quickstart. */
export function quickstartSeed(): Seed {
  const path = join(__dirname, "../..", "examples", "quickstart", "seed.json");
  return JSON.parse(readFileSync(path, "utf8")) as Seed;
}

export const account = { clientId: "svc_demo", clientSecret: "svc-secret" };

/** Returns the quickstart's seed with a service account. */
export function seedWithAccount(own = account, role: "owner" | "readOnly" = "owner"): Seed {
  const seed = quickstartSeed();
  for (const organization of seed.organizations ?? []) {
    organization.serviceAccounts = [{ ...own, roles: [{ projectId, role }] }];
  }
  return seed;
}

/** Settings of the simulator. Default: its own defaults */
export type ServiceSettings = Omit<SimulatorOptions, "seed">;

/** Starts the simulator on a free port. The caller must stop it. */
export function startService(
  seed: Seed = quickstartSeed(),
  settings: ServiceSettings = {},
): Promise<Simulator> {
  return startSimulator({ ...settings, seed, port: 0 });
}

/** The service of the enclosing `describe`. */
export interface Service
  extends Pick<Simulator, "url" | "ca" | "requests" | "faults" | "activeTokens"> {
  readonly dns: Simulator["dns"] | undefined;
  /** All that the simulator offers. */
  readonly simulator: Simulator;
  /** Gives access to a project. Default: the quickstart's */
  readonly project: (id?: string) => ReturnType<Simulator["project"]>;
  /** Returns the requests that listed clusters, without challenged ones. */
  readonly listings: () => readonly ReceivedRequest[];
  /** Returns the PATCH requests, which change private IP mode, without challenged ones. */
  readonly patches: () => readonly ReceivedRequest[];
}

/**
 * Registers the Mocha hooks that start a service before all tests of the enclosing `describe`, reset it before each,
 * and stop it after all.
 *
 * @param seed the initial data. Default: the quickstart's seed
 */
export function useService(seed?: Seed, settings?: ServiceSettings): Service {
  const started: Simulator[] = [];
  before("start the service", async () => {
    started.push(await startService(seed, settings));
  });
  beforeEach("reset the service", () => {
    running().reset();
  });
  after("stop the service", async () => {
    await Promise.all(started.splice(0).map((service) => service.stop()));
  });

  const running = (): Simulator => {
    const [service] = started;
    if (service === undefined) throw new Error("the service is only available during tests");
    return service;
  };
  const received = (isWanted: (request: ReceivedRequest) => boolean) =>
    running().requests.filter(isWanted);
  return {
    get simulator() {
      return running();
    },
    get url() {
      return running().url;
    },
    get ca() {
      return running().ca;
    },
    get dns() {
      return running().dns;
    },
    get requests() {
      return running().requests;
    },
    get faults() {
      return running().faults;
    },
    activeTokens: (clientId) => running().activeTokens(clientId),
    project: (id = projectId) => running().project(id),
    listings: () =>
      received(({ operation, challenged }) => operation === "listClusters" && !challenged),
    patches: () => received(({ method, challenged }) => method === "PATCH" && !challenged),
  };
}

/** Registers the Mocha hook that stops services after each test, and returns a function that starts one. */
export function useOwnServices(): typeof startService {
  const cleanup = useCleanup("test");
  return async (seed, settings) => {
    const service = await startService(seed, settings);
    cleanup(() => service.stop());
    return service;
  };
}

/** Returns the provider's settings for a service, as environment variables. */
export function settingsFor(service: Pick<Simulator, "url" | "ca">): Record<string, string> {
  const caFile = join(processFolder, `ca-${new URL(service.url).port}.pem`);
  writeFileSync(caFile, service.ca);
  return {
    CLOUDDB_BASE_URL: service.url,
    CLOUDDB_CA_FILE: caFile,
    CLOUDDB_PUBLIC_KEY: key.publicKey,
    CLOUDDB_PRIVATE_KEY: key.privateKey,
  };
}

/** Returns the settings for a service with a service account instead of the API key. */
export function accountSettings(service: Pick<Simulator, "url" | "ca">): Record<string, string> {
  const { CLOUDDB_PUBLIC_KEY, CLOUDDB_PRIVATE_KEY, ...rest } = settingsFor(service);
  const { clientId, clientSecret } = account;
  return { ...rest, CLOUDDB_CLIENT_ID: clientId, CLOUDDB_CLIENT_SECRET: clientSecret };
}
