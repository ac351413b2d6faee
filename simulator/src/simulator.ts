/** The library: starts the simulator, and gives tests access to its requests, faults, clock and data. */
import type { AddressInfo } from "node:net";
import { createDocuments } from "./api/documents";
import { listenForPlainHttp } from "./api/plainHttp";
import { createServer } from "./api/server";
import { createAuthentication } from "./authentication/authenticate";
import { createCertificate } from "./certificate";
import { type Clock, createClock } from "./clock";
import { type Resolution, resolveTarget, type Vantage } from "./connectionStrings/resolution";
import { createFaults, type Faults } from "./faults";
import { parseSettings, type SimulatorOptions } from "./options";
import { createRateLimit } from "./rateLimit";
import { createRequestLog, type ReceivedRequest } from "./requestLog";
import { parseSeed, type SeedCluster, type SeedProject } from "./seed";
import type { Cluster } from "./store/cluster";
import { createStateWriter, restoreState } from "./store/stateFile";
import {
  createStore,
  missingCluster,
  missingProject,
  type Project,
  type Store,
} from "./store/store";

/** A running simulator. */
export interface Simulator {
  /** Base URL of the API: `https://<host>:<port>`. */
  readonly url: string;
  /** `http://<host>:<port>` of the port that rejects plain HTTP. Absent without `httpPort`. */
  readonly httpUrl?: string;
  /** Certificate of the authority in PEM format. Clients must trust it. */
  readonly ca: string;
  /** The last 10,000 requests, oldest first, including those answered with a challenge or a fault. */
  readonly requests: readonly ReceivedRequest[];
  /** Faults to inject into the next responses. */
  readonly faults: Faults;
  /** The simulated time. */
  readonly clock: Clock;
  /**
   * Returns the IDs of all projects.
   *
   * @returns the IDs, in the order of creation
   */
  projectIds(): string[];
  /**
   * Returns a project.
   *
   * @param id the project ID
   * @returns access to the project
   * @throws ServiceError if there is no project with this ID
   * @example service.project("64a0c0ffee0000000000a001").updateCluster("orders", { version: "6.0.5" });
   */
  project(id: string): ProjectControl;
  /**
   * Adds a project.
   *
   * @param project the project, in the format of the seed
   * @returns access to the project
   * @throws SeedError if the project is invalid
   * @throws ServiceError if its ID or name exists already
   */
  addProject(project: SeedProject): ProjectControl;
  /**
   * Resolves a host name as the DNS of the service would.
   *
   * @param target a connection string, or a host name in one
   * @param from the network of the client. Default: `"internet"`
   * @returns the cluster and its addresses, or undefined if no cluster has this host name
   */
  resolve(target: string, from?: Vantage): Resolution | undefined;
  /**
   * Revokes the access tokens of a service account.
   *
   * @param clientId the service account. Default: all
   */
  revokeTokens(clientId?: string): void;
  /** Restores the seed, and resets clock, faults, tokens, rate limit and request log. */
  reset(): void;
  /** Stops listening, closes open connections and completes the state file. */
  stop(): Promise<void>;
}

/** Gives tests access to one project, without the checks and delays of the API. */
export interface ProjectControl {
  /** Project ID. */
  readonly id: string;
  /** Name of the project. */
  readonly name: string;
  /** Private IP mode of the project. */
  readonly privateIpMode: { readonly enabled: boolean };
  /** Clusters in the order of their creation. */
  readonly clusters: readonly Cluster[];
  /**
   * Sets private IP mode, even if a cluster's version is too old for it.
   *
   * @param enabled the new value
   */
  setPrivateIpMode(enabled: boolean): void;
  /**
   * Returns a cluster.
   *
   * @param name the name of the cluster
   * @returns the cluster as it is now
   * @throws ServiceError if the project has no cluster with this name
   */
  cluster(name: string): Cluster;
  /**
   * Adds a cluster.
   *
   * @param cluster the cluster, in the format of the seed
   * @returns the cluster with its defaults
   * @throws SeedError if the cluster is invalid
   * @throws ServiceError if it conflicts with another cluster
   */
  addCluster(cluster: SeedCluster): Cluster;
  /**
   * Updates the given fields of a cluster.
   *
   * @param name the name of the cluster
   * @param change the new values, for example of `version`, `peering` or `state`
   * @returns the updated cluster
   * @throws SeedError if a value is invalid
   * @throws ServiceError if there is no such cluster, or the change conflicts with another cluster
   */
  updateCluster(name: string, change: Partial<SeedCluster>): Cluster;
  /**
   * Removes a cluster immediately.
   *
   * @param name the name of the cluster
   * @throws ServiceError if the project has no cluster with this name
   */
  removeCluster(name: string): void;
}

/**
 * Starts the simulator over HTTPS, with a certificate of its own.
 *
 * @param options the seed and the settings. Default: a free port on 127.0.0.1, in memory only
 * @returns the running simulator; call `stop()` when done
 * @throws SeedError if the seed or a setting is invalid; the message contains the path of each problem
 * @throws StateFileError if the state file exists but cannot be used
 * @example
 * const service = await startSimulator({ seed, requestsPerMinute: 20 });
 * service.faults.push({ method: "PATCH", status: 503 });
 * // Run the client under test against service.url; it must trust service.ca.
 * await service.stop();
 */
export async function startSimulator({ seed, ...options }: SimulatorOptions): Promise<Simulator> {
  const settings = parseSettings(options);
  const completeSeed = parseSeed(seed);
  const clock = createClock();
  const store = createStore(completeSeed, clock);
  const { stateFile } = settings;
  if (stateFile !== undefined) restoreState(store, stateFile, completeSeed);
  const stateWriter = stateFile === undefined ? undefined : createStateWriter(store, stateFile);

  const certificate = await createCertificate(settings.host);
  const requestLog = createRequestLog();
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
    store.load(completeSeed);
    authentication.reset();
    rateLimit.reset();
    faults.clear();
    requestLog.clear();
  };
  const server = createServer({
    service: { settings, store, clock, authentication, documents },
    controls: { clock, faults, requestLog, revokeTokens, reset },
    certificate,
    requestLog,
    faults,
    rateLimit,
    flush: async () => stateWriter?.flush(),
    origin,
  });
  await server.listen({ port: settings.port, host: settings.host });
  url = urlOf(server.server.address() as AddressInfo);
  const plainHttp =
    settings.httpPort === undefined
      ? undefined
      : await listenForPlainHttp(settings.httpPort, settings.host, url);

  return {
    url,
    ...(plainHttp ? { httpUrl: plainHttp.url } : {}),
    ca: certificate.ca,
    requests: requestLog.requests,
    faults,
    clock,
    projectIds: () => store.projects().map(({ id }) => id),
    project: (id) => createProjectControl(store, id),
    addProject: (project) => createProjectControl(store, store.addProject(project).id),
    resolve: (target, from = "internet") => resolveTarget(target, from, store.projects(), settings),
    revokeTokens,
    reset,
    stop: async () => {
      await Promise.all([server.close(), plainHttp?.close()]);
      await stateWriter?.flush();
    },
  };
}

function urlOf({ family, address, port }: AddressInfo): string {
  return `https://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}

function createProjectControl(store: Store, id: string): ProjectControl {
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
}
