/**
 * The store: organizations, projects and clusters in memory. It is independent of HTTP; operations,
 * tests and the state file use it.
 */
import type { SeedCluster } from "../seed/clusterFormat";
import type { SeedProject } from "../seed/format";
import type { CompleteSeedProject } from "../seed/projectSchema";
import type { CompleteSeed } from "../seed/seed";
import type { Clock } from "./clock";
import type { Cluster } from "./cluster";
import { changeCluster, type ClusterContext, createCluster } from "./createCluster";
import { digest } from "./derivedNames";
import { type Organization, type Project, toSeedProject } from "./project";
import { type ProjectEntry, ProjectSet } from "./projectSet";
import { missingCluster, missingProject } from "./serviceError";

/** The data of the service. Methods that read or change it first apply the transitions that are due. */
export class Store {
  private readonly listeners: (() => void)[] = [];
  /** Projects and clusters; their transitions may be overdue. */
  private projectSet = new ProjectSet([]);

  /**
   * Creates a store.
   *
   * @param seed the initial data
   * @param clock the time source of creation dates and transitions
   * @throws SeedError if the seed contradicts itself
   * @throws ServiceError if its clusters or projects conflict with each other
   */
  constructor(
    seed: CompleteSeed,
    private readonly clock: Clock,
  ) {
    this.load(seed);
  }

  /**
   * All organizations.
   *
   * @returns the organizations of the seed
   */
  get organizations(): readonly Organization[] {
    return this.projectSet.organizations;
  }

  /**
   * Returns all projects.
   *
   * @returns the projects in the order of their creation
   */
  projects(): readonly Project[] {
    const entries = this.projectSet.list();
    for (const entry of entries) this.update(entry);
    return entries.map(toProject);
  }

  /**
   * Returns a project.
   *
   * @param id the project ID
   * @returns the project, or undefined if it does not exist
   */
  project(id: string): Project | undefined {
    const entry = this.current(id);
    return entry && toProject(entry);
  }

  /**
   * Returns a cluster.
   *
   * @param projectId the project ID
   * @param name the name of the cluster
   * @returns the cluster, or undefined if it or its project does not exist
   */
  cluster(projectId: string, name: string): Cluster | undefined {
    return this.current(projectId)?.clusters.get(name);
  }

  /**
   * Adds a project.
   *
   * @param seed the project, in the format of the seed
   * @returns the project with its defaults
   * @throws SeedError if the project is invalid
   * @throws ServiceError 409 if its ID or name exists already
   */
  addProject(seed: SeedProject): Project {
    const entry = this.projectSet.add(seed, this.clock.now());
    this.notifyListeners();
    return toProject(entry);
  }

  /**
   * Renames a project.
   *
   * @param id the project ID
   * @param name the new name
   * @returns the renamed project
   * @throws ServiceError 404 if there is no such project, 409 if the name exists already
   */
  renameProject(id: string, name: string): Project {
    const entry = this.projectSet.rename(id, name);
    this.notifyListeners();
    return toProject(entry);
  }

  /**
   * Removes a project.
   *
   * @param id the project ID
   * @throws ServiceError 404 if there is no such project, 409 if it has clusters
   */
  removeProject(id: string): void {
    this.current(id);
    this.projectSet.remove(id);
    this.notifyListeners();
  }

  /**
   * Sets private IP mode without checking the clusters.
   *
   * @param projectId the project ID
   * @param enabled the new value
   * @throws ServiceError 404 if there is no such project
   */
  setPrivateIpMode(projectId: string, enabled: boolean): void {
    const entry = this.existing(projectId);
    entry.project = { ...entry.project, privateIpMode: { enabled } };
    this.notifyListeners();
  }

  /**
   * Adds a cluster.
   *
   * @param projectId the project ID
   * @param seed the cluster, in the format of the seed
   * @returns the cluster with its defaults
   * @throws SeedError if the cluster is invalid
   * @throws ServiceError 404 if there is no such project, 400 or 409 if the cluster breaks a rule
   */
  addCluster(projectId: string, seed: SeedCluster): Cluster {
    const entry = this.existing(projectId);
    const cluster = createCluster(seed, this.contextOf(entry));
    entry.clusters.put(cluster);
    this.notifyListeners();
    return cluster;
  }

  /**
   * Updates fields of a cluster.
   *
   * @param projectId the project ID
   * @param name the name of the cluster
   * @param change the new values
   * @returns the updated cluster
   * @throws SeedError if a value is invalid
   * @throws ServiceError 404 if there is no such cluster, 400 or 409 if the change breaks a rule
   */
  updateCluster(projectId: string, name: string, change: Partial<SeedCluster>): Cluster {
    const entry = this.existing(projectId);
    const cluster = changeCluster(clusterIn(entry, name), change, this.contextOf(entry));
    entry.clusters.put(cluster);
    this.notifyListeners();
    return cluster;
  }

  /**
   * Removes a cluster immediately.
   *
   * @param projectId the project ID
   * @param name the name of the cluster
   * @throws ServiceError 404 if there is no such cluster
   */
  removeCluster(projectId: string, name: string): void {
    const entry = this.existing(projectId);
    entry.clusters.remove(clusterIn(entry, name).name);
    this.notifyListeners();
  }

  /**
   * Replaces all data with a seed.
   *
   * @param seed the new data
   * @throws SeedError if the seed contradicts itself
   * @throws ServiceError if its clusters or projects conflict with each other
   */
  load(seed: CompleteSeed): void {
    const organizations = seed.organizations.map((organization) => ({
      ...organization,
      id: organization.id ?? digest("organization", organization.name).slice(0, 24),
    }));
    this.projectSet = new ProjectSet(organizations);
    for (const project of seed.projects) this.projectSet.addValid(project, this.clock.now());
    this.notifyListeners();
  }

  /**
   * Returns all projects for the state file, without applying transitions.
   *
   * @returns the projects in the format of the seed
   */
  snapshot(): CompleteSeedProject[] {
    return this.projectSet.list().map((entry) => toSeedProject(toProject(entry)));
  }

  /**
   * Calls a function after every change.
   *
   * @param listener the function
   */
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
