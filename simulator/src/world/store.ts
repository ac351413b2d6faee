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
import {
  changeCluster,
  type Cluster,
  createCluster,
  digest,
  shortName,
  type TakenNames,
} from "./cluster";

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

/** A project, with what makes its names unique beside the list of clusters that others see. */
interface Entry {
  project: Omit<Project, "clusters">;
  taken: TakenNames & {
    readonly clusters: Map<string, Cluster>;
    readonly hostNames: Map<string, string>;
    readonly endpointIndexes: Map<number, string>;
  };
  /** The project with its list of clusters, made when it is asked for. */
  view: Project | undefined;
}

export function createStore(seed: CompleteSeed, clock: Clock): Store {
  const listeners: (() => void)[] = [];
  let organizations: Organization[] = [];
  let entries = new Map<string, Entry>();
  /** When the next cluster changes by itself, in milliseconds since 1970. */
  let nextTransition = Infinity;

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
    const cluster = entry.taken.clusters.get(name);
    if (!cluster) throw missingCluster(entry.project.id, name);
    return cluster;
  }

  function put(entry: Entry, cluster: Cluster): void {
    release(entry, cluster.name);
    entry.taken.clusters.set(cluster.name, cluster);
    entry.taken.hostNames.set(cluster.hostName, cluster.name);
    for (const { index } of cluster.privateEndpoints) {
      entry.taken.endpointIndexes.set(index, cluster.name);
    }
    entry.view = undefined;
    nextTransition = Math.min(nextTransition, nextOf(cluster));
  }

  function release(entry: Entry, name: string): void {
    const before = entry.taken.clusters.get(name);
    if (!before) return;
    entry.taken.hostNames.delete(before.hostName);
    for (const { index } of before.privateEndpoints) entry.taken.endpointIndexes.delete(index);
  }

  function remove(entry: Entry, name: string): void {
    release(entry, name);
    entry.taken.clusters.delete(name);
    entry.view = undefined;
  }

  /** Lets happen what the clock has reached. */
  function settle(): void {
    const now = clock.now();
    if (now < nextTransition) return;
    nextTransition = Infinity;
    for (const entry of entries.values()) {
      for (const cluster of [...entry.taken.clusters.values()]) {
        const due = cluster.transitions.filter(({ at }) => at <= now);
        const last = due.at(-1);
        const dead = cluster.deleteAfterDate && Date.parse(cluster.deleteAfterDate) <= now;
        if (dead || last?.state === "GONE") remove(entry, cluster.name);
        else if (last) {
          put(entry, {
            ...cluster,
            state: last.state,
            pendingStrings: last.pendingStrings,
            transitions: cluster.transitions.slice(due.length),
          });
        } else nextTransition = Math.min(nextTransition, nextOf(cluster));
      }
    }
    changed();
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
      taken: { clusters: new Map(), hostNames: new Map(), endpointIndexes: new Map() },
      view: undefined,
    };
    for (const cluster of clusters) {
      put(entry, createCluster(cluster, surroundings(entry)));
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
    return { projectId: entry.project.id, now: clock.now(), taken: entry.taken };
  }

  function load(from: CompleteSeed): void {
    entries = new Map();
    nextTransition = Infinity;
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
      return entries.get(projectId)?.taken.clusters.get(name);
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
      entry.view = undefined;
      changed();
      return viewOf(entry);
    },
    removeProject: (id) => {
      const entry = entryOf(id);
      if (entry.taken.clusters.size > 0) {
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
      entry.view = undefined;
      changed();
    },
    addCluster: (projectId, given) => {
      const entry = entryOf(projectId);
      const cluster = createCluster(given, surroundings(entry));
      put(entry, cluster);
      changed();
      return cluster;
    },
    updateCluster: (projectId, name, change) => {
      const entry = entryOf(projectId);
      const cluster = changeCluster(clusterOf(entry, name), change, surroundings(entry));
      put(entry, cluster);
      changed();
      return cluster;
    },
    removeCluster: (projectId, name) => {
      const entry = entryOf(projectId);
      remove(entry, clusterOf(entry, name).name);
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

function viewOf(entry: Entry): Project {
  entry.view ??= { ...entry.project, clusters: [...entry.taken.clusters.values()] };
  return entry.view;
}

function nextOf(cluster: Cluster): number {
  return Math.min(
    cluster.transitions[0]?.at ?? Infinity,
    cluster.deleteAfterDate ? Date.parse(cluster.deleteAfterDate) : Infinity,
  );
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
