/** The entities of responses (service document 2). */
import { connectionStrings, replicaSetNames } from "../connectionStrings";
import { type ListingPath, type StringKind, providerNames, regionName } from "../seed/cluster";
import type { Settings } from "../seed/settings";
import { type Cluster, majorVersion } from "../store/cluster";
import type { Project } from "../store/projects";

export interface Link {
  readonly rel: string;
  readonly href: string;
}

const relationPrefix = "https://clouddb.example/rel/";

/** Creates the entities of responses. Those in lists have only the `self` link. */
export class Documents {
  /** Base URL of the service; known once the server listens. */
  origin = "";

  constructor(private readonly settings: Settings) {}

  root() {
    return {
      appName: "clouddb-simulator",
      links: [
        { rel: "self", href: this.baseUrl() },
        { rel: `${relationPrefix}groups`, href: `${this.baseUrl()}/groups` },
      ],
    };
  }

  project(project: Project) {
    const self = this.projectUrl(project);
    return projectEntity(project, [
      { rel: "self", href: self },
      { rel: `${relationPrefix}clusters`, href: `${self}/clusters` },
      { rel: `${relationPrefix}privateIpMode`, href: `${self}/privateIpMode` },
      { rel: `${relationPrefix}groups`, href: `${this.baseUrl()}/groups` },
    ]);
  }

  listedProject(project: Project) {
    return projectEntity(project, [{ rel: "self", href: this.projectUrl(project) }]);
  }

  cluster(project: Project, cluster: Cluster, path: ListingPath): object {
    const projectUrl = this.projectUrl(project);
    return clusterEntity(project, asListed(cluster, path), this.settings, [
      { rel: "self", href: `${projectUrl}/${path}/${cluster.name}` },
      { rel: `${relationPrefix}clusters`, href: `${projectUrl}/clusters` },
      { rel: `${relationPrefix}group`, href: projectUrl },
    ]);
  }

  listedCluster(project: Project, cluster: Cluster, path: ListingPath): object {
    const self = `${this.projectUrl(project)}/${path}/${cluster.name}`;
    const links = [{ rel: "self", href: self }];
    return clusterEntity(project, asListed(cluster, path), this.settings, links);
  }

  privateIpMode(project: Project) {
    const projectUrl = this.projectUrl(project);
    return {
      enabled: project.privateIpMode.enabled,
      links: [
        { rel: "self", href: `${projectUrl}/privateIpMode` },
        { rel: `${relationPrefix}group`, href: projectUrl },
      ],
    };
  }

  private baseUrl(): string {
    return `${this.origin}${this.settings.apiPath}`;
  }

  private projectUrl({ id }: Project): string {
    return `${this.baseUrl()}/groups/${id}`;
  }
}

/** Returns what a list shows of a cluster: that of Flex clusters only their full version and standard strings. */
function asListed(cluster: Cluster, path: ListingPath): Cluster {
  if (path === "clusters") return cluster;
  const pendingStrings: StringKind[] = [...cluster.pendingStrings, "privateEndpoint"];
  const reported = { majorVersion: null, ...cluster.reported };
  return {
    ...cluster,
    tier: "FLEX",
    reported,
    peering: false,
    privateEndpoints: [],
    pendingStrings,
  };
}

function projectEntity(project: Project, links: Link[]) {
  return {
    id: project.id,
    name: project.name,
    orgId: project.organization.id,
    created: project.createdAt,
    clusterCount: project.clusters.length,
    links,
  };
}

/** Creates a cluster in a response. JSON omits undefined values, which are those without a sensible default (2.5). */
function clusterEntity(project: Project, cluster: Cluster, settings: Settings, links: Link[]) {
  const { fieldPrefix, profile } = settings;
  const { reported } = cluster;
  return {
    id: cluster.id,
    groupId: project.id,
    name: cluster.name,
    [`${fieldPrefix}MajorVersion`]: overrideOr(
      reported?.majorVersion,
      majorVersion(cluster.version),
    ),
    [`${fieldPrefix}Version`]: overrideOr(reported?.version, cluster.version),
    clusterType: cluster.type,
    tier: cluster.tier,
    providerSettings: {
      providerName: providerNames[profile][cluster.provider],
      regionNames: cluster.regions.map((region) => regionName(region, profile)),
    },
    additionalRegions: cluster.additionalRegions,
    createDate: cluster.createdAt,
    networkPeering: cluster.peering,
    privateEndpoints: cluster.privateEndpoints.map(({ endpointId, region }) => ({
      endpointId,
      region,
    })),
    regionalizedPrivateEndpoints: cluster.regionalizedPrivateEndpoints,
    numShards: cluster.type === "REPLICASET" ? 1 : cluster.shards,
    diskSizeGB: cluster.diskSizeGB,
    paused: cluster.paused,
    stateName: cluster.state,
    replicaSetNames: replicaSetNames(cluster),
    connectionStrings: connectionStrings(cluster, project.label, settings),
    links,
  };
}

/** Returns the actual value unless it is overridden; null omits the field. */
function overrideOr(override: string | null | undefined, actual: string): string | undefined {
  return override === null ? undefined : (override ?? actual);
}
