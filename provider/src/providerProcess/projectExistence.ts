/**
 * Distinguishes a deleted project from a wrong address. Both result in a 404 (service document 7.1), but
 * only a deleted project may remove a resource from the state.
 */
import type { Client } from "../api/client";
import { ApiError, ResponseError, errorCodes } from "../api/errors";
import { escapeText } from "../api/text";
import { ProviderError } from "../session/errors";

/**
 * Returns whether a failed request proves that a project was deleted: the service responds with 404 and
 * an errorCode, and the root of the API responds as documented (service document 4.5).
 *
 * @param client reads the root of the API
 * @param projectId the project of the failed request
 * @param error the failure
 * @returns true if the project was deleted; false if the failure is not a 404
 * @throws ProviderError naming baseUrl and apiPath if a 404 does not prove that the project was deleted
 */
export async function projectIsGone(
  client: Pick<Client, "apiRoot" | "isApiRootValid">,
  projectId: string,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof ResponseError) || error.code !== errorCodes.notFound) return false;
  const unproven = (why: string) =>
    new ProviderError(
      `project ${escapeText(projectId)} was not found, but this does not prove that it was deleted: ${why}. Nothing is removed from the state. Check that baseUrl and apiPath are those of the service: the API is expected at ${client.apiRoot}.`,
      "",
      { cause: error },
    );
  // A 404 without an errorCode is from a proxy or another server.
  if (error.errorCode === undefined) throw unproven("the 404 did not come from the API");
  try {
    if (await client.isApiRootValid()) return true;
  } catch (rootError) {
    if (!(rootError instanceof ApiError)) throw rootError;
    throw unproven(`the root of the API could not be read (${rootError.message})`);
  }
  throw unproven("the root of the API did not respond as documented");
}
