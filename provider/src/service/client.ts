/** The part of the service's administrative API that this provider uses (service document 4.5). */
import { isDeepStrictEqual } from "node:util";
import type * as z from "../messages/zod";
import { type Credentials, withAuthentication } from "./authentication";
import { ApiError, isMissingOrNotAllowed } from "./errors";
import type { Exchange, ServiceRequest } from "./exchange";
import { type EntityList, type Identity, type ReadOptions, pagePath, readList } from "./paging";
import { RateLimiter } from "./rateLimit";
import { readResponse } from "./responses";
import { type Deadline, type RetryPolicy, defaultRetryPolicy, retry, withDeadline } from "./retry";
import {
  type Cluster,
  type ClusterRecord,
  type ListPage,
  clusterReader,
  pageOf,
  privateIpMode,
  projectReader,
  rootEntity,
} from "./schemas";
import { type TransportSettings, httpsTransport } from "./transport";

export interface ClientSettings extends TransportSettings {
  /** Path of the API below the origin, for example `/api/service/v1.0`. */
  readonly apiPath: string;
  /** Prefix of the two version fields of a cluster, for example `db`. */
  readonly fieldPrefix: string;
  /** The last parts of the paths that list clusters. Clusters that move between lists move to an earlier one. */
  readonly clusterPaths: readonly string[];
  readonly credentials: Credentials;
  /** Maximum requests per minute for each project (service document 8). */
  readonly requestsPerMinute: number;
  /** How failed requests are retried. Default: `defaultRetryPolicy` */
  readonly retryPolicy?: RetryPolicy | undefined;
}

/** The clusters of a project, as listed by the service (service document 2.2 and 4.3). */
export interface ClusterList {
  /** All records of all paths, for the guard. A record that two paths list unchanged is one record. */
  readonly records: readonly ClusterRecord[];
  /** The clusters that a lookup can find. One that two paths list with the same strings is one cluster. */
  readonly clusters: readonly Cluster[];
  /** The paths that were read, in the order of the settings. */
  readonly paths: readonly string[];
  /** Why the list may be incomplete; undefined for a complete list. */
  readonly incomplete: string | undefined;
}

/** A request without its attempt number. */
type Call = Omit<ServiceRequest, "attempt" | "signal">;

/**
 * A client of the service, which connects on the first request. All methods that send requests throw an
 * `ApiError` whose message says what to do and whose `code` identifies the failure.
 */
export class Client {
  /** Origin and path of the API, for messages. */
  readonly apiRoot: string;
  /** Revokes the access token of this client, if it requested one; see `AuthenticatedExchange`. */
  readonly close: () => Promise<void>;
  readonly #settings: ClientSettings;
  readonly #retryPolicy: RetryPolicy;
  readonly #limiter: RateLimiter;
  readonly #exchange: Exchange;
  readonly #clustersPage: z.ZodMiniType<ListPage<ClusterRecord>>;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
    this.apiRoot = `${settings.baseUrl.origin}${settings.apiPath}`;
    this.#retryPolicy = settings.retryPolicy ?? defaultRetryPolicy;
    const { onWait } = this.#retryPolicy;
    const requests = settings.requestsPerMinute;
    this.#limiter = new RateLimiter({ requests, windowSeconds: 60, onWait });
    const limited = this.#limiter.within(httpsTransport(settings));
    const { exchange, close } = withAuthentication(settings.credentials, limited);
    this.#exchange = exchange;
    this.close = close;
    this.#clustersPage = pageOf(clusterReader(settings.fieldPrefix));
  }

  /** Lists the clusters of a project, reading all pages of each path. */
  async listClusters(
    projectId: string,
    options: ReadOptions = {},
    paths: readonly string[] = this.#settings.clusterPaths,
  ): Promise<ClusterList> {
    const lists: PathList[] = [];
    // The first path last: a cluster that moves to it in the meantime is in one of the lists.
    for (const path of paths.toReversed()) {
      const call = this.#getCall(projectId, path);
      lists.unshift({ path, ...(await this.#list(call, this.#clustersPage, options)) });
    }
    return mergeLists(lists);
  }

  /** Lists the IDs of the projects, reading all pages; undefined for a record without one. */
  async listProjects() {
    const call: Call = { method: "GET", path: `${this.#settings.apiPath}/groups` };
    return await this.#list(call, pageOf(projectReader));
  }

  /** Returns the mode (service document 2.3); undefined if the service only returns it in response to a change. */
  async getPrivateIpMode(projectId: string): Promise<boolean | undefined> {
    const call = this.#getCall(projectId, "privateIpMode");
    return await this.#withTimeout(call, async (deadline) => {
      try {
        return (await this.#get(call, deadline, privateIpMode)).enabled;
      } catch (error) {
        if (isMissingOrNotAllowed(error)) return undefined;
        throw error;
      }
    });
  }

  /**
   * Sends one PATCH of the mode and returns the setting that the service confirms. The caller must call
   * {@link waitForRateLimit} first, and decides whether a retry is safe: this method never retries. After a 401, the
   * next request uses a new challenge or token.
   */
  async patchPrivateIpMode(
    projectId: string,
    enabled: boolean,
    attempt: number,
    signal?: AbortSignal,
  ): Promise<boolean> {
    const { path } = this.#getCall(projectId, "privateIpMode");
    const body = { type: "application/json", value: { enabled } } as const;
    // A cancellation does not interrupt a change: its outcome would be unknown.
    const call: Call = { method: "PATCH", path, body };
    return (await this.#send(call, attempt, { signal }, privateIpMode)).enabled;
  }

  /** Waits until the rate limit allows one more request of the project, and counts that request. */
  async waitForRateLimit(projectId: string, signal?: AbortSignal): Promise<void> {
    await this.#limiter.waitForRateLimit(projectId, signal);
  }

  /** Returns whether the root of the API responds as documented (service document 4.5). */
  async isApiRootValid(): Promise<boolean> {
    const call: Call = { method: "GET", path: this.#settings.apiPath };
    try {
      await this.#withTimeout(call, (deadline) => this.#get(call, deadline, rootEntity));
      return true;
    } catch (error) {
      if (error instanceof ApiError) return false;
      throw error;
    }
  }

  /** Requests the first page of the project's clusters. Rejects with a 404 if the project does not exist. */
  async requireProject(projectId: string): Promise<void> {
    const [path = "clusters"] = this.#settings.clusterPaths;
    const call = this.#getCall(projectId, path);
    const page: Call = { ...call, path: pagePath(call.path, 1) };
    await this.#withTimeout(page, (deadline) => this.#get(page, deadline, this.#clustersPage));
  }

  #getCall(projectId: string, resource: string): Call {
    const path = `${this.#settings.apiPath}/groups/${encodeURIComponent(projectId)}/${resource}`;
    return { method: "GET", path, projectId };
  }

  async #list<T extends Identity>(
    call: Call,
    schema: z.ZodMiniType<ListPage<T>>,
    { verifyEnd }: ReadOptions = {},
  ): Promise<EntityList<T>> {
    const readAll = (deadline: Deadline) =>
      readList(
        (pageNumber) =>
          this.#get({ ...call, path: pagePath(call.path, pageNumber) }, deadline, schema),
        { verifyEnd },
      );
    return await this.#withTimeout(call, readAll);
  }

  async #withTimeout<T>(call: Call, work: (deadline: Deadline) => Promise<T>): Promise<T> {
    const { callTimeoutSeconds, cancelled } = this.#retryPolicy;
    return await withDeadline(callTimeoutSeconds, call, work, { cancelled });
  }

  /** Sends a request that may always be retried. */
  async #get<T>(call: Call, deadline: Deadline, schema: z.ZodMiniType<T>): Promise<T> {
    const send = (attempt: number) => this.#send(call, attempt, deadline, schema);
    return await retry(this.#retryPolicy, deadline, send);
  }

  async #send<T>(
    call: Call,
    attempt: number,
    { signal }: Pick<ServiceRequest, "signal">,
    schema: z.ZodMiniType<T>,
  ): Promise<T> {
    const request: ServiceRequest = { ...call, attempt, signal };
    const response = await this.#exchange(request);
    return readResponse(request, response, schema);
  }
}

interface PathList extends EntityList<ClusterRecord> {
  readonly path: string;
}

/** Merges the lists of all paths. */
function mergeLists(lists: readonly PathList[]): ClusterList {
  const records = unique(
    lists.flatMap(({ entities }) => entities),
    (one, other) => isDeepStrictEqual(one, other),
  );
  const clusters = unique(
    records.filter(isNamed),
    (one, other) =>
      one.name === other.name && isDeepStrictEqual(one.connectionStrings, other.connectionStrings),
  );
  const gaps = lists.flatMap(({ path, incomplete }) => {
    if (incomplete === undefined) return [];
    return lists.length === 1 ? [incomplete] : [`${path}: ${incomplete}`];
  });
  return {
    records,
    clusters,
    incomplete: gaps.length === 0 ? undefined : gaps.join("; "),
    paths: lists.map(({ path }) => path),
  };
}

function isNamed(record: ClusterRecord): record is Cluster {
  return record.name !== undefined;
}

/** Leaves out each record that has the ID of an earlier one and is the same. */
function unique<T extends Identity>(
  records: readonly T[],
  isSame: (one: T, other: T) => boolean,
): T[] {
  const byId = new Map<string, readonly T[]>();
  return records.filter((record) => {
    const { id } = record;
    if (id === undefined) return true;
    const earlier = byId.get(id) ?? [];
    if (earlier.some((each) => isSame(each, record))) return false;
    byId.set(id, [...earlier, record]);
    return true;
  });
}
