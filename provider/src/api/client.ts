/** The part of the service's administrative API that this provider uses (service document 4.5). */
import type * as z from "../zod";
import { readAnswer } from "./answers";
import { type Credentials, authenticated } from "./authentication";
import { ApiError, ResponseError, errorCodes, isTransient } from "./errors";
import { type PageAddress, itemsPerPage, readAllPages } from "./paging";
import { withinRateLimit } from "./rateLimit";
import { type Deadline, type RetryPolicy, defaultRetries, retrying, withDeadline } from "./retry";
import { type Cluster, clusterSchema, pageOf, privateIpMode } from "./schemas";
import { type ServiceRequest, type TransportSettings, httpsTransport } from "./transport";

export interface ClientSettings extends TransportSettings {
  /** Path of the API below the origin, for example `/api/service/v1.0`. */
  readonly apiPath: string;
  /** Prefix of the two version fields of a cluster, for example `db`. */
  readonly fieldPrefix: string;
  readonly credentials: Credentials;
  /** The service's limit for one project (service document 8). */
  readonly requestsPerMinute: number;
  /** Told of every wait of over two seconds. Default: nobody. */
  readonly onWait?: ((message: string) => void) | undefined;
  /** Limit of one call in seconds, its retries and waits included. Default: 600. */
  readonly callTimeoutSeconds?: number | undefined;
  /** How failures are met; for tests. */
  readonly retries?: Partial<RetryPolicy> | undefined;
}

/** The private IP mode of a project, where the service tells it. */
export type ObservedMode =
  | { readonly kind: "observed"; readonly enabled: boolean }
  /** The service has no GET for the setting: it shows only in the answer to a change. */
  | { readonly kind: "notShown" };

/** All methods throw an {@link ApiError} that says what to do. */
export interface Client {
  /** Every cluster of the project, through all pages. */
  listClusters(projectId: string): Promise<Cluster[]>;
  getPrivateIpMode(projectId: string): Promise<ObservedMode>;
  /**
   * Sets the mode; gives the setting that the service confirms. `beforeSend` is called each time just
   * before the change is sent, also after waits: where it throws, the change is not sent.
   */
  setPrivateIpMode(
    projectId: string,
    enabled: boolean,
    beforeSend?: () => Promise<void>,
  ): Promise<boolean>;
}

/** A client of the service at `baseUrl`. It opens connections when they are first needed. */
export function createClient(settings: ClientSettings): Client {
  const onWait = settings.onWait ?? (() => undefined);
  const limit = { requests: settings.requestsPerMinute, windowSeconds: 60, onWait };
  const transport = withinRateLimit(limit, httpsTransport(settings));
  const exchange = authenticated(settings.credentials, transport);
  const policy = { ...defaultRetries, onWait, ...settings.retries };
  const clustersPage = pageOf(clusterSchema(settings.fieldPrefix));

  const call = <T>(request: Call, work: (deadline: Deadline) => Promise<T>) =>
    withDeadline(settings.callTimeoutSeconds ?? 600, request, work);

  const send = async <T>(
    request: Call,
    deadline: Deadline,
    attempt: number,
    schema: z.ZodMiniType<T>,
  ) => {
    const sent: ServiceRequest = { ...request, attempt, signal: deadline.signal };
    return readAnswer(sent, await exchange(sent), schema);
  };

  const get = <T>(request: Call, deadline: Deadline, schema: z.ZodMiniType<T>) =>
    retrying(
      policy,
      deadline,
      (attempt) => send(request, deadline, attempt, schema),
      () => true,
    );

  const observe = async (request: Call, deadline: Deadline): Promise<ObservedMode> => {
    try {
      const { enabled } = await get({ ...request, method: "GET" }, deadline, privateIpMode);
      return { kind: "observed", enabled };
    } catch (error) {
      if (saysNoSuchOperation(error)) return { kind: "notShown" };
      throw error;
    }
  };

  const callTo = (projectId: string, resource: string): Call => ({
    method: "GET",
    path: `${settings.apiPath}/groups/${encodeURIComponent(projectId)}/${resource}`,
    projectId,
  });

  return {
    listClusters(projectId) {
      const list = callTo(projectId, "clusters");
      return call(list, (deadline) => {
        const readPage = (address: PageAddress) => {
          const path = pagePath(list.path, address, settings.baseUrl);
          return get({ ...list, path }, deadline, clustersPage);
        };
        return readAllPages(list.path, readPage, ({ id, name }) => id ?? name);
      });
    },

    getPrivateIpMode(projectId) {
      const setting = callTo(projectId, "privateIpMode");
      return call(setting, (deadline) => observe(setting, deadline));
    },

    setPrivateIpMode(projectId, enabled, beforeSend) {
      const setting = callTo(projectId, "privateIpMode");
      const body = { type: "application/json", value: { enabled } } as const;
      const change: Call = { ...setting, method: "PATCH", body, beforeSend };
      return call(change, async (deadline) => {
        // A lost answer does not tell whether the change was made: look before another try.
        let seen: "asAsked" | "toDo" | "notSeen" | undefined;
        const look = async () => (seen ??= await see());
        const see = async () => {
          try {
            const mode = await observe(setting, deadline);
            if (mode.kind === "notShown") return "notSeen";
            return mode.enabled === enabled ? "asAsked" : "toDo";
          } catch {
            return "notSeen";
          }
        };
        const patch = async (attempt: number) => {
          seen = undefined;
          return (await send(change, deadline, attempt, privateIpMode)).enabled;
        };
        try {
          return await retrying(policy, deadline, patch, async () => (await look()) === "toDo");
        } catch (error) {
          if (!isTransient(error)) throw error;
          const outcome = await look();
          if (outcome === "asAsked") return enabled;
          throw outcome === "notSeen" ? outcomeUnknown(error) : error;
        }
      });
    },
  };
}

function outcomeUnknown(error: ApiError): ApiError {
  const message = `the change was sent, and whether it was made is not known. Run the update again. (${error.message})`;
  return new ApiError(error.code, error, message, { cause: error });
}

/** A request before it is sent: without the number of the try. */
type Call = Pick<ServiceRequest, "method" | "path" | "projectId" | "body" | "beforeSend">;

/** The document shows no GET of the setting (4.5), so a service may answer 404 or 405 to it. */
function saysNoSuchOperation(error: unknown): boolean {
  return (
    error instanceof ResponseError &&
    (error.code === errorCodes.notFound || error.code === errorCodes.methodNotAllowed)
  );
}

/** A link that leads elsewhere is read at the configured origin: credentials go nowhere else. */
function pagePath(path: string, address: PageAddress, baseUrl: URL): string {
  if (address.kind === "number") {
    return `${path}?pageNum=${address.pageNumber}&itemsPerPage=${itemsPerPage}`;
  }
  const { pathname, search } = new URL(address.href, baseUrl);
  return `${pathname}${search}`;
}
