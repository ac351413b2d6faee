/** Returns advice on failed responses. It is the last part of an error message. */
import { type ErrorBody } from "./errorBody";
import { escapeText } from "./text";

/** The facts that determine the advice. */
export interface Failure extends Pick<ErrorBody, "errorCode"> {
  /** HTTP status. */
  readonly status: number;
  /** The `Location` header, with credentials redacted. */
  readonly location?: string | undefined;
}

const mediaTypeAdvice =
  "The service does not serve this resource in the requested version: set mediaType to a version that it supports.";

/**
 * Returns what to do about a failed response.
 *
 * @param failure the status, error code and redirect target of the response
 * @returns one or two sentences
 * @example adviceFor({ status: 406 }) // "The service does not serve ... set mediaType to ..."
 */
export function adviceFor({ status, errorCode, location }: Failure): string {
  if (isAccessListRefusal(errorCode)) {
    return "Add this machine's address to the API access list of the API key or service account.";
  }
  if (isVersionRefusal(status, errorCode)) return mediaTypeAdvice;
  switch (status) {
    case 401:
      return "Check the API key or service account in the settings: it must belong to the organization of this project, and its API access list must contain this machine's address.";
    case 403:
      return "Check the roles of the API key or service account on this project, and that its API access list contains this machine's address.";
    case 404:
      return "Check the project ID, and that baseUrl and apiPath are those of the service.";
    case 405:
      return "The service does not offer this operation.";
    case 409:
      return conflictAdvice(errorCode);
    case 429:
      return "The project's limit of requests per minute is exhausted, possibly by other clients: try again in a minute, or lower requestsPerMinute.";
  }
  if (status >= 500) return "The service failed: try again later.";
  if (status >= 400) return "The service rejected the request as invalid.";
  if (status >= 300 && location !== undefined) {
    return `The response is a redirect${targetOf(location)}, which is not followed: set baseUrl to the service's own address.`;
  }
  return "Check that baseUrl and apiPath are those of the service.";
}

function conflictAdvice(errorCode: string | undefined): string {
  if (!namesConflict(errorCode))
    return "The request conflicts with the current state of the resource.";
  return isDuplicate(errorCode)
    ? "A resource with this name or value already exists."
    : "The service refuses this in the current state of the resource.";
}

/** Returns only the origin of the target: its path or query may contain sensitive data. */
function targetOf(location: string): string {
  const url = URL.canParse(location) ? new URL(location) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:"
    ? ` to ${escapeText(url.origin, 100)}`
    : "";
}

/**
 * Returns whether the API access list refused this machine. The service document has no error code for
 * this; services of this kind use one that names the list.
 *
 * @param errorCode the error code in the body
 * @returns true if the code names an access list
 */
export function isAccessListRefusal(errorCode: string | undefined): boolean {
  return errorCode !== undefined && /ACCESS_LIST|WHITELIST/.test(errorCode);
}

/**
 * Returns whether the error code of a 409 adds information to the status.
 *
 * @param errorCode the error code in the body
 * @returns false if there is no code, or if it only repeats the status
 */
export function namesConflict(errorCode: string | undefined): errorCode is string {
  return errorCode !== undefined && errorCode !== "CONFLICT";
}

/**
 * Returns whether a 409 is about a value that must be unique. Most of its error codes are about the
 * state of the resource instead.
 *
 * @param errorCode the error code in the body
 * @returns true if the code indicates a duplicate
 * @example isDuplicate("CANNOT_UPDATE_PAUSED_CLUSTER") // false
 */
export function isDuplicate(errorCode: string): boolean {
  return /DUPLICATE|ALREADY_(?:EXIST|IN_USE|USED|TAKEN|REGISTERED)|_EXISTS$|(?:NOT|NON)_UNIQUE|MUST_BE_UNIQUE|_TAKEN$|_IN_USE_BY/.test(
    errorCode,
  );
}

/** Returns whether the resource does not have the version that mediaType requests, or no longer has it. */
function isVersionRefusal(status: number, errorCode: string | undefined): boolean {
  if (status === 406 || status === 410) return true;
  return errorCode !== undefined && /VERSION_DATE|VERSION_GONE|ASYMMETRIC_SHARD/.test(errorCode);
}
