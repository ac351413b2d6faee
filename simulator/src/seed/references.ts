/** Finds contradictions in a seed: duplicate names and IDs, and references to missing projects or organizations. */
import type { SeedOrganization } from "./organizationSchema";
import type { CompleteSeedProject } from "./projectSchema";

/** Reports a problem at a path of the seed. */
export type Report = (path: (string | number)[], message: string) => void;

interface Parts {
  readonly organizations: readonly SeedOrganization[];
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
  reportMissingOrganizations(seed, report);
  reportCredentials(seed, report);
}

function reportDuplicateOrganizations({ organizations }: Parts, report: Report): void {
  const names = new Set<string>();
  organizations.forEach(({ name }, index) => {
    if (names.has(name)) report(["organizations", index, "name"], `"${name}" exists twice`);
    names.add(name);
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
  const ids = new Set<string>();
  organizations.forEach((organization, index) => {
    for (const { path, field, id, roles } of credentialsOf(organization, index)) {
      if (ids.has(id)) report([...path, field], `"${id}" exists twice`);
      ids.add(id);
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
}

function credentialsOf({ apiKeys, serviceAccounts }: SeedOrganization, index: number) {
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
