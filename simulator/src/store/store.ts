/**
 * The store: organizations, projects and clusters in memory. It is independent of HTTP; routes, tests
 * and the state file use it.
 */
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

/** An organization with its credentials. */
export interface Organization extends Readonly<SeedOrganization> {
  /** 24 hexadecimal digits. */
  readonly id: string;
}

/** A project with its clusters: an immutable snapshot. */
export interface Project {
  /** 24 hexadecimal digits. */
  readonly id: string;
  /** Unique in the organization. */
  readonly name: string;
  /** Organization of the project. */
  readonly organization: Organization;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** `<project_hash>`: unique across the service. */
  readonly label: string;
  /** Private IP mode of the project. */
  readonly privateIpMode: { readonly enabled: boolean };
  /** In the order of their creation. */
  readonly clusters: readonly Cluster[];
}

/** The data of the service. Every method applies the transitions that are due first. */
export interface Store {
  /** All organizations. */
  readonly organizations: readonly Organization[];
  /** Returns all projects in the order of their creation. */
  projects(): readonly Project[];
  /** Returns a project, or undefined if it does not exist. */
  project(id: string): Project | undefined;
  /** Returns a cluster, or undefined if it or its project does not exist. */
  cluster(projectId: string, name: string): Cluster | undefined;
  /**
   * Adds a project.
   *
   * @throws SeedError if the project is invalid
   * @throws ServiceError 409 if its ID or name exists already
   */
  addProject(seed: SeedProject): Project;
  /**
   * Renames a project.
   *
   * @throws ServiceError 404 if there is no such project, 409 if the name exists already
   */
  renameProject(id: string, name: string): Project;
  /**
   * Removes a project.
   *
   * @throws ServiceError 404 if there is no such project, 409 if it has clusters
   */
  removeProject(id: string): void;
  /**
   * Sets private IP mode, without a check of the clusters.
   *
   * @throws ServiceError 404 if there is no such project
   */
  setPrivateIpMode(projectId: string, enabled: boolean): void;
  /**
   * Adds a cluster.
   *
   * @throws SeedError if the cluster is invalid
   * @throws ServiceError 404 if there is no such project, 400 or 409 if the cluster breaks a rule
   */
  addCluster(projectId: string, seed: SeedCluster): Cluster;
  /**
   * Updates the given fields of a cluster.
   *
   * @throws SeedError if a value is invalid
   * @throws ServiceError 404 if there is no such cluster, 400 or 409 if the change breaks a rule
   */
  updateCluster(projectId: string, name: string, change: Partial<SeedCluster>): Cluster;
  /**
   * Removes a cluster immediately.
   *
   * @throws ServiceError 404 if there is no such cluster
   */
  removeCluster(projectId: string, name: string): void;
  /** Replaces all data with a seed. */
  load(seed: CompleteSeed): void;
  /** Returns all projects in the format of the seed, for the state file. */
  snapshot(): CompleteSeedProject[];
  /** Calls a function after every change. */
  onChange(listener: () => void): void;
}

interface Entry {
  project: Omit<Project, "clusters">;
  readonly clusters: ClusterSet;
}

/**
 * Creates a store.
 *
 * @param seed the data at the start
 * @param clock the time source of creation dates and transitions
 * @returns the store
 * @throws SeedError if the seed contradicts itself
 * @throws ServiceError if its clusters or projects conflict with each other
 */
export function createStore(seed: CompleteSeed, clock: Clock): Store {
  const listeners: (() => void)[] = [];
  let organizations: Organization[] = [];
  let entries = new Map<string, Entry>();

  const notifyListeners = () => {
    for (const listener of listeners) listener();
  };

  function getEntry(projectId: string): Entry {
    applyDueTransitions();
    const entry = entries.get(projectId);
    if (!entry) throw missingProject(projectId);
    return entry;
  }

  function getCluster(entry: Entry, name: string): Cluster {
    const cluster = entry.clusters.taken.clusters.get(name);
    if (!cluster) throw missingCluster(entry.project.id, name);
    return cluster;
  }

  /** Applies the transitions that are due, and notifies the listeners if any were. */
  function applyDueTransitions(): void {
    const now = clock.now();
    let changed = false;
    for (const { clusters } of entries.values()) {
      if (clusters.applyDueTransitions(now)) changed = true;
    }
    if (changed) notifyListeners();
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
    rejectDuplicateName(organization, valid.name);
    const labels = new Set([...entries.values()].map(({ project }) => project.label));
    if (valid.label !== undefined && labels.has(valid.label)) {
      throw new SeedError(`The label "${valid.label}" is already in use by another project.`);
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
      entry.clusters.put(createCluster(cluster, contextOf(entry)));
    }
    entries.set(valid.id, entry);
    return toProject(entry);
  }

  function rejectDuplicateName(organization: Organization, name: string): void {
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

  function contextOf(entry: Entry) {
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
      applyDueTransitions();
      return [...entries.values()].map(toProject);
    },
    project: (id) => {
      applyDueTransitions();
      const entry = entries.get(id);
      return entry && toProject(entry);
    },
    cluster: (projectId, name) => {
      applyDueTransitions();
      return entries.get(projectId)?.clusters.taken.clusters.get(name);
    },
    addProject: (given) => {
      const project = addProject(given);
      notifyListeners();
      return project;
    },
    renameProject: (id, name) => {
      const entry = getEntry(id);
      if (name !== entry.project.name) rejectDuplicateName(entry.project.organization, name);
      entry.project = { ...entry.project, name };
      notifyListeners();
      return toProject(entry);
    },
    removeProject: (id) => {
      const entry = getEntry(id);
      if (entry.clusters.taken.clusters.size > 0) {
        throw new ServiceError(
          409,
          "PROJECT_HAS_CLUSTERS",
          `Project ${id} still has clusters; delete them first.`,
          [id],
        );
      }
      entries.delete(id);
      notifyListeners();
    },
    setPrivateIpMode: (projectId, enabled) => {
      const entry = getEntry(projectId);
      entry.project = { ...entry.project, privateIpMode: { enabled } };
      notifyListeners();
    },
    addCluster: (projectId, given) => {
      const entry = getEntry(projectId);
      const cluster = createCluster(given, contextOf(entry));
      entry.clusters.put(cluster);
      notifyListeners();
      return cluster;
    },
    updateCluster: (projectId, name, change) => {
      const entry = getEntry(projectId);
      const cluster = changeCluster(getCluster(entry, name), change, contextOf(entry));
      entry.clusters.put(cluster);
      notifyListeners();
      return cluster;
    },
    removeCluster: (projectId, name) => {
      const entry = getEntry(projectId);
      entry.clusters.remove(getCluster(entry, name).name);
      notifyListeners();
    },
    load: (from) => {
      load(from);
      notifyListeners();
    },
    snapshot: () => [...entries.values()].map((entry) => toSeedProject(toProject(entry))),
    onChange: (listener) => {
      listeners.push(listener);
    },
  };
}

/**
 * Creates the error for a project that does not exist.
 *
 * @param id the project ID
 * @returns a 404
 */
export function missingProject(id: string): ServiceError {
  return new ServiceError(404, "GROUP_NOT_FOUND", `No project has the id ${id}.`, [id]);
}

/**
 * Creates the error for a cluster that does not exist.
 *
 * @param projectId the project ID
 * @param name the name of the cluster
 * @returns a 404
 */
export function missingCluster(projectId: string, name: string): ServiceError {
  return new ServiceError(
    404,
    "CLUSTER_NOT_FOUND",
    `No cluster named "${name}" exists in project ${projectId}.`,
    [name, projectId],
  );
}

function toProject({ project, clusters }: Entry): Project {
  return { ...project, clusters: clusters.list() };
}

/** Derives an unused label from the project ID: five letters and digits, or more if it is in use. */
function freeLabel(id: string, usedLabels: ReadonlySet<string>): string {
  for (let length = 5; ; length += 1) {
    const label = shortName(length, "label", id);
    if (!usedLabels.has(label)) return label;
  }
}

function toSeedProject(project: Project): CompleteSeedProject {
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
