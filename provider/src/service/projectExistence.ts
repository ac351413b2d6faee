/**
 * Distinguishes a deleted project from a wrong address. Both result in a 404 (service document 7.1), but
 * only evidence about the project itself may remove a resource from the state.
 */
import type { Client } from "./client";
import { ApiError, ResponseError, isMissingProject } from "./errors";
import { escapeText } from "../messages/text";
import { ProviderError } from "../messages/errors";

type ExistenceClient = Pick<Client, "apiRoot" | "isApiRootValid" | "isProjectListed">;

/**
 * Returns whether a failed request proves that a project was deleted: the service responds with 404 and
 * says that the project does not exist (docs/reference/service-differences.md). Returns false after any other failure,
 * and throws if a 404 does not prove it, or if a 401 or 403 is not about the credentials alone.
 */
export async function projectIsGone(
  client: ExistenceClient,
  projectId: string,
  error: unknown,
): Promise<boolean> {
  // A response to a request for a token, a POST, says nothing about the project.
  if (!(error instanceof ResponseError) || error.method !== "GET") return false;
  if (error.code === "authentication" || error.code === "forbidden") {
    await explainRefusal(client, projectId, error);
  }
  if (error.code !== "not-found") return false;
  const doubt = await doubtAbout(client, projectId, error.errorCode);
  if (doubt === undefined) return true;
  throw new ProviderError(
    `project ${escapeText(projectId)} was not found, but this does not prove that it was deleted: ${doubt}. Nothing is removed from the state. Check that baseUrl and apiPath are those of the service: the API is expected at ${client.apiRoot}. If the project was deleted, remove its resources:\n  pulumi state delete <URN>`,
    { code: "deletion-unproven", cause: error },
  );
}

/**
 * Throws if the service accepts the credentials, but does not list the project. Some services respond like this
 * for a deleted project, but also after the credentials lost their role in it.
 */
async function explainRefusal(client: ExistenceClient, projectId: string, refusal: ResponseError) {
  const isListed = await client.isProjectListed(projectId).catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
    // The service refuses the credentials themselves, or fails.
    return true;
  });
  if (isListed === true) return;
  const found =
    isListed === false
      ? "the service lists other projects, but not this one"
      : "the service's list of projects is empty or may be incomplete";
  throw new ProviderError(
    `the service responded with ${refusal.status} for project ${escapeText(projectId)}, although it accepts the credentials: ${found}. Either the project was deleted, or the credentials no longer have a role in it. Nothing is removed from the state. If the project was deleted, remove its resources with pulumi state delete; otherwise, give the credentials a role in the project.`,
    { code: "deletion-unproven", cause: refusal },
  );
}

/** Returns why a 404 does not prove that the project was deleted; undefined if it was. */
async function doubtAbout(
  client: ExistenceClient,
  projectId: string,
  errorCode: string | undefined,
): Promise<string | undefined> {
  // A 404 without an errorCode is from a proxy or another server.
  if (errorCode === undefined) return "the 404 did not come from the API";
  const isAboutProject = isMissingProject(errorCode);
  try {
    if (isAboutProject && (await client.isApiRootValid())) return undefined;
    const isListed = await client.isProjectListed(projectId);
    if (isListed === false) return undefined;
    if (isAboutProject) return "the root of the API did not respond as documented";
    // Any other code, such as RESOURCE_NOT_FOUND, may be about the path (service document 7.2).
    return isListed
      ? "the service still lists the project"
      : "the service's list of projects is empty or may be incomplete";
  } catch (cause) {
    if (!(cause instanceof ApiError)) throw cause;
    const what = isAboutProject ? "root of the API" : "service's list of projects";
    return `the ${what} could not be read (${cause.message})`;
  }
}
