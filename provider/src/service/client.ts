/**
 * The part of the service's API that this provider uses (service document 4.5), and what proves that a project is gone.
 * Joins the lists of clusters at several paths into one (clusterLists.ts).
 */
import type * as z from "zod/mini";
import { type Credentials, withAuthentication } from "./authentication";
import { ApiError, ResponseError, isMissingOrNotAllowed } from "./requestErrors";
import type { Exchange, ServiceRequest } from "./exchange";
import { missingPath, hasProjectNotFoundCode } from "./failedResponses";
import {
  type ClusterReader,
  type ListedClusters,
  type PathReading,
  type ReadOptions,
  type VerifiedClusters,
  mergeReadings,
} from "./clusterLists";
import {
  type End,
  type Identity,
  type ListNames,
  type ListPage,
  type Reading,
  pageRequest,
  readList,
} from "./paging";
import type { DisablePermission } from "./disablePermission";
import { readResponse } from "./responses";
import { type Deadline, type RetryPolicy, defaultRetryPolicy, retry, withDeadline } from "./retry";
import {
  type ClusterRecord,
  clusterReader,
  pageOf,
  privateIpMode,
  projectReader,
  rootEntity,
} from "./schemas";
import { type TransportSettings, httpsTransport } from "./transport";
import { escapeText } from "../messages/text";
import { ProviderError } from "../messages/errors";

/** The settings of a client, validated and with their defaults. */
export interface ClientSettings extends TransportSettings, ListNames {
  /** Path of the API below the origin, for example `/api/service/v1.0`. */
  readonly apiPath: string;
  /** Prefix of the two version fields of a cluster, for example `db`. */
  readonly fieldPrefix: string;
  /**
   * The last parts of the paths that list clusters. Clusters that move between lists move to an earlier one. The guard
   * sees only the clusters in these lists.
   */
  readonly clusterPaths: readonly string[];
  readonly mediaType: string;
  readonly contentType: string;
  readonly credentials: Credentials;
  readonly retryPolicy?: RetryPolicy | undefined;
}

/** How a change is sent. `onSend` is called when the change is about to be written. */
export type ChangeOptions = Pick<ServiceRequest, "attempt" | "signal" | "onSend">;

/** A request without what the client adds to each of them. */
type Call = Omit<ServiceRequest, "accept" | "credentials" | "attempt" | "signal">;

/**
 * A client of the service, which connects on the first request. If the service fails or refuses, each method that sends
 * requests throws an `ApiError`, whose message says what to do.
 */
export class Client implements ClusterReader {
  /** Origin and path of the API, for messages. */
  readonly apiRoot: string;
  /** Revokes the access token of this client if it requested one; see `AuthenticatedExchange`. */
  readonly close: () => Promise<void>;
  readonly #settings: ClientSettings;
  readonly #retryPolicy: RetryPolicy;
  readonly #exchange: Exchange;
  readonly #clustersPage: z.ZodMiniType<ListPage<ClusterRecord>>;

  constructor(settings: ClientSettings) {
    this.#settings = settings;
    this.apiRoot = `${settings.baseUrl.origin}${settings.apiPath}`;
    this.#retryPolicy = settings.retryPolicy ?? defaultRetryPolicy;
    const transport = httpsTransport(settings);
    const { exchange, close } = withAuthentication(settings.credentials, transport);
    this.#exchange = exchange;
    this.close = close;
    this.#clustersPage = pageOf(clusterReader(settings.fieldPrefix), settings.countField);
  }

  /** Lists the clusters of a project, each list up to its count. */
  async listClusters(
    projectId: string,
    {
      paths = this.#settings.clusterPaths,
      onSend,
    }: ReadOptions & { readonly paths?: readonly string[] } = {},
  ): Promise<ListedClusters> {
    return mergeReadings(await this.#readPaths(projectId, paths, "count", onSend), "count");
  }

  /** Lists the clusters of a project, each list from its first record until a page is empty. */
  async verifyClusters(projectId: string, { onSend }: ReadOptions = {}): Promise<VerifiedClusters> {
    const paths = this.#settings.clusterPaths;
    const readings = await this.#readPaths(projectId, paths, "emptyPage", onSend);
    return mergeReadings(readings, "emptyPage");
  }

  /** Lists the IDs of the projects; undefined for a record without one. */
  async listProjects(): Promise<Reading<ReturnType<typeof projectReader>>> {
    const call: Call = { method: "GET", path: `${this.#settings.apiPath}/groups` };
    const schema = pageOf(projectReader, this.#settings.countField);
    return await this.#readAllPages(call, schema, "count");
  }

  /** Returns the mode (service document 2.3); undefined if the service has no GET for it, or no such project. */
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

  /** Sends one PATCH that enables the mode, and returns the setting that the service confirms. Never retries. */
  async enablePrivateIpMode(projectId: string, options: ChangeOptions): Promise<boolean> {
    return await this.#patchPrivateIpMode(projectId, true, options);
  }

  /**
   * Sends one PATCH that disables the mode, and returns the setting that the service confirms. Never retries. Asks whether
   * the permission is still valid when the PATCH is about to be written, which is after every wait.
   */
  async disablePrivateIpMode(
    permission: DisablePermission,
    { onSend, ...options }: ChangeOptions,
  ): Promise<boolean> {
    permission.use();
    return await this.#patchPrivateIpMode(permission.projectId, false, {
      ...options,
      onSend: () => {
        permission.requireRecent(options.attempt);
        onSend?.();
      },
    });
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

  /**
   * Requests the first page of the project's clusters. Throws a `ResponseError` with 404 if the project does not exist.
   */
  async requireProject(projectId: string): Promise<void> {
    const [path = "clusters"] = this.#settings.clusterPaths;
    const call = this.#getCall(projectId, path);
    const page: Call = pageRequest(call, 1, this.#settings);
    await this.#withTimeout(page, (deadline) => this.#get(page, deadline, this.#clustersPage));
  }

  #getCall(projectId: string, resource: string): Call {
    const path = `${this.#settings.apiPath}/groups/${encodeURIComponent(projectId)}/${resource}`;
    return { method: "GET", path };
  }

  async #readPaths(
    projectId: string,
    paths: readonly string[],
    end: End,
    onSend: ReadOptions["onSend"],
  ): Promise<PathReading[]> {
    const readings: PathReading[] = [];
    // Clusters move to earlier paths, so read in reverse: one that moves meanwhile is seen at least once.
    for (const path of paths.toReversed()) {
      const isFirst = path === paths[0];
      const origins = isFirst ? {} : { [path]: "clusterPaths" };
      const call: Call = { ...this.#getCall(projectId, path), origins };
      // Only the first request counts, because the paths that are read after it have newer records.
      const onFirstPage = readings.length === 0 ? onSend : undefined;
      try {
        const reading = await this.#readAllPages(call, this.#clustersPage, end, onFirstPage);
        readings.unshift({ path, ...reading });
      } catch (error) {
        const isMissing = error instanceof ResponseError && missingPath.includes(error.status);
        // The error blames a later path. If the first path is missing, too, the project or the address is wrong
        // instead.
        if (isMissing && !isFirst) await this.requireProject(projectId);
        throw error;
      }
    }
    return readings;
  }

  async #readAllPages<T extends Identity>(
    call: Call,
    schema: z.ZodMiniType<ListPage<T>>,
    end: End,
    onFirstPage?: ReadOptions["onSend"],
  ): Promise<Reading<T>> {
    const names = this.#settings;
    return await this.#withTimeout(call, (deadline) => {
      const readPage = (page: number | undefined) => {
        const onSend = page === 1 ? onFirstPage : undefined;
        return this.#get({ ...pageRequest(call, page, names), onSend }, deadline, schema);
      };
      return readList(readPage, names, end);
    });
  }

  /**
   * Sends one PATCH. After a 401, the next request uses a new challenge or token, but only the caller can repeat the
   * change, because it must read and guard again (docs/internals/decisions.md#0009-attempts-instead-of-retries).
   */
  async #patchPrivateIpMode(
    projectId: string,
    enabled: boolean,
    { attempt, signal, onSend }: ChangeOptions,
  ): Promise<boolean> {
    const { path } = this.#getCall(projectId, "privateIpMode");
    const body = { type: this.#settings.contentType, text: JSON.stringify({ enabled }) };
    const call: Call = { method: "PATCH", path, body, onSend };
    return (await this.#send(call, attempt, { signal }, privateIpMode)).enabled;
  }

  async #withTimeout<T>(call: Call, work: (deadline: Deadline) => Promise<T>): Promise<T> {
    const { callTimeoutSeconds, cancelled } = this.#retryPolicy;
    return await withDeadline(callTimeoutSeconds, call, work, cancelled);
  }

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
    const { mediaType: accept, credentials } = this.#settings;
    const request: ServiceRequest = {
      ...call,
      accept,
      credentials: credentials.kind,
      attempt,
      signal,
    };
    const response = await this.#exchange(request);
    return readResponse(request, response, schema);
  }
}

/**
 * Returns whether a failed request proves that a project was deleted, for which it may ask the service for the root of
 * its API. Throws if a 404 does not prove it.
 */
export async function confirmProjectDeletion(
  client: Pick<Client, "apiRoot" | "isApiRootValid">,
  projectId: string,
  error: unknown,
): Promise<boolean> {
  // The response to a request for a token, which is a POST, says nothing about the project.
  if (!(error instanceof ResponseError) || error.method !== "GET") return false;
  if (error.code !== "not-found") return false;
  if (hasProjectNotFoundCode(error)) return true;
  const { errorCode, path } = error;
  // The path of any other resource may be missing although the project exists.
  const isAboutClusters = path.endsWith(`/groups/${projectId}/clusters`);
  if (isAboutClusters && errorCode === "RESOURCE_NOT_FOUND" && (await client.isApiRootValid())) {
    return true;
  }
  throw new ProviderError(
    `project ${escapeText(projectId)} was not found at ${escapeText(client.apiRoot)}. The state is unchanged, because a wrong clouddb:baseUrl or clouddb:apiPath looks the same. If the project was deleted, remove its resources:\n  pulumi state delete <URN>`,
    { code: "deletion-unproven", cause: error },
  );
}
