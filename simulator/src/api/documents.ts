/** Renders the entities of the API as JSON with their links (service document 2). */
import { connectionStrings, replicaSetNames } from "../connectionStrings/generate";
import type { Settings } from "../seed/options";
import { type Cluster, majorVersion } from "../store/cluster";
import type { Project } from "../store/project";
import type { Link, PrivateIpModeEntity, ProjectEntity, RootEntity } from "./entities";

/** Prefix of extension relation types. */
const relationPrefix = "https://clouddb.example/rel/";

/** Renders entities as JSON text. Entities in lists have only the `self` link. */
export class Documents {
  /** Base URL of the service; known once the server listens. */
  origin = "";
  /** JSON of clusters in lists. Clusters are immutable, so the cache makes large lists fast. */
  private readonly clusterElements = new WeakMap<Cluster, string>();

  /**
   * Creates the renderer.
   *
   * @param settings the API path, the field prefix, and the scheme and domain of connection strings
   */
  constructor(private readonly settings: Settings) {}

  /**
   * Renders the root.
   *
   * @returns the JSON text
   */
  root(): string {
    const root: RootEntity = {
      appName: "clouddb-simulator",
      links: [
        { rel: "self", href: this.baseUrl() },
        { rel: `${relationPrefix}groups`, href: `${this.baseUrl()}/groups` },
      ],
    };
    return JSON.stringify(root);
  }

  /**
   * Renders a project.
   *
   * @param project the project
   * @returns the JSON text
   */
  project(project: Project): string {
    const self = this.projectUrl(project);
    const links = [
      { rel: "self", href: self },
      { rel: `${relationPrefix}clusters`, href: `${self}/clusters` },
      { rel: `${relationPrefix}privateIpMode`, href: `${self}/privateIpMode` },
      { rel: `${relationPrefix}groups`, href: `${this.baseUrl()}/groups` },
    ];
    return JSON.stringify(projectEntity(project, links));
  }

  /**
   * Renders a project in a list.
   *
   * @param project the project
   * @returns the JSON text
   */
  projectElement(project: Project): string {
    return JSON.stringify(
      projectEntity(project, [{ rel: "self", href: this.projectUrl(project) }]),
    );
  }

  /**
   * Renders a cluster.
   *
   * @param project the project of the cluster
   * @param cluster the cluster
   * @returns the JSON text
   */
  cluster(project: Project, cluster: Cluster): string {
    const projectUrl = this.projectUrl(project);
    const links = [
      { rel: "self", href: this.clusterUrl(project, cluster) },
      { rel: `${relationPrefix}clusters`, href: `${projectUrl}/clusters` },
      { rel: `${relationPrefix}group`, href: projectUrl },
    ];
    return JSON.stringify(clusterEntity(project, cluster, this.settings, links));
  }

  /**
   * Renders a cluster in a list.
   *
   * @param project the project of the cluster
   * @param cluster the cluster
   * @returns the JSON text
   */
  clusterElement(project: Project, cluster: Cluster): string {
    let text = this.clusterElements.get(cluster);
    if (text === undefined) {
      const links = [{ rel: "self", href: this.clusterUrl(project, cluster) }];
      text = JSON.stringify(clusterEntity(project, cluster, this.settings, links));
      this.clusterElements.set(cluster, text);
    }
    return text;
  }

  /**
   * Renders private IP mode of a project.
   *
   * @param project the project
   * @returns the JSON text
   */
  privateIpMode(project: Project): string {
    const projectUrl = this.projectUrl(project);
    const mode: PrivateIpModeEntity = {
      enabled: project.privateIpMode.enabled,
      links: [
        { rel: "self", href: `${projectUrl}/privateIpMode` },
        { rel: `${relationPrefix}group`, href: projectUrl },
      ],
    };
    return JSON.stringify(mode);
  }

  private baseUrl(): string {
    return `${this.origin}${this.settings.apiPath}`;
  }

  private projectUrl({ id }: Project): string {
    return `${this.baseUrl()}/groups/${id}`;
  }

  private clusterUrl(project: Project, { name }: Cluster): string {
    return `${this.projectUrl(project)}/clusters/${name}`;
  }
}

function projectEntity(project: Project, links: Link[]): ProjectEntity {
  return {
    id: project.id,
    name: project.name,
    orgId: project.organization.id,
    created: project.createdAt,
    clusterCount: project.clusters.length,
    links,
  };
}

function clusterEntity(project: Project, cluster: Cluster, settings: Settings, links: Link[]) {
  const { fieldPrefix } = settings;
  const version = overrideOr(cluster.reported?.version, cluster.version);
  const major = overrideOr(cluster.reported?.majorVersion, majorVersion(cluster.version));
  return {
    id: cluster.id,
    groupId: project.id,
    name: cluster.name,
    clusterType: cluster.type,
    tier: cluster.tier,
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
    additionalRegions: cluster.additionalRegions,
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

/** Returns the actual value unless it is overridden; null omits the field. */
function overrideOr(override: string | null | undefined, actual: string): string | undefined {
  if (override === null) return undefined;
  return override ?? actual;
}
