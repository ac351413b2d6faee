/** The data of the status page. It contains no credentials except public keys. */
import type { Service } from "../api/operation";
import { connectionStrings } from "../connectionStrings/generate";
import { clustersBefore7 } from "../operations/privateIpMode";
import type { Cluster } from "../store/cluster";
import type { Project } from "../store/project";
import { curlCommand } from "./curlCommand";
import type { Fault, Faults } from "./fault";
import type { RequestLog } from "./requestLog";

/** Maximum number of clusters of a project that the page displays; it only counts the others. */
const maxClusters = 200;
/** Maximum number of clusters that the page names as the reason why private IP mode cannot be disabled. */
const maxOldClusters = 5;
/** Maximum number of requests that the page displays. */
const maxRequests = 50;
/** Maximum number of pending faults that the page displays. */
const maxFaults = 20;

/** What the page displays. */
export interface PageSource {
  /** The service. */
  readonly service: Service;
  /** Received requests. */
  readonly requestLog: RequestLog;
  /** Faults that still apply to future requests. */
  readonly faults: Pick<Faults, "pending">;
}

/**
 * Collects the data of the page.
 *
 * @param source the service, its requests and faults
 * @returns the data, as JSON
 */
export function pageData({ service, requestLog, faults }: PageSource): string {
  const { store, settings, clock, documents } = service;
  return JSON.stringify({
    control: settings.control,
    baseUrl: documents.origin,
    apiPath: settings.apiPath,
    caFile: settings.caFile,
    clockOffsetSeconds: Math.round((clock.now() - Date.now()) / 1000),
    faultCount: faults.pending.length,
    faults: faults.pending.slice(0, maxFaults).map(toFault),
    projects: store.projects().map((project) => toProject(project, service)),
    requests: requestLog.requests
      .slice(-maxRequests)
      .reverse()
      .map(({ at, method, path, status, principal, challenged, faulty }) => ({
        at,
        method,
        path,
        status,
        principal,
        challenged,
        faulty,
      })),
  });
}

function toProject(project: Project, service: Service) {
  const oldClusters = clustersBefore7(project);
  return {
    id: project.id,
    name: project.name,
    organization: project.organization.name,
    privateIpMode: project.privateIpMode.enabled,
    oldClusterCount: oldClusters.length,
    oldClusters: oldClusters
      .slice(0, maxOldClusters)
      .map(({ name, version }) => ({ name, version })),
    curl: curlCommand(service, project),
    clusterCount: project.clusters.length,
    clusters: project.clusters
      .slice(0, maxClusters)
      .map((cluster) => toCluster(cluster, project.label, service)),
  };
}

function toCluster(cluster: Cluster, label: string, { settings }: Service) {
  const { name, type, version, state, provider, regions, peering, privateEndpoints } = cluster;
  return {
    name,
    type,
    version,
    state,
    provider,
    regions,
    peering,
    privateEndpoints: privateEndpoints.map(({ endpointId, region }) => ({ endpointId, region })),
    strings: connectionStrings(cluster, label, settings),
  };
}

/** Returns what a fault matches and does, without the body and headers of its response. */
function toFault({ method, path, times, status, delayMs, reset, truncate }: Fault) {
  return {
    method,
    path: path?.toString(),
    times: times?.toString(),
    status,
    delayMs,
    reset,
    truncate,
  };
}
