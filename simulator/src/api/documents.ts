// The JSON documents of the API's entities, with their links (service document 2).
import { connectionStrings, replicaSetNames } from "../connectionStrings/generate";
import type { Settings } from "../options";
import { type Cluster, majorVersion } from "../world/cluster";
import type { Project } from "../world/store";

export interface Link {
  readonly rel: string;
  readonly href: string;
}

/** Each as JSON text. A list element has the `self` link alone. */
export interface Documents {
  root(): string;
  project(project: Project): string;
  projectElement(project: Project): string;
  cluster(project: Project, cluster: Cluster): string;
  clusterElement(project: Project, cluster: Cluster): string;
  privateIpMode(project: Project): string;
}

/** The prefix of extension relation types. */
export const RELATION = "https://clouddb.example/rel/";

/** @param origin gives e.g. `https://127.0.0.1:41234`; the port is not known before the server listens */
export function createDocuments(origin: () => string, settings: Settings): Documents {
  const base = () => `${origin()}${settings.apiPath}`;
  // A record never changes in place, so its text is made once. Lists of clusters live off this.
  const elements = new WeakMap<Cluster, string>();

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
    const version = reportedOr(cluster.reported?.version, cluster.version);
    const major = reportedOr(cluster.reported?.majorVersion, majorVersion(cluster.version));
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
      // Without a sensible default, so left out where there is none (service document 2.5).
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
          { rel: `${RELATION}groups`, href: `${base()}/groups` },
        ],
      }),
    project: (project) => {
      const self = projectUrl(project);
      return JSON.stringify(
        projectFields(project, [
          { rel: "self", href: self },
          { rel: `${RELATION}clusters`, href: `${self}/clusters` },
          { rel: `${RELATION}privateIpMode`, href: `${self}/privateIpMode` },
          { rel: `${RELATION}groups`, href: `${base()}/groups` },
        ]),
      );
    },
    projectElement: (project) =>
      JSON.stringify(projectFields(project, [{ rel: "self", href: projectUrl(project) }])),
    cluster: (project, cluster) =>
      JSON.stringify(
        clusterFields(project, cluster, [
          { rel: "self", href: clusterUrl(project, cluster) },
          { rel: `${RELATION}clusters`, href: `${projectUrl(project)}/clusters` },
          { rel: `${RELATION}group`, href: projectUrl(project) },
        ]),
      ),
    clusterElement: (project, cluster) => {
      let text = elements.get(cluster);
      if (text === undefined) {
        text = JSON.stringify(
          clusterFields(project, cluster, [{ rel: "self", href: clusterUrl(project, cluster) }]),
        );
        elements.set(cluster, text);
      }
      return text;
    },
    privateIpMode: (project) =>
      JSON.stringify({
        enabled: project.privateIpMode.enabled,
        links: [
          { rel: "self", href: `${projectUrl(project)}/privateIpMode` },
          { rel: `${RELATION}group`, href: projectUrl(project) },
        ],
      }),
  };
}

/** What the API reports: the override where there is one, nothing where that is null. */
function reportedOr(reported: string | null | undefined, real: string): string | undefined {
  return reported === undefined ? real : (reported ?? undefined);
}
