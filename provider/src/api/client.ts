/** The part of the service's administrative API that this provider uses (service document 4.5). */
import { readAnswer } from "./answers";
import { type Credentials, authenticated } from "./authentication";
import { ResponseError, errorCodes } from "./errors";
import { type PageAddress, itemsPerPage, readAllPages } from "./paging";
import { type Cluster, clusterSchema, pageOf, privateIpMode } from "./schemas";
import { type ServiceRequest, type TransportSettings, httpsTransport } from "./transport";

export interface ClientSettings extends TransportSettings {
  /** Path of the API below the origin, for example `/api/service/v1.0`. */
  readonly apiPath: string;
  /** Prefix of the two version fields of a cluster, for example `db`. */
  readonly fieldPrefix: string;
  readonly credentials: Credentials;
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
  /** Sets the mode; gives the setting that the service confirms. */
  setPrivateIpMode(projectId: string, enabled: boolean): Promise<boolean>;
}

export function createClient(settings: ClientSettings): Client {
  const exchange = authenticated(settings.credentials, httpsTransport(settings));
  const clustersPage = pageOf(clusterSchema(settings.fieldPrefix));

  const projectPath = (projectId: string, resource: string) =>
    `${settings.apiPath}/groups/${encodeURIComponent(projectId)}/${resource}`;
  const get = (path: string): ServiceRequest => ({ method: "GET", path, attempt: 1 });

  return {
    async listClusters(projectId) {
      const path = projectPath(projectId, "clusters");
      const readPage = async (address: PageAddress) => {
        const request = get(pagePath(path, address, settings.baseUrl));
        return readAnswer(request, await exchange(request), clustersPage);
      };
      return await readAllPages(readPage, ({ id, name }) => id ?? name);
    },

    async getPrivateIpMode(projectId) {
      const request = get(projectPath(projectId, "privateIpMode"));
      try {
        const { enabled } = readAnswer(request, await exchange(request), privateIpMode);
        return { kind: "observed", enabled };
      } catch (error) {
        if (saysNoSuchOperation(error)) return { kind: "notShown" };
        throw error;
      }
    },

    async setPrivateIpMode(projectId, enabled) {
      const path = projectPath(projectId, "privateIpMode");
      const request: ServiceRequest = { method: "PATCH", path, body: { enabled }, attempt: 1 };
      return readAnswer(request, await exchange(request), privateIpMode).enabled;
    },
  };
}

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
