/** The errors of the simulator, and text for their messages. */

/** An error response of the API (service document 7.2). The HTTP server turns it into the five-field error body. */
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
    readonly status: 400 | 401 | 403 | 404 | 405 | 406 | 409 | 429 | 500,
    readonly errorCode: string,
    detail: string,
    readonly parameters: readonly (string | number)[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(detail);
  }
}

/** The error for a value that a body or a seed must not have. */
export function invalidAttribute(detail: string, ...fields: string[]): ServiceError {
  return new ServiceError(400, "INVALID_ATTRIBUTE", detail, fields);
}

/** The error for a caller without permission. */
export function forbidden(detail: string, ...parameters: string[]): ServiceError {
  return new ServiceError(403, "FORBIDDEN", detail, parameters);
}

/** The error for a change that other data does not allow. */
export function conflict(errorCode: string, detail: string, parameter: string): ServiceError {
  return new ServiceError(409, errorCode, detail, [parameter]);
}

export function missingProject(id: string): ServiceError {
  return new ServiceError(404, "GROUP_NOT_FOUND", `No project has the ID ${id}.`, [id]);
}

export function missingCluster(projectId: string, name: string): ServiceError {
  return new ServiceError(
    404,
    "CLUSTER_NOT_FOUND",
    `No cluster named "${name}" exists in project ${projectId}.`,
    [name, projectId],
  );
}

/** An invalid seed, setting or fault. The message contains the path of each problem. */
export class SeedError extends Error {
  /** Name of the class, to recognize the error without `instanceof`. */
  override readonly name = "SeedError";
}

/** The state file cannot be read, is damaged, or cannot be written. */
export class StateFileError extends Error {
  /** Name of the class, to recognize the error without `instanceof`. */
  override readonly name = "StateFileError";
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Returns the code of an error of Node.js, such as `ENOENT`. @internal */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** Control characters, format characters such as bidirectional controls, lone surrogates and separators. */
const unsafeCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/** Escapes a message for a terminal, except for its line breaks. */
export function escapeMessage(message: string): string {
  return message.replace(unsafeCharacters, (character) =>
    character === "\n" ? character : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

/** Quotes a word for a POSIX shell. A path is quoted such that PowerShell and cmd accept it, too. */
export function quoteForShell(word: string): string {
  if (/^[\w./:@%+-]+$/.test(word)) return word;
  return /^[\w.:@+~,()'/ \\-]+$/.test(word) ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;
}
