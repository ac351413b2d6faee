/** A refusal by the service: becomes the five-field error body (service document 7.2). */
export class ServiceError extends Error {
  override readonly name = "ServiceError";

  constructor(
    readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 429 | 500,
    /** The named constant, e.g. `RESOURCE_NOT_FOUND`. */
    readonly errorCode: string,
    /** For people: what is wrong. */
    detail: string,
    readonly parameters: readonly (string | number)[] = [],
    readonly headers: Readonly<Record<string, string | string[]>> = {},
  ) {
    super(detail);
  }
}
