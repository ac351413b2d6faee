/**
 * Distinguishes a deleted project from a wrong address. Both result in a 404 (service document 7.1), but
 * only evidence about the project itself may remove a resource from the state.
 */
import type { Client } from "./client";
import { ResponseError } from "./requestErrors";
import { escapeText } from "../messages/text";
import { ProviderError } from "../messages/errors";

/**
 * Returns whether a failed request proves that a project was deleted (docs/reference/service-differences.md).
 * Returns false after any failure other than a 404, and throws if a 404 does not prove it.
 */
export async function projectIsGone(
  client: Pick<Client, "apiRoot" | "isApiRootValid">,
  projectId: string,
  error: unknown,
): Promise<boolean> {
  // A response to a request for a token, a POST, says nothing about the project.
  if (!(error instanceof ResponseError) || error.method !== "GET") return false;
  if (error.code !== "not-found") return false;
  const { errorCode = "", path } = error;
  if (/^(?:GROUP|PROJECT)_NOT_FOUND$/.test(errorCode)) return true;
  // The path of any other resource may be missing although the project exists.
  const isAboutClusters = path.endsWith(`/groups/${projectId}/clusters`);
  if (isAboutClusters && errorCode === "RESOURCE_NOT_FOUND" && (await client.isApiRootValid())) {
    return true;
  }
  throw new ProviderError(
    `project ${escapeText(projectId)} was not found at ${escapeText(client.apiRoot)}. The state is unchanged, because a wrong clouddb:baseUrl or clouddb:apiPath looks the same. If the project was deleted, remove its resources:\n  pulumi state delete <URN>`,
    { code: "deletion-unproven", cause: error },
  );
}
