/** The shell command that the status page displays. */
import { principalsOf, roleIn } from "../authentication/principals";
import type { Service } from "../api/operation";
import type { Project } from "../store/project";

/**
 * Returns a curl command that lists the clusters of a project, with an API key that has a role in it. The
 * shell takes the private key from the variable CLOUDDB_PRIVATE_KEY.
 *
 * @param service the service
 * @param project the project
 * @returns the command, or undefined if no API key has a role in the project
 */
export function curlCommand(
  { store, settings, documents }: Service,
  project: Project,
): string | undefined {
  const key = [...principalsOf(store).values()].find(
    (principal) => principal.kind === "apiKey" && roleIn(principal, project) !== undefined,
  );
  if (!key) return undefined;
  const url = `${documents.origin}${settings.apiPath}/groups/${project.id}/clusters?pretty=true`;
  const user = `${quoted(key.id)}:"$CLOUDDB_PRIVATE_KEY"`;
  const caFile = quoted(settings.caFile ?? "ca.pem");
  return `curl --cacert ${caFile} --digest --user ${user} ${quoted(url)}`;
}

/** Quotes a word for a shell if necessary. */
function quoted(word: string): string {
  return /^[\w./:@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
