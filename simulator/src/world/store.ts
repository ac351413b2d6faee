// The store: the organizations, projects and clusters of the service, in memory. It knows nothing
// of HTTP; routes, tests and the state file all work on it.
import type { Clock } from "../clock";
import { ServiceError } from "../errors";
import {
  type CompleteSeed,
  type CompleteSeedProject,
  isoDate,
  parse,
  projectSchema,
  type SeedCluster,
  SeedError,
  type SeedOrganization,
  type SeedProject,
} from "../seed";
import { changeCluster, type Cluster, createCluster, digest, shortName } from "./cluster";
import { type ClusterSet, createClusterSet } from "./clusterSet";

export interface Organization extends Readonly<SeedOrganization> {
  readonly id: string;
}

export interface Project {
  readonly id: string;
  readonly name: string;
  readonly organization: Organization;
  readonly createdAt: string;
  /** `<project_hash>`: unique across the service. */
  readonly label: string;
  readonly privateIpMode: { readonly enabled: boolean };
  /** In the order of their creation. */
  readonly clusters: readonly Cluster[];
}

export interface Store {
  readonly organizations: readonly Organization[];
  projects(): readonly Project[];
  project(id: string): Project | undefined;
  cluster(projectId: string, name: string): Cluster | undefined;
  addProject(seed: SeedProject): Project;
  renameProject(id: string, name: string): Project;
  removeProject(id: string): void;
  setPrivateIpMode(projectId: string, enabled: boolean): void;
  addCluster(projectId: string, seed: SeedCluster): Cluster;
  updateCluster(projectId: string, name: string, change: Partial<SeedCluster>): Cluster;
  removeCluster(projectId: string, name: string): void;
  /** Replaces everything, as at a start. */
  load(seed: CompleteSeed): void;
  /** The projects in the form of a seed, with everything given: what the state file holds. */
  snapshot(): CompleteSeedProject[];
  /** Calls back after every change. */
  onChange(listener: () => void): void;
}

interface Entry {
  project: Omit<Project, "clusters">;
  readonly clusters: ClusterSet;
}

export function createStore(seed: CompleteSeed, clock: Clock): Store {
  const listeners: (() => void)[] = [];
  let organizations: Organization[] = [];
  let entries = new Map<string, Entry>();

  const changed = () => {
    for (const listener of listeners) listener();
  };

  function entryOf(projectId: string): Entry {
    settle();
    const entry = entries.get(projectId);
    if (!entry) throw missingProject(projectId);
    return entry;
  }

  function clusterOf(entry: Entry, name: string): Cluster {
    const cluster = entry.clusters.taken.clusters.get(name);
    if (!cluster) throw missingCluster(entry.project.id, name);
    return cluster;
  }

  /** Lets happen what the clock has reached. */
  function settle(): void {
    const now = clock.now();
    let any = false;
    for (const { clusters } of entries.values()) any = clusters.settle(now) || any;
    if (any) changed();
  }

  function addProject(given: SeedProject): Project {
    const valid = parse(projectSchema, given, `The project "${given.name}"`);
    if (entries.has(valid.id)) {
      throw new ServiceError(409, "DUPLICATE_PROJECT_ID", `Project ${valid.id} already exists.`, [
        valid.id,
      ]);
    }
    const organization = organizations.find(({ name }) => name === valid.organization);
    if (!organization) throw new SeedError(`There is no organization "${valid.organization}".`);
    refuseDuplicateName(organization, valid.name);
    const labels = new Set([...entries.values()].map(({ project }) => project.label));
    if (valid.label !== undefined && labels.has(valid.label)) {
      throw new SeedError(`The label "${valid.label}" belongs to another project already.`);
    }
    const { clusters, ...rest } = valid;
    const entry: Entry = {
      project: {
        ...rest,
        organization,
        createdAt: valid.createdAt ?? isoDate(clock.now()),
        label: valid.label ?? freeLabel(valid.id, labels),
      },
      clusters: createClusterSet(),
    };
    for (const cluster of clusters) {
      entry.clusters.put(createCluster(cluster, surroundings(entry)));
    }
    entries.set(valid.id, entry);
    return viewOf(entry);
  }

  function refuseDuplicateName(organization: Organization, name: string): void {
    for (const { project } of entries.values()) {
      if (project.name === name && project.organization.id === organization.id) {
        throw new ServiceError(
          409,
          "DUPLICATE_PROJECT_NAME",
          `A project named "${name}" already exists in the organization.`,
          [name],
        );
      }
    }
  }

  function surroundings(entry: Entry) {
    return { projectId: entry.project.id, now: clock.now(), taken: entry.clusters.taken };
  }

  function load(from: CompleteSeed): void {
    entries = new Map();
    organizations = from.organizations.map((organization) => ({
      ...organization,
      id: organization.id ?? digest("organization", organization.name).slice(0, 24),
    }));
    for (const project of from.projects) addProject(project);
  }

  load(seed);

  return {
    get organizations() {
      return organizations;
    },
    projects: () => {
      settle();
      return [...entries.values()].map(viewOf);
    },
    project: (id) => {
      settle();
      const entry = entries.get(id);
      return entry && viewOf(entry);
    },
    cluster: (projectId, name) => {
      settle();
      return entries.get(projectId)?.clusters.taken.clusters.get(name);
    },
    addProject: (given) => {
      const project = addProject(given);
      changed();
      return project;
    },
    renameProject: (id, name) => {
      const entry = entryOf(id);
      if (name !== entry.project.name) refuseDuplicateName(entry.project.organization, name);
      entry.project = { ...entry.project, name };
      changed();
      return viewOf(entry);
    },
    removeProject: (id) => {
      const entry = entryOf(id);
      if (entry.clusters.taken.clusters.size > 0) {
        throw new ServiceError(
          409,
          "PROJECT_HAS_CLUSTERS",
          `Project ${id} still has clusters; delete them first.`,
          [id],
        );
      }
      entries.delete(id);
      changed();
    },
    setPrivateIpMode: (projectId, enabled) => {
      const entry = entryOf(projectId);
      entry.project = { ...entry.project, privateIpMode: { enabled } };
      changed();
    },
    addCluster: (projectId, given) => {
      const entry = entryOf(projectId);
      const cluster = createCluster(given, surroundings(entry));
      entry.clusters.put(cluster);
      changed();
      return cluster;
    },
    updateCluster: (projectId, name, change) => {
      const entry = entryOf(projectId);
      const cluster = changeCluster(clusterOf(entry, name), change, surroundings(entry));
      entry.clusters.put(cluster);
      changed();
      return cluster;
    },
    removeCluster: (projectId, name) => {
      const entry = entryOf(projectId);
      entry.clusters.remove(clusterOf(entry, name).name);
      changed();
    },
    load: (from) => {
      load(from);
      changed();
    },
    snapshot: () => [...entries.values()].map((entry) => asSeed(viewOf(entry))),
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

export function missingProject(id: string): ServiceError {
  return new ServiceError(404, "GROUP_NOT_FOUND", `No project has the id ${id}.`, [id]);
}

export function missingCluster(projectId: string, name: string): ServiceError {
  return new ServiceError(
    404,
    "CLUSTER_NOT_FOUND",
    `No cluster named "${name}" exists in project ${projectId}.`,
    [name, projectId],
  );
}

function viewOf({ project, clusters }: Entry): Project {
  return { ...project, clusters: clusters.list() };
}

/** Five letters and digits made from the project's id; more where another project has them. */
function freeLabel(id: string, labels: ReadonlySet<string>): string {
  for (let length = 5; ; length++) {
    const label = shortName(length, "label", id);
    if (!labels.has(label)) return label;
  }
}

function asSeed(project: Project): CompleteSeedProject {
  const { organization, clusters, ...rest } = project;
  return {
    ...rest,
    organization: organization.name,
    clusters: clusters.map((cluster) => ({
      ...cluster,
      privateEndpoints: [...cluster.privateEndpoints],
      pendingStrings: [...cluster.pendingStrings],
    })),
  };
}
