/** The types of requests to the service and their responses, before a schema is applied. */

export interface ServiceRequest {
  readonly method: "GET" | "PATCH" | "POST" | "PUT";
  readonly path: string;
  /**
   * Called when a connection is ready, just before the request is written, and again for each further attempt. If it
   * throws, nothing is written, and the request fails with its error.
   */
  readonly onSend?: (() => void) | undefined;
  readonly body?: RequestBody;
  /** The `Accept` header, which selects the version of the API (service document 9). */
  readonly accept: string;
  /** The settings that parts of the path come from, by these parts, for messages: `{ flexClusters: "clusterPaths" }`. */
  readonly origins?: Readonly<Record<string, string>>;
  readonly authorization?: string;
  /** The kind of the credentials that the request is sent with, for messages. Default: none */
  readonly credentials?: "apiKey" | "serviceAccount" | "accessToken";
  readonly attempt: number;
  /** Aborts the request before its own timeout. Nothing is written after it aborts. */
  readonly signal?: AbortSignal | undefined;
}

export interface RequestBody {
  readonly type: string;
  readonly text: string;
}

export interface ServiceResponse {
  readonly status: number;
  /** Names in lower case; a repeated header has several values. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
  /** The credentials that messages about the response must not repeat. Default: none */
  readonly secrets?: readonly string[];
}

/** Sends one request and resolves to the response, whatever its status. */
export type Exchange = (request: ServiceRequest) => Promise<ServiceResponse>;

/** An exchange that adds credentials, and gives back the token that it received for them. */
export interface AuthenticatedExchange {
  /** Throws errors about the credentials, and those of the exchange below. */
  readonly exchange: Exchange;
  /** Revokes the access tokens that this process requested, within a second. Never rejects. */
  readonly close: () => Promise<void>;
}
