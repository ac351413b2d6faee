/** The errors that the simulator returns to API callers (service document 7.2). */

/** An error response of the API. The HTTP server turns it into the five-field error body. */
export class ServiceError extends Error {
  /** Name of the class, to recognize the error without `instanceof`. */
  override readonly name = "ServiceError";

  /**
   * Creates an error response.
   *
   * @param status HTTP status code
   * @param errorCode constant that names the failure, for example `RESOURCE_NOT_FOUND`
   * @param detail human-readable description of the failure
   * @param parameters details such as the invalid fields. Default: none. The HTTP server replaces
   *   those of a 404 with the requested path.
   * @param headers additional response headers. Default: none
   */
  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 406 | 409 | 410 | 429 | 500,
    readonly errorCode: string,
    detail: string,
    readonly parameters: readonly (string | number)[] = [],
    readonly headers: Readonly<Record<string, string | string[]>> = {},
  ) {
    super(detail);
  }
}

/**
 * Creates the error for a project that does not exist.
 *
 * @param id the project ID
 * @returns a 404
 */
export function missingProject(id: string): ServiceError {
  return new ServiceError(404, "GROUP_NOT_FOUND", `No project has the ID ${id}.`, [id]);
}

/**
 * Creates the error for a cluster that does not exist.
 *
 * @param projectId the project ID
 * @param name the name of the cluster
 * @returns a 404
 */
export function missingCluster(projectId: string, name: string): ServiceError {
  return new ServiceError(
    404,
    "CLUSTER_NOT_FOUND",
    `No cluster named "${name}" exists in project ${projectId}.`,
    [name, projectId],
  );
}
