/**
 * Distinguishes a deleted project from a wrong address. Both result in a 404 (service document 7.1), but
 * only a deleted project may remove a resource from the state.
 */
import type { Client } from "../api/client";
import { ApiError, ResponseError, errorCodes } from "../api/errors";
import { escapeText } from "../api/escapeText";
import { ProviderError } from "../session/errors";

/**
 * Returns whether a failed request proves that a project is gone: the service says so, and the root of
 * the API responds as documented.
 *
 * @returns true if the project is gone; false if the failure is unrelated
 * @throws ProviderError naming baseUrl and apiPath if a 404 does not prove that the project is gone
 */
export async function projectIsGone(
  client: Pick<Client, "apiRoot" | "answersAtRoot">,
  projectId: string,
  error: unknown,
): Promise<boolean> {
  if (!(error instanceof ResponseError) || error.code !== errorCodes.notFound) return false;
  const unclear = (why: string) =>
    new ProviderError(
      `project ${escapeText(projectId)} was not found, but it cannot be shown that it is gone: ${why}. Nothing is removed from the state. Check that baseUrl and apiPath are those of the service: the API is expected at ${client.apiRoot}.`,
      "",
      { cause: error },
    );
  // A 404 without an errorCode is from a proxy or another server.
  if (error.errorCode === undefined) throw unclear("the 404 is not an answer of the API");
  try {
    if (await client.answersAtRoot()) return true;
  } catch (rootError) {
    if (!(rootError instanceof ApiError)) throw rootError;
    throw unclear(`the root of the API could not be read (${rootError.message})`);
  }
  throw unclear("nothing at the root of the API answers as the API does");
}
