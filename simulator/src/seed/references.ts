/** Finds contradictions in a seed: duplicate names and IDs, and references to missing projects or organizations. */
import type { CompleteSeedOrganization } from "./organizationSchema";
import type { CompleteSeedProject } from "./projectSchema";

/** Reports a problem at a path of the seed. */
export type Report = (path: (string | number)[], message: string) => void;

interface Parts {
  readonly organizations: readonly CompleteSeedOrganization[];
  readonly projects: readonly CompleteSeedProject[];
}

/**
 * Reports the contradictions of a seed.
 *
 * @param seed the organizations and projects
 * @param report called for each contradiction
 */
export function reportContradictions(seed: Parts, report: Report): void {
  reportDuplicateOrganizations(seed, report);
  reportDuplicateProjects(seed, report);
  reportMissingOrganizations(seed, report);
  reportCredentials(seed, report);
}

/** A value that must be unique. */
interface UniqueValue {
  readonly path: (string | number)[];
  /** Undefined if the field has a default. */
  readonly value: string | undefined;
}

function reportDuplicates(values: readonly UniqueValue[], report: Report): void {
  const seen = new Set<string>();
  for (const { path, value } of values) {
    if (value === undefined) continue;
    if (seen.has(value)) report(path, `"${value}" exists twice`);
    seen.add(value);
  }
}

function reportDuplicateOrganizations({ organizations }: Parts, report: Report): void {
  for (const field of ["name", "id"] as const) {
    const values = organizations.map((organization, index) => ({
      path: ["organizations", index, field],
      value: organization[field],
    }));
    reportDuplicates(values, report);
  }
}

/**
 * Reports projects with the same ID or label, or with the same name in one organization, and clusters
 * with the same name in one project.
 */
function reportDuplicateProjects({ projects }: Parts, report: Report): void {
  const valuesOf = (field: "id" | "label" | "name", organization?: string): UniqueValue[] =>
    projects.flatMap((project, index) =>
      organization === undefined || project.organization === organization
        ? [{ path: ["projects", index, field], value: project[field] }]
        : [],
    );
  reportDuplicates(valuesOf("id"), report);
  reportDuplicates(valuesOf("label"), report);
  for (const organization of new Set(projects.map(({ organization }) => organization))) {
    reportDuplicates(valuesOf("name", organization), report);
  }
  projects.forEach(({ clusters }, index) => {
    const names = clusters.map(({ name }, clusterIndex) => ({
      path: ["projects", index, "clusters", clusterIndex, "name"],
      value: name,
    }));
    reportDuplicates(names, report);
  });
}

function reportMissingOrganizations({ organizations, projects }: Parts, report: Report): void {
  const names = new Set(organizations.map(({ name }) => name));
  projects.forEach(({ organization }, index) => {
    if (names.has(organization)) return;
    report(
      ["projects", index, "organization"],
      `there is no organization "${organization}" in the seed`,
    );
  });
}

/** Reports duplicate IDs of credentials, and roles in projects of other organizations. */
function reportCredentials({ organizations, projects }: Parts, report: Report): void {
  const ids: UniqueValue[] = [];
  organizations.forEach((organization, index) => {
    for (const { path, field, id, roles } of credentialsOf(organization, index)) {
      ids.push({ path: [...path, field], value: id });
      roles.forEach(({ projectId }, roleIndex) => {
        if (projectId === undefined) return;
        const project = projects.find(({ id }) => id === projectId);
        const rolePath = [...path, "roles", roleIndex, "projectId"];
        if (!project) report(rolePath, `there is no project ${projectId} in the seed`);
        else if (project.organization !== organization.name) {
          report(rolePath, `project ${projectId} belongs to another organization`);
        }
      });
    }
  });
  reportDuplicates(ids, report);
}

function credentialsOf({ apiKeys, serviceAccounts }: CompleteSeedOrganization, index: number) {
  return [
    ...apiKeys.map(({ publicKey, roles }, keyIndex) => ({
      path: ["organizations", index, "apiKeys", keyIndex],
      field: "publicKey",
      id: publicKey,
      roles,
    })),
    ...serviceAccounts.map(({ clientId, roles }, accountIndex) => ({
      path: ["organizations", index, "serviceAccounts", accountIndex],
      field: "clientId",
      id: clientId,
      roles,
    })),
  ];
}
