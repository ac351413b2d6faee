/**
 * What a failed response proves: the code of its error, and what to do. The proof is its status, the service's error
 * code, the names that it lists, and what this client sent. Sentences are only quoted, because each service has its own.
 * A function for each question returns an answer only if the response gives one, and the first answer counts. Settings
 * are named `clouddb:<key>`; commands replace these names (`forCommand`).
 */
import type { ErrorCode } from "../messages/errors";
import { doctorAdvice, setToOutput } from "../messages/recommendations";
import { escapeText } from "../messages/text";
import type { ServiceRequest } from "./exchange";

/**
 * What this client knows about a response: what it responds to, what is wrong with a 401, or that it is no JSON. The
 * last hides the others, because another server may have sent the response.
 */
export type Circumstance =
  | "token"
  | "revocation"
  | "noChallenge"
  | "staleNonces"
  | "HTML"
  | "other text";

/** A failed response, with the service's description of the failure (service document 7.2), if it has one. */
export interface FailedResponse {
  readonly status: number;
  /** A human-readable description of at most 500 characters, safe to print. */
  readonly detail?: string | undefined;
  /** A code such as `GROUP_NOT_FOUND`, of at most 100 characters, safe to print. */
  readonly errorCode?: string | undefined;
  /** The parameters and fields that the response lists. Never printed, because they are neither redacted nor escaped. */
  readonly parameters?: readonly string[] | undefined;
  readonly circumstance?: Circumstance | undefined;
  /** The `Location` header, with credentials redacted; empty if there is none. */
  readonly location?: string;
  readonly retryAfterSeconds?: number | undefined;
}

export type FailedRequest = Pick<ServiceRequest, "method" | "path" | "attempt"> &
  Partial<ServiceRequest>;

/** A failed response, and the request that it responds to. */
interface FailedExchange extends FailedResponse {
  readonly request: FailedRequest;
}

/** The code of an error, and what to do about it. */
interface Proof {
  readonly code: ErrorCode;
  /** One or more sentences. */
  readonly advice: string;
}

/** Returns what a failed response proves. If another server may have sent it, only the code counts. */
export function proofOf(request: FailedRequest, response: FailedResponse): Proof {
  const failure: FailedExchange = { ...response, request };
  const proof =
    proofOfAccessList(failure) ??
    proofOfTokenRequest(failure) ??
    proofOfCredentials(failure) ??
    proofOfVersion(failure) ??
    proofOfClusterPath(failure) ??
    proofOfWrongValue(failure) ??
    proofOfStatus(failure);
  return isForeign(failure) ? { ...proof, advice: foreignAdvice(failure) } : proof;
}

/**
 * Returns whether something else than the service may have sent a failure, because it is not JSON. A 429 says the same,
 * whoever sent it. A success that is not JSON never gets here.
 */
function isForeign({ status, circumstance }: FailedExchange): boolean {
  const isJson = circumstance !== "HTML" && circumstance !== "other text";
  return status >= 400 && status !== 429 && !isJson;
}

function foreignAdvice({ status, circumstance, request }: FailedExchange): string {
  const remedy =
    status >= 500
      ? "Try again later."
      : `Check clouddb:baseUrl and ${pathSetting(request)}, and HTTPS_PROXY and NO_PROXY.`;
  return `The response is ${circumstance} instead of the service's JSON, so a proxy, a gateway or another server may have sent it. ${remedy}`;
}

/**
 * Recognizes a refusal because of an access list. The service document has no error code for it; services of this kind
 * use one that names the list, sometimes only in the description.
 */
function proofOfAccessList(failure: FailedExchange): Proof | undefined {
  const { status, errorCode = "", detail = "", request } = failure;
  const isRefused = status === 401 || status === 403;
  if (!isRefused || !/ACCESS_LIST|WHITELIST/.test(errorCode + detail)) return undefined;
  const { name } = principalOf(request);
  const advice = `Add this machine's address to the API access list of ${name}. If the list contains it, ${name} needs ${roleFor(request)}.`;
  return { code: "access-list", advice };
}

/** Returns the role that a request needs. Only private IP mode is changed, with PATCH. */
function roleFor({ method }: FailedRequest): string {
  return method === "PATCH"
    ? "a role that may change the settings of this project (in Atlas, Project Owner)"
    : "a role that may read this project (in Atlas, Project Read Only)";
}

const newToken = setToOutput("CLOUDDB_ACCESS_TOKEN", "npx --no pulumi-clouddb token");
const shareToken = `Share one token between all processes: ${newToken}, without the client ID and secret.`;

/**
 * Who sends requests with each kind of credentials, and what to check after a 401, which does not say what is wrong.
 */
const principals = {
  apiKey: {
    name: "the API key",
    check: checkCredentials("clouddb:publicKey and clouddb:privateKey"),
  },
  serviceAccount: {
    name: "the service account",
    check: checkCredentials("clouddb:clientId and clouddb:clientSecret"),
  },
  accessToken: {
    name: "the service account of the token",
    check: `The token in clouddb:accessToken may have expired or been revoked. Set it to a new one, such as ${newToken}. If it is new, check that its service account belongs to the organization of this project.`,
  },
  none: { name: "the API key or service account", check: checkCredentials("the settings") },
};

function checkCredentials(settings: string): string {
  return `Check the credentials in ${settings}, their roles and their access list.`;
}

function principalOf({ credentials }: FailedRequest) {
  return principals[credentials ?? "none"];
}

/** The advice to check the address. The environments of a service have separate accounts, and refuse each other's. */
const checkEnvironment =
  "Also check clouddb:baseUrl, because credentials belong to one environment of the service, such as commercial, government or staging.";

/** The statuses that say that a path, or its method, does not exist. */
export const missingPath: readonly number[] = [404, 405, 410];

/** Explains the refusal of a request for a token, or to revoke one. */
function proofOfTokenRequest(failure: FailedExchange): Proof | undefined {
  const { status, circumstance, request } = failure;
  if (circumstance !== "token" && circumstance !== "revocation") return undefined;
  if (!isClientError(status) || status === 402) return undefined;
  if (missingPath.includes(status) && circumstance === "revocation") {
    const advice = "This path does not revoke tokens. The token expires on its own.";
    return { code: "not-found", advice };
  }
  if (missingPath.includes(status) || status === 406) {
    const advice = "This path does not issue tokens. Check clouddb:tokenPath and clouddb:baseUrl.";
    return { code: "not-found", advice };
  }
  switch (status) {
    case 400:
    case 401: {
      const advice = `The service account was refused. Check clouddb:clientId, clouddb:clientSecret and clouddb:tokenPath, and that the secret has not expired. ${checkEnvironment}`;
      return { code: "authentication", advice };
    }
    case 403: {
      const advice = `Check that the service account is active and may request tokens, and that its secret has not expired. It may have too many active tokens, which expire, usually within an hour. ${shareToken}`;
      return { code: "forbidden", advice };
    }
    case 429: {
      const advice = `Too many token requests in a short time. ${shareToken}`;
      return { code: "rate-limited", advice };
    }
    // Something else than a token endpoint has this path.
    default:
      return { code: "invalid-field", advice: addressAdvice(request) };
  }
}

/** Explains a 401, as far as this client knows what is wrong with the credentials. */
function proofOfCredentials({ status, circumstance, request }: FailedExchange): Proof | undefined {
  if (status !== 401) return undefined;
  const code = "authentication";
  switch (circumstance) {
    case "noChallenge": {
      const advice =
        "The service does not offer digest authentication for API keys. Check clouddb:baseUrl and clouddb:apiPath. If the service requires a service account, set clouddb:clientId and clouddb:clientSecret instead of clouddb:publicKey and clouddb:privateKey.";
      return { code, advice };
    }
    case "staleNonces": {
      const advice =
        "The service keeps reporting its own nonces as stale. The API key is not the cause: check the clocks of the service and the load balancer in front of it, or try again later.";
      return { code, advice };
    }
    default:
      return { code, advice: `${principalOf(request).check} ${checkEnvironment}` };
  }
}

/**
 * The error codes for a version of the API, such as INVALID_VERSION_DATE and UNSUPPORTED_API_VERSION, and for what needs
 * a newer one, such as ASYMMETRIC_SHARD_UNSUPPORTED. Other versions are those of clusters.
 */
const versionCode = /(?:^|INVALID_|UNSUPPORTED_|API_)VERSION|VERSION_(?:DATE|GONE)|ASYMMETRIC_/i;

/** Recognizes a version of the API that the service does not have, or no longer has. */
function proofOfVersion(failure: FailedExchange): Proof | undefined {
  if (!isAboutVersion(failure)) return undefined;
  const path = failure.status === 410 ? clusterPathOf(failure.request) : undefined;
  const removal =
    path === undefined
      ? ""
      : ` If no version of the path ${escapeText(path)} is left, remove it from clouddb:clusterPaths.`;
  return { code: "media-type", advice: `${versionAdvice(failure)}${removal}` };
}

function isAboutVersion({ status, errorCode = "" }: FailedExchange): boolean {
  if (status === 406 || status === 415) return true;
  return (status === 410 || isWrongValue(status)) && versionCode.test(errorCode);
}

const exampleDate = "2025-03-12";

/** Returns what to do about the version of the API in the media type, which the service does not accept. */
function versionAdvice({ status, request: { accept = "", body } }: FailedExchange): string {
  const [date] = /\d{4}-\d\d-\d\d/.exec(accept) ?? [];
  const problem = "The service does not support the media type or version of the request.";
  if (date === undefined) {
    return `${problem} Set clouddb:profile to atlas, or clouddb:mediaType to one that it supports, such as application/vnd.atlas.${exampleDate}+json.`;
  }
  if (status === 415 && body?.type === "application/json") {
    return `${problem} Set clouddb:profile to atlas, which also sends clouddb:mediaType with changes.`;
  }
  const which = status === 410 ? "a newer date" : "another date";
  const example = date < exampleDate ? `, such as ${accept.replace(date, exampleDate)}` : "";
  return `${problem} Set clouddb:mediaType to one with ${which} than ${date}${example}.`;
}

/** Recognizes a path of `clusterPaths` that the project does not have. The client asks whether it has the first one. */
function proofOfClusterPath({ status, request }: FailedExchange): Proof | undefined {
  const path = clusterPathOf(request);
  if (path === undefined || !missingPath.includes(status)) return undefined;
  const advice = `The project has no list of clusters at the path ${escapeText(path)}. Remove it from clouddb:clusterPaths.`;
  return { code: "settings", advice };
}

/** Returns the path that a request asks for, if it is one of `clusterPaths` other than the first, which has no origin. */
function clusterPathOf({ origins = {} }: FailedRequest): string | undefined {
  return Object.keys(origins).find((part) => origins[part] === "clusterPaths");
}

/** Returns whether a status says that a request has a wrong value. */
function isWrongValue(status: number): boolean {
  return status === 400 || status === 422;
}

/** Recognizes a wrong value if the response lists its name: a parameter that a setting names, or the project's ID. */
function proofOfWrongValue(failure: FailedExchange): Proof | undefined {
  const { status, errorCode = "", parameters = [], request } = failure;
  if (!isWrongValue(status)) return undefined;
  const { origins = {} } = request;
  const name = Object.keys(origins).find((part) => parameters.includes(part));
  if (name !== undefined) {
    const advice = `The service rejected the parameter ${escapeText(name)}. Set clouddb:${origins[name]} to the service's name for it.`;
    return { code: "invalid-field", advice };
  }
  if (![errorCode, ...parameters].some((text) => projectIdName.test(text))) return undefined;
  const advice = "Check the project ID, which is not the name of the project.";
  return { code: "invalid-field", advice };
}

/** Matches an error code such as INVALID_GROUP_ID, and a name such as projectId. */
const projectIdName = /(?:^|_)(?:group|project)_?id(?:_|$)/i;

/** Returns whether the service says that it has no such project, as opposed to no such path. */
export function hasProjectNotFoundCode({
  status,
  errorCode = "",
}: Pick<FailedResponse, "status" | "errorCode">): boolean {
  return status === 404 && /^(?:GROUP|PROJECT)_NOT_FOUND$/.test(errorCode);
}

/** Explains a response that proves nothing more than its status does (service document 7.1). */
function proofOfStatus(failure: FailedExchange): Proof {
  const { status } = failure;
  if (status >= 500) {
    const advice = "The error is on the service's side. Try again later.";
    return { code: "server-error", advice };
  }
  return isClientError(status) ? proofOfRefusal(failure) : proofOfOtherStatus(failure);
}

/** Explains a status that says that the request is at fault. */
function proofOfRefusal(failure: FailedExchange): Proof {
  const { status, errorCode = "", request, retryAfterSeconds } = failure;
  switch (status) {
    case 402:
      return serviceRefused;
    case 403: {
      const { name } = principalOf(request);
      const advice = `Unless the text says otherwise, ${name} needs ${roleFor(request)}, its API access list lacks this machine's address, or a policy of the organization forbids the request.`;
      return { code: "forbidden", advice };
    }
    case 404: {
      if (hasProjectNotFoundCode(failure)) {
        const advice =
          "The service has no such project. Check the project ID, which is not its name.";
        return { code: "not-found", advice };
      }
      const advice = `Check the project ID, clouddb:profile, clouddb:baseUrl and clouddb:apiPath. ${doctorAdvice}`;
      return { code: "not-found", advice };
    }
    case 405: {
      const advice = "The service does not offer this operation. Check clouddb:apiPath.";
      return { code: "method-not-allowed", advice };
    }
    case 409:
    case 412: {
      // Most other error codes of a 409 are about a state, such as CANNOT_UPDATE_PAUSED_CLUSTER.
      const isConflict = errorCode === "" || /CONFLICT|(?:^|RESOURCE_)VERSION/.test(errorCode);
      if (status === 409 && !isConflict) return serviceRefused;
      const advice = "The request conflicts with the current state of the resource. Try again.";
      return { code: "conflict", advice };
    }
    case 410: {
      const advice = `The service no longer offers this path, or this version of it. Check clouddb:apiPath. ${versionAdvice(failure)}`;
      return { code: "media-type", advice };
    }
    case 429: {
      const when = retryAfterSeconds === undefined ? "later" : `in ${retryAfterSeconds} s`;
      return { code: "rate-limited", advice: `Retry ${when}.` };
    }
    default: {
      if (errorCode.startsWith("CANNOT_")) return serviceRefused;
      return { code: "invalid-field", advice: "The service rejected the request as invalid." };
    }
  }
}

/** The proof that the service refuses a request for a reason of its own, which no setting changes. */
const serviceRefused: Proof = {
  code: "service-refused",
  advice: "The service refused the request. Resolve its reason in the service, then try again.",
};

/** Explains a redirect, or an unexpected success, which is not that of the service's API. */
function proofOfOtherStatus({ status, location = "", request }: FailedExchange): Proof {
  const code = "malformed-response";
  if (status >= 300 && location !== "") {
    const advice = `The response is a redirect${targetOf(location)}, which is not followed. Set clouddb:baseUrl to the service's own address.`;
    return { code, advice };
  }
  return status === 202
    ? { code, advice: "The service accepted the request and may apply it later." }
    : { code, advice: addressAdvice(request) };
}

/** Returns only the origin of the target, because its path or query may contain sensitive data. */
function targetOf(location: string): string {
  const url = URL.canParse(location) ? new URL(location) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:"
    ? ` to ${escapeText(url.origin, 100)}`
    : "";
}

function isClientError(status: number): boolean {
  return status >= 400 && status < 500;
}

function addressAdvice(request: FailedRequest): string {
  return `Check clouddb:baseUrl and ${pathSetting(request)}.`;
}

/** Returns the setting with the path of a request. Only tokens are requested and revoked with POST. */
export function pathSetting({ method }: FailedRequest): string {
  return method === "POST" ? "clouddb:tokenPath" : "clouddb:apiPath";
}
