/** Organizations and projects in the store. */
import { SeedError, conflict, escapeText, missingProject } from "../errors";
import {
  type CompleteSeedOrganization,
  type CompleteSeedProject,
  type SeedProject,
  projectSchema,
} from "../seed/seed";
import { isProviderLabel } from "../seed/cluster";
import { isoDate, parse } from "../seed/validation";
import {
  type Cluster,
  type TakenNames,
  applyTransitions,
  createValidCluster,
  nextTransitionOf,
  shortName,
} from "./cluster";

/** An organization with its credentials. */
export interface Organization extends Readonly<CompleteSeedOrganization> {
  /** 24 hexadecimal digits. */
  readonly id: string;
}

/** A project with its clusters: an immutable snapshot. */
export interface Project extends Readonly<Omit<CompleteSeedProject, "organization" | "clusters">> {
  readonly organization: Organization;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** `<project_hash>`: unique across the service. */
  readonly label: string;
  readonly privateIpMode: Readonly<CompleteSeedProject["privateIpMode"]>;
  /** In the order of their creation. */
  readonly clusters: readonly Cluster[];
}

/**
 * Derives an unused label from the project ID: five letters and digits, or more if it is in use.
 */
function freeLabel(id: string, usedLabels: ReadonlySet<string>): string {
  for (let length = 5; ; length += 1) {
    const label = shortName(length, "label", id);
    if (!usedLabels.has(label) && !isProviderLabel(label)) return label;
  }
}

/** Converts a project to the format of the seed. */
export function toSeedProject(project: Project): CompleteSeedProject {
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

/** A project and its clusters, which change independently. */
export interface ProjectEntry {
  /** The project without its clusters. */
  project: Omit<Project, "clusters">;
  readonly clusters: ClusterSet;
  /** The last snapshot of the project with its clusters, and the `project` that it was made from. */
  snapshot?: { readonly source: ProjectEntry["project"]; readonly project: Project };
}

/** The projects of all organizations, in the order of their creation. */
export class ProjectSet {
  private readonly entries = new Map<string, ProjectEntry>();
  /** Labels of all projects. */
  private readonly labels = new Set<string>();
  /** Names of all projects, with their organizations: `nameKey`. */
  private readonly names = new Set<string>();

  constructor(readonly organizations: readonly Organization[]) {}

  list(): ProjectEntry[] {
    return [...this.entries.values()];
  }

  find(id: string): ProjectEntry | undefined {
    return this.entries.get(id);
  }

  private get(id: string): ProjectEntry {
    const entry = this.entries.get(id);
    if (!entry) throw missingProject(id);
    return entry;
  }

  add(seed: SeedProject, now: number): ProjectEntry {
    return this.addValid(parse(projectSchema, seed, `The project "${seed.name}"`), now);
  }

  /**
   * Adds a project that was validated before, for example with its seed. `onConflict` gets the errors of clusters that
   * conflict with others or break a rule. Default: the first one is thrown.
   */
  addValid(
    valid: CompleteSeedProject,
    now: number,
    onConflict?: (cluster: number, error: unknown) => void,
  ): ProjectEntry {
    if (this.entries.has(valid.id)) {
      throw conflict("DUPLICATE_PROJECT_ID", `Project ${valid.id} already exists.`, valid.id);
    }
    const organization = this.organizations.find(({ name }) => name === valid.organization);
    if (!organization) {
      throw new SeedError(`There is no organization "${escapeText(valid.organization)}".`);
    }
    this.rejectDuplicateName(organization, valid.name);
    const { clusters, ...rest } = valid;
    const entry: ProjectEntry = {
      project: {
        ...rest,
        organization,
        createdAt: valid.createdAt ?? isoDate(now),
        label: this.labelOf(valid),
      },
      clusters: new ClusterSet(),
    };
    clusters.forEach((cluster, index) => {
      const context = { projectId: valid.id, now, taken: entry.clusters.taken };
      try {
        entry.clusters.put(createValidCluster(cluster, context));
      } catch (error) {
        if (!onConflict) throw error;
        onConflict(index, error);
      }
    });
    this.entries.set(valid.id, entry);
    this.labels.add(entry.project.label);
    this.names.add(nameKey(organization, valid.name));
    return entry;
  }

  rename(id: string, name: string): ProjectEntry {
    const entry = this.get(id);
    const { organization, name: oldName } = entry.project;
    if (name !== oldName) this.rejectDuplicateName(organization, name);
    this.names.delete(nameKey(organization, oldName));
    this.names.add(nameKey(organization, name));
    entry.project = { ...entry.project, name };
    return entry;
  }

  remove(id: string): void {
    const { project, clusters } = this.get(id);
    if (clusters.list().length > 0) {
      const detail = `Project ${id} still has clusters; delete them first.`;
      throw conflict("PROJECT_HAS_CLUSTERS", detail, id);
    }
    this.entries.delete(id);
    this.labels.delete(project.label);
    this.names.delete(nameKey(project.organization, project.name));
  }

  /** Returns the label of a new project: the one in the seed, or else one derived from its ID. */
  private labelOf({ id, label }: CompleteSeedProject): string {
    if (label === undefined) return freeLabel(id, this.labels);
    if (!this.labels.has(label)) return label;
    throw new SeedError(`The label "${label}" is already in use by another project.`);
  }

  private rejectDuplicateName(organization: Organization, name: string): void {
    if (!this.names.has(nameKey(organization, name))) return;
    const detail = `A project named "${name}" already exists in the organization.`;
    throw conflict("DUPLICATE_PROJECT_NAME", detail, name);
  }
}

/** Identifies the name of a project in its organization. */
function nameKey(organization: Organization, name: string): string {
  return `${organization.id} ${name}`;
}

/** The clusters of one project. */
export class ClusterSet {
  private readonly clusters = new Map<string, Cluster>();
  private readonly hostNames = new Map<string, string>();
  private readonly endpointIndexes = new Map<number, string>();
  /** All indexes below this one are in use. */
  private firstMaybeFree = 0;
  /** Result of `list` until a cluster changes. */
  private cachedList: readonly Cluster[] | undefined;
  /** Time of the next transition of any cluster: milliseconds since 1970. */
  private nextTransition = Infinity;

  /** Names and indexes in use. */
  readonly taken: TakenNames = {
    clusters: this.clusters,
    hostNames: this.hostNames,
    endpointIndexes: this.endpointIndexes,
    lowestFreeIndex: () => {
      while (this.endpointIndexes.has(this.firstMaybeFree)) this.firstMaybeFree += 1;
      return this.firstMaybeFree;
    },
  };

  /** Returns the clusters in the order of their creation: the same array until one changes. */
  list(): readonly Cluster[] {
    return (this.cachedList ??= [...this.clusters.values()]);
  }

  get(name: string): Cluster | undefined {
    return this.clusters.get(name);
  }

  /** Adds a cluster, or replaces the one with the same name. */
  put(cluster: Cluster): void {
    this.release(cluster.name);
    this.clusters.set(cluster.name, cluster);
    this.hostNames.set(cluster.hostName, cluster.name);
    for (const { index } of cluster.privateEndpoints) this.endpointIndexes.set(index, cluster.name);
    this.cachedList = undefined;
    this.nextTransition = Math.min(this.nextTransition, nextTransitionOf(cluster));
  }

  /** Removes a cluster; does nothing if it does not exist. */
  remove(name: string): void {
    this.release(name);
    this.clusters.delete(name);
    this.cachedList = undefined;
  }

  /** Applies the transitions that are due. Returns false if no cluster can have changed. */
  applyDueTransitions(now: number): boolean {
    if (now < this.nextTransition) return false;
    this.nextTransition = Infinity;
    for (const cluster of this.list()) {
      const current = applyTransitions(cluster, now);
      if (!current) this.remove(cluster.name);
      else if (current !== cluster) this.put(current);
      else this.nextTransition = Math.min(this.nextTransition, nextTransitionOf(cluster));
    }
    return true;
  }

  /** Frees the unique values of a cluster for use by others. */
  private release(name: string): void {
    const cluster = this.clusters.get(name);
    if (!cluster) return;
    this.hostNames.delete(cluster.hostName);
    for (const { index } of cluster.privateEndpoints) {
      this.endpointIndexes.delete(index);
      this.firstMaybeFree = Math.min(this.firstMaybeFree, index);
    }
  }
}
