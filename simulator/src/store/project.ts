/** Organizations and projects in the store. */
import { isProviderLabel } from "../seed/fields";
import type { CompleteSeedOrganization } from "../seed/organizationSchema";
import type { CompleteSeedProject } from "../seed/projectSchema";
import type { Cluster } from "./cluster";
import { shortName } from "./derivedNames";

/** An organization with its credentials. */
export interface Organization extends Readonly<CompleteSeedOrganization> {
  /** 24 hexadecimal digits. */
  readonly id: string;
}

/** A project with its clusters: an immutable snapshot. */
export interface Project extends Readonly<Omit<CompleteSeedProject, "organization" | "clusters">> {
  /** Organization of the project. */
  readonly organization: Organization;
  /** ISO 8601 in UTC. */
  readonly createdAt: string;
  /** `<project_hash>`: unique across the service. */
  readonly label: string;
  /** Private IP mode of the project. */
  readonly privateIpMode: Readonly<CompleteSeedProject["privateIpMode"]>;
  /** In the order of their creation. */
  readonly clusters: readonly Cluster[];
}

/**
 * Derives an unused label from the project ID: five letters and digits, or more if it is in use.
 *
 * @param id the project ID
 * @param usedLabels the labels of all other projects
 * @returns the label
 */
export function freeLabel(id: string, usedLabels: ReadonlySet<string>): string {
  for (let length = 5; ; length += 1) {
    const label = shortName(length, "label", id);
    if (!usedLabels.has(label) && !isProviderLabel(label)) return label;
  }
}

/**
 * Converts a project to the format of the seed.
 *
 * @param project the project
 * @returns the project as in the state file
 */
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
