// The journal of received requests, for tests that count them and for the page.

export interface ReceivedRequest {
  /** When it arrived, ISO 8601 in UTC. */
  readonly at: string;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string | string[]>>;
  /** The operation it was for, e.g. `listClusters`; absent where nothing is at that path. */
  readonly operation?: string;
  /** The JSON value sent, if any, unless it is very long; never that of a request for a token. */
  readonly body?: unknown;
  /** True when its credentials were right. */
  readonly authenticated: boolean;
  /** True when it came without credentials and was answered with a challenge. */
  readonly challenged: boolean;
  /** The public key or client id that it came with, when its credentials were right. */
  readonly principal?: string;
  /** The HTTP status answered; 0 when the connection was reset instead. */
  readonly status: number;
  /** True when a fault shaped the answer. */
  readonly faulty: boolean;
}

export interface Journal {
  /** The newest 10,000, oldest first. */
  readonly requests: ReceivedRequest[];
  add(request: ReceivedRequest): void;
  clear(): void;
}

const CAPACITY = 10_000;

export function createJournal(): Journal {
  const requests: ReceivedRequest[] = [];
  return {
    requests,
    add: (request) => {
      requests.push(request);
      if (requests.length > CAPACITY) requests.shift();
    },
    clear: () => {
      requests.length = 0;
    },
  };
}
