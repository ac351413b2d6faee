// The simulator as a library: starts the service, and lets a test see what it received, shape its
// answers and change its world.
import type { AddressInfo } from "node:net";
import { createDocuments } from "./api/documents";
import { refusePlainHttp } from "./api/plainHttp";
import { createServer } from "./api/server";
import { createAuthentication } from "./authentication/authenticate";
import { createCertificate } from "./certificate";
import { type Clock, createClock } from "./clock";
import { type Resolution, resolveTarget, type Vantage } from "./connectionStrings/resolution";
import { createFaults, type Faults } from "./faults";
import { parseSettings, type SimulatorOptions } from "./options";
import { createRateLimit } from "./rateLimit";
import { createJournal, type ReceivedRequest } from "./requests";
import { parseSeed, type SeedCluster, type SeedProject } from "./seed";
import type { Cluster } from "./world/cluster";
import { restoreState, writeStateOf } from "./world/stateFile";
import { createStore, missingCluster, missingProject, type Project } from "./world/store";

/** A running simulator. */
export interface Simulator {
  /** `https://127.0.0.1:<port>`: what a client's base address is. */
  readonly url: string;
  /** `http://127.0.0.1:<port>` of the port that refuses plain HTTP, where one was asked for. */
  readonly httpUrl?: string;
  /** The certificate (PEM) of the authority that a client has to trust. */
  readonly ca: string;
  /** What was received, oldest first: also requests that were answered with a challenge or a fault. */
  readonly requests: readonly ReceivedRequest[];
  /** What the next requests get. */
  readonly faults: Faults;
  /** The service's time, which tests can turn forward. */
  readonly clock: Clock;
  /** The ids of all projects. */
  projectIds(): string[];
  /** @throws {ServiceError} where there is no such project */
  project(id: string): ProjectControl;
  /** @throws {SeedError} where the project is not valid */
  addProject(project: SeedProject): ProjectControl;
  /**
   * What the service's DNS would say of a connection string or a host name of one; undefined where
   * no cluster has it (any longer).
   */
  resolve(target: string, from?: Vantage): Resolution | undefined;
  /** Ends the access tokens of a service account at once, or of all of them. */
  revokeTokens(clientId?: string): void;
  /** Back to the seed: projects, clock, faults, tokens, rate limit and the list of requests. */
  reset(): void;
  /** Stops listening, ends open connections, and finishes writing the state file. */
  stop(): Promise<void>;
}

/** The way for a test to change a project behind the API's back. */
export interface ProjectControl {
  readonly id: string;
  readonly name: string;
  readonly privateIpMode: { readonly enabled: boolean };
  readonly clusters: readonly Cluster[];
  /** Sets the mode without the condition that the API enforces. */
  setPrivateIpMode(enabled: boolean): void;
  /** @throws {ServiceError} where there is no such cluster */
  cluster(name: string): Cluster;
  addCluster(cluster: SeedCluster): Cluster;
  /** Changes the given fields: version, peering, privateEndpoints, state, pendingStrings, ... */
  updateCluster(name: string, change: Partial<SeedCluster>): Cluster;
  /** The cluster is gone at once. */
  removeCluster(name: string): void;
}

/**
 * Starts the service on loopback, over HTTPS with a certificate of its own.
 *
 * @throws {SeedError} where the seed or a setting is not valid, with the path of what is wrong
 * @throws {StateFileError} where there is a state file that cannot be used
 */
export async function startSimulator({ seed, ...options }: SimulatorOptions): Promise<Simulator> {
  const settings = parseSettings(options);
  const start = parseSeed(seed);
  const clock = createClock();
  const store = createStore(start, clock);
  const { stateFile } = settings;
  if (stateFile !== undefined) restoreState(store, stateFile, start);
  const state = stateFile === undefined ? undefined : writeStateOf(store, stateFile);

  const certificate = await createCertificate(settings.host);
  const journal = createJournal();
  const faults = createFaults();
  const rateLimit = createRateLimit(settings.requestsPerMinute, clock);
  const authentication = createAuthentication({ store, clock, ...settings });
  let url = "";
  const origin = () => url;
  const documents = createDocuments(origin, settings);
  const revokeTokens = (clientId?: string) => {
    authentication.revokeTokens(clientId);
  };
  const reset = () => {
    clock.reset();
    store.load(start);
    authentication.reset();
    rateLimit.reset();
    faults.clear();
    journal.clear();
  };
  const server = createServer({
    service: { settings, store, clock, authentication, documents },
    controls: { clock, faults, journal, revokeTokens, reset },
    certificate,
    journal,
    faults,
    rateLimit,
    flush: async () => state?.flush(),
    origin,
  });
  await server.listen({ port: settings.port, host: settings.host });
  const address = server.server.address() as AddressInfo;
  url = `https://${address.family === "IPv6" ? `[${address.address}]` : address.address}:${address.port}`;
  const plain =
    settings.httpPort === undefined
      ? undefined
      : await refusePlainHttp(settings.httpPort, settings.host, url);

  const control = (id: string): ProjectControl => {
    const project = (): Project => {
      const found = store.project(id);
      if (!found) throw missingProject(id);
      return found;
    };
    project();
    return {
      id,
      get name() {
        return project().name;
      },
      get privateIpMode() {
        return project().privateIpMode;
      },
      get clusters() {
        return project().clusters;
      },
      setPrivateIpMode: (enabled) => {
        store.setPrivateIpMode(id, enabled);
      },
      cluster: (name) => {
        const found = store.cluster(project().id, name);
        if (!found) throw missingCluster(id, name);
        return found;
      },
      addCluster: (cluster) => store.addCluster(id, cluster),
      updateCluster: (name, change) => store.updateCluster(id, name, change),
      removeCluster: (name) => {
        store.removeCluster(id, name);
      },
    };
  };

  return {
    url,
    ...(plain ? { httpUrl: plain.url } : {}),
    ca: certificate.ca,
    requests: journal.requests,
    faults,
    clock,
    projectIds: () => store.projects().map(({ id }) => id),
    project: control,
    addProject: (project) => control(store.addProject(project).id),
    resolve: (target, from = "internet") => resolveTarget(target, from, store.projects(), settings),
    revokeTokens,
    reset,
    stop: async () => {
      await Promise.all([server.close(), plain?.close()]);
      await state?.flush();
    },
  };
}
