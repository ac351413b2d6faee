/** The part of the service's administrative API that this provider uses (service document 4.5). */
import { isDeepStrictEqual } from "node:util";
import type * as z from "../messages/zod";
import { type Credentials, withAuthentication } from "./authentication";
import { endOfLifeWarning } from "./endOfLife";
import { NoResponseError, isMissingOrNotAllowed, isMissingPath } from "./errors";
import type { ClusterPath, Exchange, ServiceRequest } from "./exchange";
import { type EntityList, type Identity, pagePath, readList } from "./paging";
import { RateLimiter } from "./rateLimit";
import { readResponse } from "./responses";
import {
  type Deadline,
  type RetryPolicy,
  defaultRetryPolicy,
  retry,
  unlessCancelled,
  withDeadline,
} from "./retry";
import {
  type Cluster,
  type ListPage,
  type MalformedCluster,
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
  /** The paths that list clusters. Clusters that move between lists move to an earlier one. */
  readonly clusterPaths: readonly ClusterPath[];
  readonly credentials: Credentials;
  /** Maximum requests per minute for each project (service document 8). */
  readonly requestsPerMinute: number;
  /** How failed requests are retried. Default: `defaultRetryPolicy` */
  readonly retryPolicy?: RetryPolicy | undefined;
  /** Receives a warning if the service announces the end of the API version. Default: none */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** The private IP mode of a project, if the service has a GET for it (service document 2.3). */
type ObservedMode =
  | { readonly kind: "observed"; readonly enabled: boolean }
  /** The service has no GET for the setting and only returns it in response to a change. */
  | { readonly kind: "unsupported" };

/** The clusters of a project, as listed by the service (service document 2.2 and 4.3). */
export interface ClusterList {
  readonly clusters: readonly Cluster[];
  /** Records that do not match the documented form of a cluster. */
  readonly malformed: readonly MalformedCluster[];
  /**
   * Records that differ from those in the list: of earlier responses, because it changed while it was being
   * read, or of the same cluster at another path. Only the guard uses them.
   */
  readonly superseded: readonly (Cluster | MalformedCluster)[];
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
  readonly #clustersPage: z.ZodMiniType<ListPage<Cluster | MalformedCluster>>;
  /** The check of the API's root, shared by all callers. Undefined before the first one. */
  #rootCheck: Promise<boolean> | undefined;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
    this.apiRoot = `${settings.baseUrl.origin}${settings.apiPath}`;
    this.#retryPolicy = settings.retryPolicy ?? defaultRetryPolicy;
    const { onWait, cancelled } = this.#retryPolicy;
    const requests = settings.requestsPerMinute;
    this.#limiter = new RateLimiter({ requests, windowSeconds: 60, onWait });
    const transport = httpsTransport(settings);
    const { exchange, close } = withAuthentication(
      settings.credentials,
      this.#limiter.within(unlessCancelled(transport, cancelled)),
      transport,
    );
    this.#exchange = exchange;
    this.close = close;
    this.#clustersPage = pageOf(clusterReader(settings.fieldPrefix));
  }

  /** Lists the clusters of a project, reading all pages. The signal aborts the call. */
  async listClusters(projectId: string, signal?: AbortSignal): Promise<ClusterList> {
    const lists: PathList[] = [];
    // The first path last: a cluster that moves to it in the meantime is in one of the lists.
    for (const { name: path, isOptional } of this.#settings.clusterPaths.toReversed()) {
      const call = this.#getCall(projectId, path);
      const list = await this.#list(call, this.#clustersPage, signal).catch((error: unknown) => {
        if (!isOptional || !isMissingPath(error)) throw error;
        return { entities: [], superseded: [], incomplete: undefined };
      });
      lists.unshift({ path, ...list });
    }
    return mergeLists(lists);
  }

  /** Lists the IDs of the projects, reading all pages; undefined for a malformed record. */
  async listProjects() {
    const call: Call = { method: "GET", path: `${this.#settings.apiPath}/groups` };
    return await this.#list(call, pageOf(projectReader));
  }

  /**
   * Returns whether the service's list of projects contains a project; undefined if the list may be
   * incomplete or is empty.
   */
  async isProjectListed(projectId: string): Promise<boolean | undefined> {
    const { entities, superseded, incomplete } = await this.listProjects();
    if ([...entities, ...superseded].some(({ id }) => id === projectId)) return true;
    const isConclusive = incomplete === undefined && entities.every(({ id }) => id !== undefined);
    return isConclusive && entities.length > 0 ? false : undefined;
  }

  async getPrivateIpMode(projectId: string): Promise<ObservedMode> {
    const call = this.#getCall(projectId, "privateIpMode");
    return await this.#withTimeout(call, async (deadline) => {
      try {
        const { enabled } = await this.#get(call, deadline, privateIpMode);
        return { kind: "observed", enabled };
      } catch (error) {
        if (isMissingOrNotAllowed(error)) return { kind: "unsupported" };
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

  /**
   * Returns whether the root of the API responds as documented (service document 4.5). The result is cached,
   * but a failure of the check is not.
   */
  async isApiRootValid(): Promise<boolean> {
    this.#rootCheck ??= this.#checkApiRoot().catch((error: unknown) => {
      this.#rootCheck = undefined;
      throw error;
    });
    return await this.#rootCheck;
  }

  async #checkApiRoot(): Promise<boolean> {
    const call: Call = { method: "GET", path: this.#settings.apiPath };
    return await this.#withTimeout(call, async (deadline) => {
      try {
        await this.#get(call, deadline, rootEntity);
        return true;
      } catch (error) {
        const isMalformed = error instanceof NoResponseError && error.code === "malformed-response";
        if (isMissingOrNotAllowed(error) || isMalformed) return false;
        throw error;
      }
    });
  }

  #getCall(projectId: string, resource: string): Call {
    // encodeURIComponent throws for a lone surrogate, which a buffer replaces.
    const id = encodeURIComponent(Buffer.from(projectId).toString());
    const path = `${this.#settings.apiPath}/groups/${id}/${resource}`;
    return { method: "GET", path, projectId };
  }

  async #list<T extends Identity>(
    call: Call,
    schema: z.ZodMiniType<ListPage<T>>,
    signal?: AbortSignal,
  ): Promise<EntityList<T>> {
    const { origin } = this.#settings.baseUrl;
    const readAll = (deadline: Deadline) =>
      readList((address) =>
        this.#get({ ...call, path: pagePath(address, origin, call.path) }, deadline, schema),
      );
    return await this.#withTimeout(call, readAll, signal);
  }

  async #withTimeout<T>(
    call: Call,
    work: (deadline: Deadline) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const { callTimeoutSeconds, cancelled } = this.#retryPolicy;
    return await withDeadline(callTimeoutSeconds, call, work, { signal, cancelled });
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
    const warning = endOfLifeWarning(this.apiRoot, request, response);
    if (warning !== undefined) this.#settings.onWarning?.(warning);
    return readResponse(request, response, schema);
  }
}

interface PathList extends EntityList<Cluster | MalformedCluster> {
  readonly path: string;
}

/**
 * Merges the lists of all paths. A cluster that two paths list with the same strings is one cluster; the
 * guard checks both records if they differ otherwise.
 */
function mergeLists(lists: readonly PathList[]): ClusterList {
  const entities: (Cluster | MalformedCluster)[] = [];
  const byId = new Map<string, readonly Cluster[]>();
  const superseded = lists.flatMap((list) => list.superseded);
  for (const record of lists.flatMap((list) => list.entities)) {
    if (record.kind === "malformed" || record.id === undefined) {
      entities.push(record);
      continue;
    }
    const sameId = byId.get(record.id) ?? [];
    const known = sameId.find(
      ({ name, connectionStrings }) =>
        name === record.name && isDeepStrictEqual(connectionStrings, record.connectionStrings),
    );
    if (known === undefined) {
      entities.push(record);
      byId.set(record.id, [...sameId, record]);
    } else if (!isDeepStrictEqual(known, record)) superseded.push(record);
  }
  const gaps = lists.flatMap(({ path, incomplete }) => {
    if (incomplete === undefined) return [];
    return lists.length === 1 ? [incomplete] : [`${path}: ${incomplete}`];
  });
  return {
    clusters: entities.filter((each) => each.kind === "cluster"),
    malformed: entities.filter((each) => each.kind === "malformed"),
    superseded,
    incomplete: gaps.length === 0 ? undefined : gaps.join("; "),
    paths: lists.map(({ path }) => path),
  };
}
