/** A session with the service: the client, the shared cluster lists and the log. */
import { Client, type ClientSettings } from "./client";
import { SharedListing } from "./clusterLists";
import { type RetryPolicy, defaultRetryPolicy } from "./retry";
import { type Log, ProviderError } from "../messages/errors";
import { nodeProblem, version } from "../version";

export interface Session {
  readonly client: Client;
  readonly listing: SharedListing;
  /** The policy for requests that the client does not retry itself. */
  readonly retryPolicy: RetryPolicy;
  readonly log: Log;
}

export interface CheckedSettings {
  readonly client: Omit<ClientSettings, "userAgent">;
  /** A sentence for each setting that is probably misspelled. */
  readonly misspelled: readonly string[];
  /** A sentence for each secret that is probably not what it should be. */
  readonly doubts: readonly string[];
}

/** Opens a session, and logs the warnings about its settings. Throws a `ProviderError` if Node.js is too old. */
export function openSession(
  { client: settings, misspelled, doubts }: CheckedSettings,
  log: Log,
  cancelled?: AbortSignal,
): Session {
  // Otherwise, each request would fail like a network error.
  const problem = nodeProblem();
  if (problem !== undefined) throw new ProviderError(problem);
  for (const warning of [...misspelled, ...doubts]) void log("warning", warning);
  const retryPolicy = { ...loggedRetries(log), cancelled };
  const userAgent = `pulumi-clouddb/${version}`;
  const client = new Client({ ...settings, userAgent, retryPolicy });
  closeAtExit(client.close);
  return { client, listing: new SharedListing(client), retryPolicy, log };
}

/** Returns the default policy for retries, whose long waits the log reports. */
export function loggedRetries(log: Log): RetryPolicy {
  return { ...defaultRetryPolicy, onWait: (notice) => void log("progress", notice) };
}

/** How many clients stay open. With the Automation API, a process can run many programs. */
const maxOpenClients = 100;

/**
 * The clients whose tokens are revoked when the process has nothing left to do
 * (docs/internals/decisions.md#0019-access-tokens). The set keeps them reachable until then.
 */
const openClients = new Set<Client["close"]>();

process.on("beforeExit", () => {
  for (const close of openClients) void close();
});

/** Closes a client when this process ends, or earlier if many others were opened after it. */
function closeAtExit(close: Client["close"]): void {
  openClients.add(close);
  const [oldest] = openClients;
  if (openClients.size <= maxOpenClients || oldest === undefined) return;
  openClients.delete(oldest);
  void oldest();
}
