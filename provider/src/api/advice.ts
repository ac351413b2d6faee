/** What to do about a failed response: the last sentences of its message. */
import { type ErrorBody } from "./errorBody";
import { escapeText } from "./escapeText";

/** What advice depends on. */
export interface Failure extends Pick<ErrorBody, "errorCode"> {
  /** HTTP status. */
  readonly status: number;
  /** The `Location` header, with credentials masked. */
  readonly location?: string | undefined;
}

const mediaTypeAdvice =
  "The service does not serve this resource in the version asked for: set mediaType to a version that it supports.";

/**
 * Says what to do about a failed response.
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
      return "Check the API key or service account in the settings, that it belongs to the organization of this project, and that its API access list contains this machine's address.";
    case 403:
      return "Check the roles of the API key or service account on this project, and that its API access list contains this machine's address.";
    case 404:
      return "Check the project ID, and that baseUrl and apiPath are those of the service.";
    case 405:
      return "The service does not offer this operation.";
    case 409:
      return conflictAdvice(errorCode);
    case 429:
      return "The limit of requests per minute for this project is used up, also by others who share the project: try again in a minute, or set requestsPerMinute lower.";
  }
  if (status >= 500) return "The service failed: try again later.";
  if (status >= 400) return "The service does not accept the request as it stands.";
  if (status >= 300 && location !== undefined) {
    return `It is a redirect${targetOf(location)}, which is not followed: set baseUrl to the service's own address.`;
  }
  return "Check that baseUrl and apiPath are those of the service.";
}

function conflictAdvice(errorCode: string | undefined): string {
  if (!namesConflict(errorCode)) return "The request conflicts with the resource's present state.";
  return isDuplicate(errorCode)
    ? "A resource with this name or value already exists."
    : "The service refuses this in the resource's present state.";
}

/** Only the origin: a path or query may carry what is nobody's business. */
function targetOf(location: string): string {
  const url = URL.canParse(location) ? new URL(location) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:"
    ? ` to ${escapeText(url.origin, 100)}`
    : "";
}

/**
 * Tells whether the API access list refused this machine. The document has no error code for this;
 * services of this kind name the list in it.
 *
 * @param errorCode of an error body
 * @returns true if the code names an access list
 */
export function isAccessListRefusal(errorCode: string | undefined): boolean {
  return errorCode !== undefined && /ACCESS_LIST|WHITELIST/.test(errorCode);
}

/**
 * Tells whether the error code of a 409 says more than the status does.
 *
 * @param errorCode of an error body
 * @returns false if there is none, or only the status in words
 */
export function namesConflict(errorCode: string | undefined): errorCode is string {
  return errorCode !== undefined && errorCode !== "CONFLICT";
}

/**
 * Tells whether a 409 is about something that must be unique. Most of its error codes are about the
 * resource's state instead.
 *
 * @param errorCode of an error body
 * @returns true if the code speaks of a duplicate
 * @example isDuplicate("CANNOT_UPDATE_PAUSED_CLUSTER") // false
 */
export function isDuplicate(errorCode: string): boolean {
  return /DUPLICATE|ALREADY_(?:EXIST|IN_USE|USED|TAKEN|REGISTERED)|_EXISTS$|(?:NOT|NON)_UNIQUE|MUST_BE_UNIQUE|_TAKEN$|_IN_USE_BY/.test(
    errorCode,
  );
}

/** A resource that has no version, or no longer the one, that mediaType asks for. */
function isVersionRefusal(status: number, errorCode: string | undefined): boolean {
  if (status === 406 || status === 410) return true;
  return errorCode !== undefined && /VERSION_DATE|VERSION_GONE|ASYMMETRIC_SHARD/.test(errorCode);
}
