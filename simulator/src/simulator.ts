/** The library: starts the simulator, and gives tests access to its requests, faults, clock and data. */
import type { FastifyInstance } from "fastify";
import writeFileAtomic from "write-file-atomic";
import { Documents } from "./api/entities";
import { Authentication } from "./authentication/authentication";
import { type Responder, startDns } from "./dns/server";
import { type Vantage, answerQuestion } from "./dns/zone";
import { messageOf } from "./errors";
import { type CompleteSeed, type SeedProject, seedSchema } from "./seed/seed";
import { type Settings, type SimulatorOptions, settingsSchema } from "./seed/settings";
import { parse } from "./seed/validation";
import { createCertificate } from "./server/certificate";
import { FaultQueue, type Faults } from "./server/faults";
import { type ReceivedRequest, RequestLog } from "./server/requestLog";
import { RateLimit } from "./server/requests";
import { createServer } from "./server/server";
import { type Clock, OffsetClock } from "./store/clock";
import { keepState, restoreState } from "./store/stateFile";
import { type ProjectControl, Store, createProjectControl } from "./store/store";

/** The DNS servers of a simulator, as `<IP address>:<port>`. */
export interface DnsAddresses {
  /** Resolves names like the Internet. */
  readonly internet: string;
  /** Resolves names like a peered network, or one with a private endpoint. */
  readonly peeredNetwork: string;
}

/** A running simulator. */
export interface Simulator {
  /** Base URL of the API: `https://<host>:<port>`. */
  readonly url: string;
  /** The DNS servers, as `<IP address>:<port>`. Absent without `dns`. */
  readonly dns?: DnsAddresses;
  /** Certificate of the authority in PEM format. Clients must trust it. */
  readonly ca: string;
  /**
   * The last 10,000 requests in the order of their arrival, including those that got a challenge or a fault. A live
   * array: each request is added when it arrives, and is complete before the first byte of its response is sent.
   * `reset()` empties it.
   */
  readonly requests: readonly ReceivedRequest[];
  /** Faults to inject into the next responses. */
  readonly faults: Faults;
  /** The simulated time. */
  readonly clock: Clock;
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
   * @throws ServiceError if its ID or name exists already, or a cluster breaks a rule of the service
   */
  addProject(project: SeedProject): ProjectControl;
  /**
   * Removes a project and its clusters.
   *
   * @param id the project ID
   * @throws ServiceError if there is no project with this ID
   */
  removeProject(id: string): void;
  /**
   * Revokes the access tokens of a service account.
   *
   * @param clientId the service account. Default: all
   */
  revokeTokens(clientId?: string): void;
  /**
   * Returns the number of access tokens that are neither expired nor revoked.
   *
   * @param clientId the service account. Default: all
   */
  activeTokens(clientId?: string): number;
  /** Restores the seed, and resets clock, faults, tokens, rate limit and request log. */
  reset(): void;
  /** Stops listening and closes open connections. Further calls have no effect. */
  stop(): Promise<void>;
}

/**
 * Starts the simulator over HTTPS, with a certificate of its own.
 *
 * @param options the seed and the settings. Default: a free port on 127.0.0.1, in memory only
 * @returns the running simulator; call `stop()` when done
 * @throws SeedError if the seed or a setting is invalid, or clusters of the seed conflict with each other or
 *   break a rule of the service; the message contains the path of each problem
 * @throws Error if it cannot listen on a port; `code` is that of Node.js, for example `EADDRINUSE`
 * @throws Error if the CA certificate cannot be written to `caFile`
 * @throws StateFileError if the state file exists but cannot be used
 * @example
 * const service = await startSimulator({ seed, requestsPerMinute: 20 });
 * service.faults.push({ method: "PATCH", status: 503 });
 * // Run the client under test against service.url; it must trust service.ca.
 * await service.stop();
 */
export async function startSimulator({ seed, ...options }: SimulatorOptions): Promise<Simulator> {
  const settings = parse(settingsSchema, options, "The configuration");
  const completeSeed = parse(seedSchema, seed, "The seed");
  const { server, store, documents, ca, members } = await createSimulator(settings, completeSeed);
  const resolver =
    (from: Vantage): Responder =>
    (question) =>
      answerQuestion(question, from, store.projects(), settings);
  const { url, dns, close } = await listen(server, settings, resolver);
  documents.origin = url;
  try {
    await writeCertificate(ca, settings.caFile);
  } catch (error) {
    await close();
    throw error;
  }

  let stopped: Promise<void> | undefined;
  return {
    url,
    ...(dns === undefined ? {} : { dns }),
    ca,
    ...members,
    stop: () =>
      (stopped ??= close().finally(() => {
        // A request that a fault delays may still change the store, but the file may belong to another simulator.
        store.onChange(() => undefined);
      })),
  };
}

/** Creates a simulator that does not listen: `server.inject` sends it requests. @internal */
export async function createSimulator(settings: Settings, completeSeed: CompleteSeed) {
  const clock = new OffsetClock();
  const store = new Store(completeSeed, clock);
  const { stateFile } = settings;
  if (stateFile !== undefined) {
    restoreState(store, stateFile, completeSeed);
    keepState(store, stateFile);
  }

  const certificate = await createCertificate(settings.host);
  const requestLog = new RequestLog();
  const faults = new FaultQueue();
  const { requestsPerMinute, tokenRequestsPerMinute } = settings;
  const rateLimit = new RateLimit(requestsPerMinute, "requests", settings, clock);
  const tokenRateLimit = new RateLimit(tokenRequestsPerMinute, "token requests", settings, clock);
  const authentication = new Authentication(store, clock, settings);
  const documents = new Documents(settings);
  const reset = () => {
    clock.reset();
    store.load(completeSeed);
    authentication.tokens.revoke();
    rateLimit.reset();
    tokenRateLimit.reset();
    faults.clear();
    requestLog.clear();
  };
  // What the library and /control have in common.
  const members = {
    project: (id: string) => createProjectControl(store, id),
    addProject: (project: SeedProject) => createProjectControl(store, store.addProject(project).id),
    removeProject: (id: string) => {
      store.removeProject(id);
    },
    activeTokens: (clientId?: string) => authentication.tokens.count(clientId),
    revokeTokens: (clientId?: string) => {
      authentication.tokens.revoke(clientId);
    },
    reset,
  };
  const server = createServer({
    context: { settings, store, clock, authentication, documents },
    controls: { ...members, projects: () => store.snapshot(), clock, faults, requestLog },
    certificate,
    requestLog,
    faults,
    rateLimit,
    tokenRateLimit,
  });
  return {
    server,
    store,
    documents,
    ca: certificate.ca,
    members: {
      requests: requestLog.requests,
      faults,
      clock,
      ...members,
    },
  };
}

async function writeCertificate(ca: string, caFile: string | undefined): Promise<void> {
  if (caFile === undefined) return;
  try {
    await writeFileAtomic(caFile, ca);
  } catch (error) {
    throw new Error(
      `The CA certificate cannot be written: ${messageOf(error)}\n` +
        "Choose a file in an existing, writable folder.",
      { cause: error },
    );
  }
}

/** Listens for HTTPS and, if configured, DNS. Leaves no port open if one is unavailable. */
async function listen(
  server: FastifyInstance,
  { port, host, dns }: Settings,
  resolver: (from: Vantage) => Responder,
) {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    await Promise.all(closing.map((close) => close()));
  };
  try {
    closing.push(() => server.close());
    const url = await server.listen({ port, host });
    if (dns === undefined) return { url, dns, close };
    const addressOf = async (dnsPort: number, from: Vantage) => {
      const listener = await startDns(host, dnsPort, resolver(from));
      closing.push(() => listener.close());
      return listener.address;
    };
    const addresses: DnsAddresses = {
      internet: await addressOf(dns.internetPort, "internet"),
      peeredNetwork: await addressOf(0, "peeredNetwork"),
    };
    return { url, dns: addresses, close };
  } catch (error) {
    await close();
    throw error;
  }
}
