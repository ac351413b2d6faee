/** Organizations and projects in the store. */
import { SeedError, conflict } from "../errors";
import type { CompleteSeedOrganization, CompleteSeedProject } from "../seed/seed";
import { isProviderLabel } from "../seed/cluster";
import { isoDate } from "../seed/validation";
import { type Cluster, TakenNames, createValidCluster, shortName } from "./cluster";

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

/** Derives an unused label from the project ID: five letters and digits, or more if it is in use. */
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

/** The other projects and the time, on which the checks and defaults of a project depend. */
export interface ProjectContext {
  readonly organizations: readonly Organization[];
  readonly projects: readonly Project[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Creates a project from a seed. `onConflict` gets the error of each cluster that conflicts with others or breaks a rule. */
export function createProject(
  seed: CompleteSeedProject,
  { organizations, projects, now }: ProjectContext,
  onConflict: (cluster: number, error: unknown) => void,
): Project {
  const { id, name } = seed;
  if (projects.some((project) => project.id === id)) {
    throw conflict("DUPLICATE_PROJECT_ID", `Project ${id} already exists.`, id);
  }
  const organization = organizations.find((known) => known.name === seed.organization);
  if (!organization) {
    throw new SeedError(`There is no organization "${seed.organization}".`);
  }
  rejectDuplicateName(name, organization, projects);
  const labels = new Set(projects.map(({ label }) => label));
  if (seed.label !== undefined && labels.has(seed.label)) {
    throw new SeedError(`The label "${seed.label}" is already in use by another project.`);
  }
  const clusters: Cluster[] = [];
  const taken = new TakenNames([]);
  for (const [index, seeded] of seed.clusters.entries()) {
    try {
      const cluster = createValidCluster(seeded, { projectId: id, now, taken });
      clusters.push(cluster);
      taken.add(cluster);
    } catch (error) {
      onConflict(index, error);
    }
  }
  const label = seed.label ?? freeLabel(id, labels);
  return { ...seed, organization, createdAt: seed.createdAt ?? isoDate(now), label, clusters };
}

export function rejectDuplicateName(
  name: string,
  { id }: Organization,
  projects: readonly Project[],
): void {
  if (!projects.some((project) => project.name === name && project.organization.id === id)) return;
  const detail = `A project named "${name}" already exists in the organization.`;
  throw conflict("DUPLICATE_PROJECT_NAME", detail, name);
}
