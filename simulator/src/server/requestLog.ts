/** The request log: the requests that the simulator received, for tests and for the status page. */

/** A request to the API or the token endpoint, with its outcome. */
export interface ReceivedRequest {
  /** Time of arrival: ISO 8601 in UTC. */
  readonly at: string;
  /** HTTP method in upper case. */
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
  /** Query parameters. A parameter that was sent several times is an array. */
  readonly query: Readonly<Record<string, string | string[]>>;
  /** Name of the operation, for example `listClusters`. Absent for an unknown path. */
  readonly operation?: string;
  /** Parsed JSON body. Absent for bodies over 10,000 characters and for token requests. */
  readonly body?: unknown;
  /** True if the request had valid credentials. */
  readonly authenticated: boolean;
  /** True if the request had no credentials and the response was a 401 with a challenge. */
  readonly challenged: boolean;
  /** Public key or client ID of the caller. Absent without valid credentials. */
  readonly principal?: string;
  /** HTTP status of the response; 0 until it is sent, or if a fault reset the connection. */
  readonly status: number;
  /** True if a fault changed the response. */
  readonly faulty: boolean;
}

/** Number of requests that the log keeps. */
const capacity = 10_000;

/** The most recent requests. */
export class RequestLog {
  /** The last 10,000 requests, in the order of their arrival. `clear` empties this array. */
  readonly requests: ReceivedRequest[] = [];

  /**
   * Adds a request when it arrives.
   *
   * @param request the request, to which its outcome is added later
   */
  add(request: ReceivedRequest): void {
    this.requests.push(request);
    if (this.requests.length > capacity) this.requests.shift();
  }

  /** Removes all requests. */
  clear(): void {
    this.requests.length = 0;
  }
}
