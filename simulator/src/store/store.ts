/**
 * The store: organizations, projects and clusters in memory. It is independent of HTTP; operations,
 * tests and the state file use it.
 */
import { SeedError, ServiceError, missingCluster, missingProject } from "../errors";
import type { SeedCluster } from "../seed/cluster";
import type { CompleteSeed, CompleteSeedProject, PrivateIpMode, SeedProject } from "../seed/seed";
import { type Problem, invalid } from "../seed/validation";
import type { Clock } from "./clock";
import { type Cluster, type ClusterContext, changeCluster, createCluster, sha256 } from "./cluster";
import {
  type Organization,
  type Project,
  type ProjectEntry,
  ProjectSet,
  toSeedProject,
} from "./projects";

/**
 * The data of the service. Methods that read or change it first apply the transitions that are due.
 * @internal
 */
export class Store {
  private readonly listeners: (() => void)[] = [];
  /** Projects and clusters; their transitions may be overdue. */
  private projectSet = new ProjectSet([]);

  constructor(
    seed: CompleteSeed,
    private readonly clock: Clock,
  ) {
    this.load(seed);
  }

  get organizations(): readonly Organization[] {
    return this.projectSet.organizations;
  }

  projects(): readonly Project[] {
    const entries = this.projectSet.list();
    for (const entry of entries) this.update(entry);
    return entries.map(toProject);
  }

  project(id: string): Project | undefined {
    const entry = this.current(id);
    return entry && toProject(entry);
  }

  cluster(projectId: string, name: string): Cluster | undefined {
    return this.current(projectId)?.clusters.get(name);
  }

  addProject(seed: SeedProject): Project {
    const entry = this.projectSet.add(seed, this.clock.now());
    this.notifyListeners();
    return toProject(entry);
  }

  renameProject(id: string, name: string): Project {
    const entry = this.projectSet.rename(id, name);
    this.notifyListeners();
    return toProject(entry);
  }

  removeProject(id: string): void {
    this.current(id);
    this.projectSet.remove(id);
    this.notifyListeners();
  }

  /** Sets private IP mode without checking the clusters. */
  setPrivateIpMode(projectId: string, enabled: boolean): void {
    const entry = this.existing(projectId);
    entry.project = { ...entry.project, privateIpMode: { enabled } };
    this.notifyListeners();
  }

  addCluster(projectId: string, seed: SeedCluster): Cluster {
    const entry = this.existing(projectId);
    const cluster = createCluster(seed, this.contextOf(entry));
    entry.clusters.put(cluster);
    this.notifyListeners();
    return cluster;
  }

  updateCluster(projectId: string, name: string, change: Partial<SeedCluster>): Cluster {
    const entry = this.existing(projectId);
    const cluster = changeCluster(clusterIn(entry, name), change, this.contextOf(entry));
    entry.clusters.put(cluster);
    this.notifyListeners();
    return cluster;
  }

  removeCluster(projectId: string, name: string): void {
    const entry = this.existing(projectId);
    entry.clusters.remove(clusterIn(entry, name).name);
    this.notifyListeners();
  }

  /**
   * Replaces all data with a seed. An error names all projects and clusters that conflict with others or break a
   * rule; the data then stays the same.
   */
  load(seed: CompleteSeed): void {
    const organizations = seed.organizations.map((organization) => ({
      ...organization,
      id: organization.id ?? sha256("organization", organization.name).slice(0, 24),
    }));
    const projectSet = new ProjectSet(organizations);
    const conflicts: Problem[] = [];
    const note = (error: unknown, ...path: (string | number)[]) => {
      if (!(error instanceof ServiceError || error instanceof SeedError)) throw error;
      conflicts.push({ path: ["projects", ...path], text: error.message });
    };
    seed.projects.forEach((project, index) => {
      try {
        projectSet.addValid(project, this.clock.now(), (cluster, error) => {
          note(error, index, "clusters", cluster);
        });
      } catch (error) {
        note(error, index);
      }
    });
    if (conflicts.length > 0) throw invalid("The seed", conflicts);
    this.projectSet = projectSet;
    this.notifyListeners();
  }

  /** Returns all projects for the state file, without applying transitions. */
  snapshot(): CompleteSeedProject[] {
    return this.projectSet.list().map((entry) => toSeedProject(toProject(entry)));
  }

  /** Calls a function after every change. */
  onChange(listener: () => void): void {
    this.listeners.push(listener);
  }

  /** Returns a project after the transitions that are due; undefined if it does not exist. */
  private current(id: string): ProjectEntry | undefined {
    const entry = this.projectSet.find(id);
    if (entry) this.update(entry);
    return entry;
  }

  /** Like `current`, but throws a 404 if the project does not exist. */
  private existing(id: string): ProjectEntry {
    const entry = this.current(id);
    if (!entry) throw missingProject(id);
    return entry;
  }

  /** Applies the transitions of a project that are due. */
  private update({ clusters }: ProjectEntry): void {
    if (clusters.applyDueTransitions(this.clock.now())) this.notifyListeners();
  }

  private contextOf({ project, clusters }: ProjectEntry): ClusterContext {
    return { projectId: project.id, now: this.clock.now(), taken: clusters.taken };
  }

  private notifyListeners(): void {
    for (const listener of this.listeners) listener();
  }
}

/** Returns a snapshot of a project: the same object until the project or one of its clusters changes. */
function toProject(entry: ProjectEntry): Project {
  const source = entry.project;
  const clusters = entry.clusters.list();
  let { snapshot } = entry;
  if (snapshot?.source !== source || snapshot.project.clusters !== clusters) {
    snapshot = { source, project: { ...source, clusters } };
    entry.snapshot = snapshot;
  }
  return snapshot.project;
}

function clusterIn({ project, clusters }: ProjectEntry, name: string): Cluster {
  const cluster = clusters.get(name);
  if (!cluster) throw missingCluster(project.id, name);
  return cluster;
}

/**
 * Gives tests access to one project, without the checks and delays of the API. After the project is
 * deleted, all members except `id` throw a ServiceError.
 */
export interface ProjectControl {
  /** Project ID. */
  readonly id: string;
  /** Name of the project. */
  readonly name: string;
  /** Private IP mode of the project. */
  readonly privateIpMode: Readonly<PrivateIpMode>;
  /** Clusters in the order of their creation. */
  readonly clusters: readonly Cluster[];
  /**
   * Sets private IP mode, even if a cluster's version is too low for disabling.
   *
   * @param enabled the new value
   * @throws ServiceError if the project was deleted
   */
  setPrivateIpMode(enabled: boolean): void;
  /**
   * Returns a cluster.
   *
   * @param name the name of the cluster
   * @returns the cluster as it is now
   * @throws ServiceError if the project has no cluster with this name
   */
  cluster(name: string): Cluster;
  /**
   * Adds a cluster.
   *
   * @param cluster the cluster, in the format of the seed
   * @returns the cluster with its defaults
   * @throws SeedError if the cluster is invalid
   * @throws ServiceError if it conflicts with another cluster
   */
  addCluster(cluster: SeedCluster): Cluster;
  /**
   * Updates fields of a cluster.
   *
   * @param name the name of the cluster
   * @param change the new values, for example of `version`, `peering` or `state`
   * @returns the updated cluster
   * @throws SeedError if a value is invalid
   * @throws ServiceError if there is no such cluster, or the change conflicts with another cluster
   */
  updateCluster(name: string, change: Partial<SeedCluster>): Cluster;
  /**
   * Removes a cluster immediately.
   *
   * @param name the name of the cluster
   * @throws ServiceError if the project has no cluster with this name
   */
  removeCluster(name: string): void;
}

/** @internal */
export function createProjectControl(store: Store, id: string): ProjectControl {
  const project = (): Project => {
    const found = store.project(id);
    if (!found) throw missingProject(id);
    return found;
  };
  project();
  return {
    id,
    get name() {
      return project().name;
    },
    get privateIpMode() {
      return project().privateIpMode;
    },
    get clusters() {
      return project().clusters;
    },
    setPrivateIpMode: (enabled) => {
      store.setPrivateIpMode(id, enabled);
    },
    cluster: (name) => {
      const found = store.cluster(project().id, name);
      if (!found) throw missingCluster(id, name);
      return found;
    },
    addCluster: (cluster) => store.addCluster(id, cluster),
    updateCluster: (name, change) => store.updateCluster(id, name, change),
    removeCluster: (name) => {
      store.removeCluster(id, name);
    },
  };
}
