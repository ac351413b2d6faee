/** Organizations, projects and clusters in memory, for operations, tests and the state file. Knows no HTTP. */
import { SeedError, ServiceError, missingCluster, missingProject } from "../errors";
import type { SeedCluster } from "../seed/cluster";
import {
  type CompleteSeed,
  type CompleteSeedProject,
  type PrivateIpMode,
  type SeedProject,
  projectSchema,
} from "../seed/seed";
import { type Issue, invalid, parse } from "../seed/validation";
import type { Clock } from "./clock";
import {
  type Cluster,
  type ClusterContext,
  TakenNames,
  changeCluster,
  createCluster,
  rejectNewName,
  sha256,
  withReadyClusters,
} from "./cluster";
import {
  type Organization,
  type Project,
  createProject,
  rejectDuplicateName,
  toSeedProject,
} from "./projects";

/**
 * The data of the service. Methods that read or change it first set the clusters whose `readyAt` has passed to IDLE.
 * Projects and their arrays of clusters are replaced when they change, never mutated.
 * @internal
 */
export class Store {
  private notifyListener: () => void = () => undefined;
  /** Projects by ID; the `readyAt` of their clusters may have passed. */
  private readonly entries = new Map<string, Project>();
  private owners: readonly Organization[] = [];

  constructor(
    seed: CompleteSeed,
    private readonly clock: Clock,
  ) {
    this.load(seed);
  }

  get organizations(): readonly Organization[] {
    return this.owners;
  }

  projects(): readonly Project[] {
    return [...this.entries.keys()].map((id) => this.existing(id));
  }

  project(id: string): Project | undefined {
    const project = this.entries.get(id);
    if (project === undefined) return undefined;
    const clusters = withReadyClusters(project.clusters, this.clock.now());
    return clusters === project.clusters ? project : this.put({ ...project, clusters });
  }

  /** Like `project`, but throws a 404 if the project does not exist. */
  existing(id: string): Project {
    const project = this.project(id);
    if (!project) throw missingProject(id);
    return project;
  }

  cluster(projectId: string, name: string): Cluster | undefined {
    return this.project(projectId)?.clusters.find((cluster) => cluster.name === name);
  }

  addProject(seed: SeedProject): Project {
    const valid = parse(projectSchema, seed, `The project "${seed.name}"`);
    const context = {
      organizations: this.owners,
      projects: this.projects(),
      now: this.clock.now(),
    };
    return this.put(
      createProject(valid, context, (_, error) => {
        throw error;
      }),
    );
  }

  renameProject(id: string, name: string): Project {
    const project = this.existing(id);
    if (name !== project.name) rejectDuplicateName(name, project.organization, this.projects());
    return this.put({ ...project, name });
  }

  /** Removes a project and its clusters. */
  removeProject(id: string): void {
    this.entries.delete(this.existing(id).id);
    this.notifyListener();
  }

  /** Sets private IP mode without checking the clusters. */
  setPrivateIpMode(projectId: string, enabled: boolean): void {
    this.put({ ...this.existing(projectId), privateIpMode: { enabled } });
  }

  addCluster(projectId: string, seed: SeedCluster): Cluster {
    const project = this.existing(projectId);
    const cluster = createCluster(seed, this.contextOf(project, project.clusters));
    this.put({ ...project, clusters: [...project.clusters, cluster] });
    return cluster;
  }

  updateCluster(projectId: string, name: string, change: Partial<SeedCluster>): Cluster {
    return this.putCluster(projectId, name, (cluster, context) =>
      changeCluster(cluster, change, context),
    );
  }

  replaceCluster(projectId: string, name: string, seed: SeedCluster): Cluster {
    rejectNewName(name, seed.name);
    return this.putCluster(projectId, name, (_, context) => createCluster(seed, context));
  }

  removeCluster(projectId: string, name: string): void {
    const project = this.existing(projectId);
    const cluster = clusterIn(project, name);
    this.put({ ...project, clusters: project.clusters.filter((other) => other !== cluster) });
  }

  /** Replaces all data with a seed. An error names all that conflicts or breaks a rule, and changes nothing. */
  load(seed: CompleteSeed): void {
    const organizations = seed.organizations.map((organization) => ({
      ...organization,
      id: organization.id ?? sha256("organization", organization.name).slice(0, 24),
    }));
    const projects: Project[] = [];
    const conflicts: Issue[] = [];
    const note = (error: unknown, ...path: (string | number)[]) => {
      if (!(error instanceof ServiceError || error instanceof SeedError)) throw error;
      conflicts.push({ path: ["projects", ...path], message: error.message });
    };
    for (const [index, project] of seed.projects.entries()) {
      const context = { organizations, projects, now: this.clock.now() };
      try {
        projects.push(
          createProject(project, context, (cluster, error) => {
            note(error, index, "clusters", cluster);
          }),
        );
      } catch (error) {
        note(error, index);
      }
    }
    if (conflicts.length > 0) throw invalid("The seed", conflicts);
    this.owners = organizations;
    this.entries.clear();
    for (const project of projects) this.entries.set(project.id, project);
    this.notifyListener();
  }

  /** Returns all projects in the format of the seed, without setting clusters to IDLE. */
  snapshot(): CompleteSeedProject[] {
    return [...this.entries.values()].map(toSeedProject);
  }

  /** Calls a function after every change, instead of an earlier one. */
  onChange(listener: () => void): void {
    this.notifyListener = listener;
  }

  private contextOf({ id }: Project, others: readonly Cluster[]): ClusterContext {
    return { projectId: id, now: this.clock.now(), taken: new TakenNames(others) };
  }

  /** Puts another cluster in the place of a cluster. */
  private putCluster(
    projectId: string,
    name: string,
    create: (cluster: Cluster, context: ClusterContext) => Cluster,
  ): Cluster {
    const project = this.existing(projectId);
    const cluster = clusterIn(project, name);
    const others = project.clusters.filter((other) => other !== cluster);
    const created = create(cluster, this.contextOf(project, others));
    const clusters = project.clusters.map((existing) =>
      existing === cluster ? created : existing,
    );
    this.put({ ...project, clusters });
    return created;
  }

  /** Adds a project, or replaces the one with the same ID. */
  private put(project: Project): Project {
    this.entries.set(project.id, project);
    this.notifyListener();
    return project;
  }
}

function clusterIn({ id, clusters }: Project, name: string): Cluster {
  const cluster = clusters.find((listed) => listed.name === name);
  if (!cluster) throw missingCluster(id, name);
  return cluster;
}

/** One project, for tests: no checks or delays. After its deletion, all members except `id` throw a ServiceError. */
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
   * Replaces a cluster. Fields that the new one lacks get their defaults.
   *
   * @param name the name of the cluster, which cannot change
   * @param cluster the cluster, in the format of the seed
   * @returns the cluster with its defaults
   * @throws SeedError if the cluster is invalid
   * @throws ServiceError if there is no such cluster, or it conflicts with another cluster
   */
  replaceCluster(name: string, cluster: SeedCluster): Cluster;
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
  store.existing(id);
  return {
    id,
    get name() {
      return store.existing(id).name;
    },
    get privateIpMode() {
      return store.existing(id).privateIpMode;
    },
    get clusters() {
      return store.existing(id).clusters;
    },
    setPrivateIpMode: (enabled) => {
      store.setPrivateIpMode(id, enabled);
    },
    cluster: (name) => clusterIn(store.existing(id), name),
    addCluster: (cluster) => store.addCluster(id, cluster),
    updateCluster: (name, change) => store.updateCluster(id, name, change),
    replaceCluster: (name, cluster) => store.replaceCluster(id, name, cluster),
    removeCluster: (name) => {
      store.removeCluster(id, name);
    },
  };
}
