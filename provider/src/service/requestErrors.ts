/**
 * The errors of requests to the service, and what to do about them. Every message says what was requested, what
 * happened and what to do next. None contains credentials: a request is described by its method and path.
 */
import { type Code, UserError } from "../messages/errors";
import { setToOutput } from "../messages/recommendations";
import { escapeText } from "../messages/text";
import type { ServiceRequest } from "./exchange";

/** What this client knows about a response: what it responds to, what is wrong with a 401, or that it is no JSON. */
export type Circumstance =
  | "token"
  | "revocation"
  | "accessToken"
  | "noChallenge"
  | "staleNonces"
  | "HTML"
  | "other text";

/** A failed response, with the service's description of the failure (service document 7.2), if it has one. */
export interface FailedResponse {
  readonly status: number;
  /** A human-readable description of at most 500 characters. */
  readonly detail?: string | undefined;
  /** A code such as `GROUP_NOT_FOUND`; at most 100 characters. */
  readonly errorCode?: string | undefined;
  /** Only to choose the advice, because they are not safe to print. */
  readonly parameters?: readonly string[] | undefined;
  readonly circumstance?: Circumstance | undefined;
  /** The `Location` header, with credentials redacted; empty if there is none. */
  readonly location?: string;
  readonly retryAfterSeconds?: number | undefined;
}

export type FailedRequest = Pick<ServiceRequest, "method" | "path" | "attempt"> &
  Partial<ServiceRequest>;

type Failure = FailedResponse & { readonly request: FailedRequest };

const any = /(?:)/;
const ofTokens: readonly Circumstance[] = ["token", "revocation"];
const foreign: readonly Circumstance[] = ["HTML", "other text"];

/**
 * What a failed response proves, by its status (service document 7.1), and by what it says (its error code, description
 * or parameters) or its circumstance. The first row that has advice applies, and the first one of these with a code.
 * The advice is that of the code, unless the row names another one.
 */
const proofs: readonly (readonly [
  status: RegExp,
  says: RegExp | readonly Circumstance[],
  code: Extract<ErrorCode, keyof typeof advices> | undefined,
  advice?: keyof typeof advices,
])[] = [
  [/[45]../, foreign, undefined, "foreign"],
  // The service document has no error code for an access list; services of this kind use one that names the list.
  [/40[13]/, /ACCESS_LIST|WHITELIST/, "access-list"],
  [/402/, any, "service-refused"],
  [/40[45]|410/, ["revocation"], "not-found", "revocation"],
  [/40[456]|410/, ofTokens, "not-found", "tokenPath"],
  [/40[01]/, ofTokens, "authentication", "account"],
  [/403/, ofTokens, "forbidden", "accountForbidden"],
  [/429/, ofTokens, "rate-limited", "tokenLimit"],
  [/4../, ofTokens, "invalid-field", "malformed-response"],
  [/401/, ["accessToken"], "authentication", "accessToken"],
  [/401/, ["noChallenge"], "authentication", "noChallenge"],
  [/401/, ["staleNonces"], "authentication", "staleNonces"],
  [/401/, any, "authentication"],
  [/403/, any, "forbidden"],
  [/406|415/, any, "media-type"],
  [
    /^4(?!04|05|29)/,
    /VERSION_(?:DATE|GONE)|ASYMMETRIC_|media type|accept header|API[_ ]v(?:ersion|\d)|\bversion \d{4}-|\bv[12](?:\.\d)? (?:of the )?(?:API|endpoint|resource)|version of (?:the|this) (?:API|resource)/i,
    "media-type",
  ],
  [/404|405|410/, any, "settings"],
  [/410/, any, "media-type", "gone"],
  [/^4(?!0[45]|09|29)/, any, "invalid-field", "parameter"],
  [/400|422/, /(?:GROUP|PROJECT)_ID|\b(?:group|project) ?id\b/i, "invalid-field", "projectId"],
  [/404/, /^(?:GROUP|PROJECT)_NOT_FOUND/, "not-found", "noProject"],
  [/404/, any, "not-found"],
  [/405/, any, "method-not-allowed"],
  [/409/, /^(?:CONFLICT)?(?:\n|$)/, "conflict"],
  // Most error codes of a 409 are about a state, such as CANNOT_UPDATE_PAUSED_CLUSTER.
  [/409/, any, "service-refused"],
  [/429/, any, "rate-limited"],
  [/4../, /^CANNOT_/, "service-refused"],
  [/4../, any, "invalid-field"],
  [/5../, any, "server-error"],
  [/3../, any, "malformed-response", "redirect"],
  [/202/, any, "malformed-response", "accepted"],
  // An unexpected success, which is not that of the service's API.
  [any, any, "malformed-response"],
];

/** The code of an error. docs/reference/errors.md explains each. */
export type ErrorCode = Extract<
  Code,
  keyof typeof advices | "connection" | "certificate" | "timeout" | "cancelled"
>;

const token = setToOutput("CLOUDDB_ACCESS_TOKEN", "npx pulumi-clouddb token");
const shareToken = `Share one token between all processes: ${token}, without the client ID and secret.`;

/** What to do. A function returns nothing if the response does not prove it after all. */
const advices = {
  "access-list":
    "Add this machine's address to the API access list of the API key or service account.",
  authentication: "Check the credentials, their roles and their access list.",
  forbidden:
    "Check the roles of the API key or service account on this project, and that its API access list contains this machine's address.",
  "not-found": "Check the project ID, clouddb:profile, clouddb:baseUrl and clouddb:apiPath.",
  "method-not-allowed": "The service does not offer this operation. Check clouddb:apiPath.",
  "media-type": versionAdvice,
  conflict: "The request conflicts with the current state of the resource.",
  "service-refused":
    "The service refused the request. Resolve its reason in the service, then try again.",
  "rate-limited": ({ retryAfterSeconds: seconds }: Failure) =>
    `Retry ${seconds === undefined ? "later" : `in ${seconds} s`}, or lower clouddb:requestsPerMinute.`,
  "invalid-field": "The service rejected the request as invalid.",
  "server-error": "The error is on the service's side. Try again later.",
  "malformed-response": ({ request }: Failure) =>
    `Check clouddb:baseUrl and ${pathSetting(request)}.`,
  foreign: ({ status, circumstance, request }: Failure) =>
    `The response is ${circumstance} instead of the service's JSON, so a proxy, a gateway or another server may have sent it. ${
      status >= 500
        ? "Try again later."
        : `Check clouddb:baseUrl and ${pathSetting(request)}, and HTTPS_PROXY and NO_PROXY.`
    }`,
  revocation: "This path does not revoke tokens. The token expires on its own.",
  tokenPath: "This path does not issue tokens. Check clouddb:tokenPath and clouddb:baseUrl.",
  // API access lists do not apply to requests for tokens.
  account:
    "The service account was refused. Check clouddb:clientId, clouddb:clientSecret and clouddb:tokenPath, and that the secret has not expired.",
  accountForbidden: `Check that the service account is active and may request tokens, and that its secret has not expired. It may have too many active tokens, which expire, usually within an hour. ${shareToken}`,
  tokenLimit: `Too many token requests in a short time. ${shareToken}`,
  accessToken: `The token in clouddb:accessToken may have expired or been revoked. Set it to a new one, such as ${token}. If it is new, check that its service account belongs to the organization of this project.`,
  noChallenge:
    "The service does not offer digest authentication for API keys. Check clouddb:baseUrl and clouddb:apiPath. If the service requires a service account, set clouddb:clientId and clouddb:clientSecret instead of clouddb:publicKey and clouddb:privateKey.",
  staleNonces:
    "The service keeps reporting its own nonces as stale. The API key is not the cause: check the clocks of the service and the load balancer in front of it, or try again later.",
  settings({ request: { origins = {} } }: Failure) {
    const path = Object.keys(origins).find((part) => origins[part] === "clusterPaths");
    const problem = `The project has no list of clusters at the path ${escapeText(path ?? "")}.`;
    return path && `${problem} Remove it from clouddb:clusterPaths.`;
  },
  gone: (failure: Failure) =>
    `The service no longer offers this path, or this version of it. Check clouddb:apiPath. ${versionAdvice(failure)}`,
  parameter(failure: Failure) {
    const { origins = {} } = failure.request;
    const name = Object.keys(origins).find((part) => isNamed(part, wordsOf(failure)));
    const problem = `The service rejected the parameter ${escapeText(name ?? "")}.`;
    return name && `${problem} Set clouddb:${origins[name]} to the service's name for it.`;
  },
  projectId: "Check the project ID, which is not the name of the project.",
  noProject: "The service has no such project. Check the project ID, which is not its name.",
  redirect: ({ location }: Failure) =>
    location &&
    `The response is a redirect${targetOf(location)}, which is not followed. Set clouddb:baseUrl to the service's own address.`,
  accepted: "The service accepted the request and may apply it later.",
} satisfies Record<string, string | ((failure: Failure) => string | undefined)>;

function codeAndAdvice(failure: Failure): { code: ErrorCode; advice: string } {
  const text = wordsOf(failure);
  const found = proofs.flatMap(([statuses, says, code, name = code]) => {
    const isSaid =
      says instanceof RegExp ? says.test(text) : says.some((one) => one === failure.circumstance);
    if (!isSaid || !statuses.test(String(failure.status)) || name === undefined) return [];
    const entry = advices[name];
    const advice = typeof entry === "string" ? entry : entry(failure);
    return advice ? [{ code, advice }] : [];
  });
  const { code = "malformed-response" } = found.find((row) => row.code !== undefined) ?? {};
  return { code, advice: found[0]?.advice ?? "" };
}

/** What the service says: its error code, and then the rest. */
function wordsOf({ errorCode = "", detail = "", parameters = [] }: FailedResponse): string {
  return [errorCode, detail, ...parameters].join("\n");
}

/** Returns whether a text names a parameter outside of a query. */
function isNamed(name: string, text: string): boolean {
  // A name such as count is also a word.
  if (/^[a-z]+$/.test(name) && !/parameter|attribute|query/i.test(text)) return false;
  return text.split(/[^\w$.[\]=-]+/).some((word) => word.replace(/\.$/, "") === name);
}

const exampleDate = "2025-03-12";

/** What to do about a version of the API that the service does not accept, which the media type shows. */
function versionAdvice({ status, errorCode, request: { accept = "", body } }: Failure): string {
  const [date] = /\d{4}-\d\d-\d\d/.exec(accept) ?? [];
  const problem = "The service does not support the media type or version of the request.";
  if (date === undefined) {
    return `${problem} Set clouddb:profile to v2, or clouddb:mediaType to one that it supports, such as application/vnd.atlas.${exampleDate}+json.`;
  }
  if (status === 415 && body?.type === "application/json") {
    return `${problem} Set clouddb:profile to v2, which also sends clouddb:mediaType with changes.`;
  }
  const which = status === 410 || errorCode === "VERSION_GONE" ? "a newer date" : "another date";
  const example = date < exampleDate ? `, such as ${accept.replace(date, exampleDate)}` : "";
  return `${problem} Set clouddb:mediaType to one with ${which} than ${date}${example}.`;
}

/** Names the setting with the path of a request. Only tokens are requested and revoked with POST. */
export function pathSetting({ method }: FailedRequest): string {
  return method === "POST" ? "clouddb:tokenPath" : "clouddb:apiPath";
}

/** The maximum length of a path in a message. Only those with unusual project IDs are longer. */
const maxPathLength = 300;

export class ApiError extends UserError {
  override readonly name: string = "ApiError";
  readonly code: ErrorCode;
  readonly method: string;
  /** The path, safe to print, without its query: that of a link of the service may contain credentials. */
  readonly path: string;
  readonly attempts: number;

  /** External text in the problem must be escaped, and must not contain credentials. */
  constructor(code: ErrorCode, request: FailedRequest, problem: string, options?: ErrorOptions) {
    const { method, attempt: attempts } = request;
    const path = escapeText(request.path.replace(/\?.*$/s, ""), maxPathLength);
    const attemptCount = attempts > 1 ? `, ${attempts} attempts` : "";
    super(`${problem} (${method} ${path}${attemptCount})`, options);
    this.code = code;
    this.method = method;
    this.path = path;
    this.attempts = attempts;
  }
}

export class ResponseError extends ApiError {
  override readonly name = "ResponseError";
  readonly status: number;
  /** The service's error code, safe to print. */
  readonly errorCode: string | undefined;
  /** The service's description of the failure, safe to print. */
  readonly detail: string | undefined;
  /** How long the service asks to wait before the next request, in seconds; undefined if unspecified. */
  readonly retryAfterSeconds: number | undefined;

  constructor(request: FailedRequest, response: FailedResponse) {
    const { status, errorCode, detail: reason } = response;
    const { code, advice } = codeAndAdvice({ ...response, request });
    const what = errorCode === undefined ? `${status}` : `${status} ${errorCode}`;
    const detail = reason === undefined ? "" : `: "${reason}"`;
    // The detail may end with a period of its own.
    const end = /[.!?]"$/.test(detail) ? "" : ".";
    super(code, request, `the service responded with ${what}${detail}${end} ${advice}`);
    this.status = status;
    this.errorCode = errorCode;
    this.detail = reason;
    this.retryAfterSeconds = response.retryAfterSeconds;
  }

  /** Whether the response has an error code of the service (service document 7.2). No proxy or gateway sends one. */
  get isFromService(): boolean {
    return this.errorCode !== undefined;
  }
}

/** There is no response, or it cannot be understood. */
export class UnusableResponseError extends ApiError {
  override readonly name = "UnusableResponseError";
  /** Whether the service may have received the request. */
  readonly wasSent: boolean;

  constructor(
    code: ErrorCode,
    request: FailedRequest,
    problem: string,
    { wasSent = true, ...options }: ErrorOptions & { readonly wasSent?: boolean } = {},
  ) {
    super(code, request, problem, options);
    this.wasSent = wasSent;
  }
}

/** Returns whether a retry may succeed: the service failed, or there was no response. */
export function isTransient(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  return error.code === "server-error" || error.code === "timeout" || error.code === "connection";
}

/** Returns only the origin of the target, because its path or query may contain sensitive data. */
function targetOf(location: string): string {
  const url = URL.canParse(location) ? new URL(location) : undefined;
  return url?.protocol === "https:" || url?.protocol === "http:"
    ? ` to ${escapeText(url.origin, 100)}`
    : "";
}

/**
 * Returns whether the service says that it has no such resource, or no GET for it. The service document has no GET for
 * the mode (4.5). A 404 or 405 of another server says nothing, and neither does one to a request for a token, a POST.
 */
export function isMissingOrNotAllowed(error: unknown): error is ResponseError {
  return (
    error instanceof ResponseError &&
    error.method === "GET" &&
    error.isFromService &&
    (error.code === "not-found" || error.code === "method-not-allowed")
  );
}
