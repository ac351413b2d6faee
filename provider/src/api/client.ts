/** The part of the service's administrative API that this provider uses (service document 4.5). */
import type * as z from "./zod";
import { readAnswer } from "./answers";
import { type Credentials, authenticated } from "./authentication";
import { NoAnswerError, ResponseError, errorCodes } from "./errors";
import { escapeText } from "./escapeText";
import { type EntityList, type PageAddress, readList } from "./paging";
import { rateLimiter } from "./rateLimit";
import { type Deadline, type RetryPolicy, defaultRetries, retrying, withDeadline } from "./retry";
import {
  type Cluster,
  type MalformedCluster,
  clusterReader,
  pageOf,
  privateIpMode,
  rootEntity,
} from "./schemas";
import { type ServiceRequest, type TransportSettings, httpsTransport } from "./transport";

export interface ClientSettings extends TransportSettings {
  /** Path of the API below the origin, for example `/api/service/v1.0`. */
  readonly apiPath: string;
  /** Prefix of the two version fields of a cluster, for example `db`. */
  readonly fieldPrefix: string;
  readonly credentials: Credentials;
  /** The service's limit for one project (service document 8). */
  readonly requestsPerMinute: number;
  /** Called for every wait of over two seconds. Default: not called. */
  readonly onWait?: ((message: string) => void) | undefined;
  /** Time limit for one call in seconds, including retries and waits. Default: 600. */
  readonly callTimeoutSeconds?: number | undefined;
  /** Overrides the retry policy. */
  readonly retries?: Partial<RetryPolicy> | undefined;
}

/** The private IP mode of a project, if the service exposes it. */
export type ObservedMode =
  | { readonly kind: "observed"; readonly enabled: boolean }
  /** The service has no GET for the setting and only returns it in response to a change. */
  | { readonly kind: "notShown" };

/** The clusters of a project, as listed by the service. */
export interface ClusterList {
  readonly clusters: readonly Cluster[];
  /** Records that do not match the documented form of a cluster. */
  readonly malformed: readonly MalformedCluster[];
  /** Why the list may be incomplete; undefined for a complete list. */
  readonly incomplete: string | undefined;
}

/** All methods throw an {@link ApiError} that says what to do. */
export interface Client {
  /** Origin and path of the API, for messages. */
  readonly apiRoot: string;
  /** Lists the clusters of a project, reading all pages. The signal cancels it. */
  listClusters(projectId: string, signal?: AbortSignal): Promise<ClusterList>;
  getPrivateIpMode(projectId: string): Promise<ObservedMode>;
  /**
   * Sends one PATCH of the mode and returns the setting that the service confirms. The caller must call
   * {@link takeTurn} first, and decides whether a retry is safe: this method never retries.
   */
  patchPrivateIpMode(
    projectId: string,
    enabled: boolean,
    attempt: number,
    signal?: AbortSignal,
  ): Promise<boolean>;
  /** Waits until the rate limit allows one more request of the project, and counts that request. */
  takeTurn(projectId: string): Promise<void>;
  /** Returns whether the root of the API responds as documented (service document 4.5). */
  answersAtRoot(): Promise<boolean>;
}

/** Creates a client for the service at `baseUrl`. It connects on the first request. */
export function createClient(settings: ClientSettings): Client {
  const onWait = settings.onWait ?? (() => undefined);
  const limit = { requests: settings.requestsPerMinute, windowSeconds: 60, onWait };
  const limiter = rateLimiter(limit);
  const exchange = authenticated(settings.credentials, limiter.within(httpsTransport(settings)));
  const policy = { ...defaultRetries, onWait, ...settings.retries };
  const callTimeout = settings.callTimeoutSeconds ?? 600;

  const send = async <T>(
    request: Call,
    attempt: number,
    signal: AbortSignal,
    schema: z.ZodMiniType<T>,
  ) => {
    const sent: ServiceRequest = { ...request, attempt, signal };
    return readAnswer(sent, await exchange(sent), schema);
  };
  const get = <T>(request: Call, deadline: Deadline, schema: z.ZodMiniType<T>) =>
    retrying(
      policy,
      deadline,
      (attempt) => send(request, attempt, deadline.signal, schema),
      () => true,
    );
  const root: Call = { method: "GET", path: settings.apiPath };
  const callTo = (projectId: string, resource: string): Call => ({
    method: "GET",
    path: `${settings.apiPath}/groups/${encodeURIComponent(projectId)}/${resource}`,
    projectId,
  });
  const clustersPage = pageOf(clusterReader(settings.fieldPrefix));

  return {
    apiRoot: `${settings.baseUrl.origin}${settings.apiPath}`,

    listClusters(projectId, signal) {
      const list = callTo(projectId, "clusters");
      return withDeadline(
        callTimeout,
        list,
        async (deadline) => {
          let path = list.path;
          const readPage = (address: PageAddress) => {
            path =
              address.kind === "link"
                ? linkPath(address.href, path, settings.baseUrl)
                : `${list.path}${pageQuery(address)}`;
            return get({ ...list, path }, deadline, clustersPage);
          };
          return clusterList(await readList(readPage, ({ id, name }) => id ?? name));
        },
        signal,
      );
    },

    getPrivateIpMode(projectId) {
      const setting = callTo(projectId, "privateIpMode");
      return withDeadline(callTimeout, setting, async (deadline) => {
        try {
          const { enabled } = await get(setting, deadline, privateIpMode);
          return { kind: "observed", enabled };
        } catch (error) {
          if (saysNoSuchOperation(error)) return { kind: "notShown" };
          throw error;
        }
      });
    },

    patchPrivateIpMode(projectId, enabled, attempt, outer) {
      const change: Call = {
        ...callTo(projectId, "privateIpMode"),
        method: "PATCH",
        body: { type: "application/json", value: { enabled } },
        hasTurn: true,
      };
      const once = async ({ signal }: Deadline) =>
        (await send(change, attempt, signal, privateIpMode)).enabled;
      return withDeadline(callTimeout, change, once, outer);
    },

    takeTurn: (projectId) => limiter.takeTurn(projectId),

    // All resources of a missing project share the response.
    answersAtRoot: shared(() =>
      withDeadline(callTimeout, root, async (deadline) => {
        try {
          await get(root, deadline, rootEntity);
          return true;
        } catch (error) {
          if (saysNoSuchOperation(error) || isMalformed(error)) return false;
          throw error;
        }
      }),
    ),
  };
}

/** Caches the result of the first call. Failures are not cached. */
function shared(ask: () => Promise<boolean>): () => Promise<boolean> {
  const asked: { answer?: Promise<boolean> } = {};
  return async () => {
    asked.answer ??= ask();
    try {
      return await asked.answer;
    } catch (error) {
      delete asked.answer;
      throw error;
    }
  };
}

function clusterList(list: EntityList<Cluster | MalformedCluster>): ClusterList {
  const { entities } = list;
  return {
    clusters: entities.filter((each) => each.kind === "cluster"),
    malformed: entities.filter((each) => each.kind === "malformed"),
    incomplete: list.kind === "complete" ? undefined : list.reason,
  };
}

/** A request without the number of the attempt. */
type Call = Pick<ServiceRequest, "method" | "path" | "projectId" | "body" | "hasTurn">;

/** The service document has no GET for the setting (4.5), so services may respond with 404 or 405. */
function saysNoSuchOperation(error: unknown): boolean {
  return (
    error instanceof ResponseError &&
    (error.code === errorCodes.notFound || error.code === errorCodes.methodNotAllowed)
  );
}

function isMalformed(error: unknown): boolean {
  return error instanceof NoAnswerError && error.code === errorCodes.malformed;
}

/** The service document does not name the paging parameters; these are common for such services. */
function pageQuery(address: Exclude<PageAddress, { kind: "link" }>): string {
  if (address.kind === "plain") return "";
  const { pageNumber, pageSize } = address;
  return `?pageNum=${pageNumber}&itemsPerPage=${pageSize}&includeCount=true`;
}

/**
 * Returns the path of a `next` link, resolved against the page that contains it. The path is always
 * requested from the configured origin, whatever the link says, so that credentials go nowhere else.
 */
function linkPath(href: string, from: string, baseUrl: URL): string {
  const base = new URL(from, baseUrl);
  if (URL.canParse(href, base.href)) {
    const { pathname, search } = new URL(href, base);
    return `${pathname}${search}`;
  }
  const request = { method: "GET", path: from, attempts: 1 };
  const message = `the next link of the list is not a URL: "${escapeText(href, 100)}"`;
  throw new NoAnswerError(errorCodes.malformed, request, message);
}
