/** Renders the entities of the API as JSON with their links (service document 2). */
import { connectionStrings, replicaSetNames } from "../connectionStrings/generate";
import type { Settings } from "../options";
import { type Cluster, majorVersion } from "../store/cluster";
import type { Project } from "../store/store";

/** A link relation. */
export interface Link {
  /** Name of the relation. */
  readonly rel: string;
  /** Target URL. */
  readonly href: string;
}

/** Renders entities as JSON text. Entities in lists have only the `self` link. */
export interface Documents {
  /** Renders the root. */
  root(): string;
  /** Renders a project. */
  project(project: Project): string;
  /** Renders a project in a list. */
  projectElement(project: Project): string;
  /** Renders a cluster. */
  cluster(project: Project, cluster: Cluster): string;
  /** Renders a cluster in a list. */
  clusterElement(project: Project, cluster: Cluster): string;
  /** Renders private IP mode of a project. */
  privateIpMode(project: Project): string;
}

/** Prefix of extension relation types. */
export const relationPrefix = "https://clouddb.example/rel/";

/**
 * Creates the renderer of entities.
 *
 * @param origin returns the base URL; the port is known only after the server listens
 * @param settings the API path, the field prefix, and the scheme and domain of connection strings
 * @returns the renderer
 */
export function createDocuments(origin: () => string, settings: Settings): Documents {
  const base = () => `${origin()}${settings.apiPath}`;
  // Clusters are immutable, so their JSON is cached. This makes large lists fast.
  const clusterElements = new WeakMap<Cluster, string>();

  const projectUrl = ({ id }: Project) => `${base()}/groups/${id}`;
  const clusterUrl = (project: Project, { name }: Cluster) =>
    `${projectUrl(project)}/clusters/${name}`;

  function projectFields(project: Project, links: Link[]) {
    return {
      id: project.id,
      name: project.name,
      orgId: project.organization.id,
      created: project.createdAt,
      clusterCount: project.clusters.length,
      links,
    };
  }

  function clusterFields(project: Project, cluster: Cluster, links: Link[]) {
    const { fieldPrefix } = settings;
    const version = overrideOr(cluster.reported?.version, cluster.version);
    const major = overrideOr(cluster.reported?.majorVersion, majorVersion(cluster.version));
    return {
      id: cluster.id,
      groupId: project.id,
      name: cluster.name,
      clusterType: cluster.type,
      stateName: cluster.state,
      paused: cluster.paused,
      [`${fieldPrefix}MajorVersion`]: major,
      [`${fieldPrefix}Version`]: version,
      createDate: cluster.createdAt,
      // Undefined values are omitted: this one has no sensible default (service document 2.5).
      deleteAfterDate: cluster.deleteAfterDate,
      diskSizeGB: cluster.diskSizeGB,
      numShards: cluster.type === "REPLICASET" ? 1 : cluster.shards,
      replicaSetNames: replicaSetNames(cluster),
      providerSettings: { providerName: cluster.provider, regionNames: cluster.regions },
      networkPeering: cluster.peering,
      privateEndpoints: cluster.privateEndpoints.map(({ endpointId, region }) => ({
        endpointId,
        region,
      })),
      regionalizedPrivateEndpoints: cluster.regionalizedPrivateEndpoints,
      connectionStrings: connectionStrings(cluster, project.label, settings),
      links,
    };
  }

  return {
    root: () =>
      JSON.stringify({
        appName: "clouddb-simulator",
        links: [
          { rel: "self", href: base() },
          { rel: `${relationPrefix}groups`, href: `${base()}/groups` },
        ],
      }),
    project: (project) => {
      const self = projectUrl(project);
      return JSON.stringify(
        projectFields(project, [
          { rel: "self", href: self },
          { rel: `${relationPrefix}clusters`, href: `${self}/clusters` },
          { rel: `${relationPrefix}privateIpMode`, href: `${self}/privateIpMode` },
          { rel: `${relationPrefix}groups`, href: `${base()}/groups` },
        ]),
      );
    },
    projectElement: (project) =>
      JSON.stringify(projectFields(project, [{ rel: "self", href: projectUrl(project) }])),
    cluster: (project, cluster) =>
      JSON.stringify(
        clusterFields(project, cluster, [
          { rel: "self", href: clusterUrl(project, cluster) },
          { rel: `${relationPrefix}clusters`, href: `${projectUrl(project)}/clusters` },
          { rel: `${relationPrefix}group`, href: projectUrl(project) },
        ]),
      ),
    clusterElement: (project, cluster) => {
      let text = clusterElements.get(cluster);
      if (text === undefined) {
        text = JSON.stringify(
          clusterFields(project, cluster, [{ rel: "self", href: clusterUrl(project, cluster) }]),
        );
        clusterElements.set(cluster, text);
      }
      return text;
    },
    privateIpMode: (project) =>
      JSON.stringify({
        enabled: project.privateIpMode.enabled,
        links: [
          { rel: "self", href: `${projectUrl(project)}/privateIpMode` },
          { rel: `${relationPrefix}group`, href: projectUrl(project) },
        ],
      }),
  };
}

/** Returns the overriding value if there is one; undefined if it is null. */
function overrideOr(override: string | null | undefined, actual: string): string | undefined {
  return override === undefined ? actual : (override ?? undefined);
}
