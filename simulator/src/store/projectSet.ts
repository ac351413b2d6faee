/** The projects of the service with their clusters, and the rules for IDs, names and labels. */
import { escapeText } from "../escapeText";
import { isoDate } from "../seed/dates";
import type { SeedProject } from "../seed/format";
import { type CompleteSeedProject, projectSchema } from "../seed/projectSchema";
import { SeedError } from "../seed/seedError";
import { parse } from "../seed/validation";
import { ClusterSet } from "./clusterSet";
import { createValidCluster } from "./createCluster";
import { freeLabel, type Organization, type Project } from "./project";
import { missingProject, ServiceError } from "./serviceError";

/** A project and its clusters, which change independently. */
export interface ProjectEntry {
  /** The project without its clusters. */
  project: Omit<Project, "clusters">;
  /** The clusters of the project. */
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

  /**
   * Creates an empty set.
   *
   * @param organizations the organizations that projects can belong to
   */
  constructor(readonly organizations: readonly Organization[]) {}

  /**
   * Returns all projects.
   *
   * @returns the projects, in the order of their creation
   */
  list(): ProjectEntry[] {
    return [...this.entries.values()];
  }

  /**
   * Finds a project.
   *
   * @param id the project ID
   * @returns the project, or undefined if it does not exist
   */
  find(id: string): ProjectEntry | undefined {
    return this.entries.get(id);
  }

  /**
   * Returns a project.
   *
   * @param id the project ID
   * @returns the project
   * @throws ServiceError 404 if there is no such project
   */
  private get(id: string): ProjectEntry {
    const entry = this.entries.get(id);
    if (!entry) throw missingProject(id);
    return entry;
  }

  /**
   * Adds a project with its clusters.
   *
   * @param seed the project, in the format of the seed
   * @param now milliseconds since 1970
   * @returns the project
   * @throws SeedError if the project is invalid
   * @throws ServiceError 400 or 409 if the project or a cluster breaks a rule
   */
  add(seed: SeedProject, now: number): ProjectEntry {
    return this.addValid(parse(projectSchema, seed, `The project "${seed.name}"`), now);
  }

  /**
   * Adds a project that was validated before, for example with its seed.
   *
   * @param valid the project with its defaults
   * @param now milliseconds since 1970
   * @returns the project
   * @throws SeedError if its organization does not exist, or its label is in use
   * @throws ServiceError 400 or 409 if the project or a cluster breaks a rule
   */
  addValid(valid: CompleteSeedProject, now: number): ProjectEntry {
    if (this.entries.has(valid.id)) {
      throw new ServiceError(409, "DUPLICATE_PROJECT_ID", `Project ${valid.id} already exists.`, [
        valid.id,
      ]);
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
    for (const cluster of clusters) {
      const context = { projectId: valid.id, now, taken: entry.clusters.taken };
      entry.clusters.put(createValidCluster(cluster, context));
    }
    this.entries.set(valid.id, entry);
    this.labels.add(entry.project.label);
    this.names.add(nameKey(organization, valid.name));
    return entry;
  }

  /**
   * Renames a project.
   *
   * @param id the project ID
   * @param name the new name
   * @returns the project
   * @throws ServiceError 404 if there is no such project, 409 if the name exists already
   */
  rename(id: string, name: string): ProjectEntry {
    const entry = this.get(id);
    const { organization, name: oldName } = entry.project;
    if (name !== oldName) this.rejectDuplicateName(organization, name);
    this.names.delete(nameKey(organization, oldName));
    this.names.add(nameKey(organization, name));
    entry.project = { ...entry.project, name };
    return entry;
  }

  /**
   * Removes a project.
   *
   * @param id the project ID
   * @throws ServiceError 404 if there is no such project, 409 if it has clusters
   */
  remove(id: string): void {
    const { project, clusters } = this.get(id);
    if (clusters.list().length > 0) {
      throw new ServiceError(
        409,
        "PROJECT_HAS_CLUSTERS",
        `Project ${id} still has clusters; delete them first.`,
        [id],
      );
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
    throw new ServiceError(
      409,
      "DUPLICATE_PROJECT_NAME",
      `A project named "${name}" already exists in the organization.`,
      [name],
    );
  }
}

/** Identifies the name of a project in its organization. */
function nameKey(organization: Organization, name: string): string {
  return `${organization.id} ${name}`;
}
