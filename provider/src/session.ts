/** What all resources of one provider process share: the client, one listing a project, the log. */
import { type Client, createClient } from "./api/client";
import { type RetryPolicy, defaultRetries } from "./api/retry";
import { type SharedListing, sharedListing } from "./api/sharedListing";
import { type Log, engineLog } from "./engine/log";
import { type Configuration, readSettings } from "./engine/settings";
import { version } from "./version";

export interface Session {
  readonly client: Client;
  readonly listing: SharedListing;
  /** For requests that the client does not repeat itself. */
  readonly retryPolicy: RetryPolicy;
  readonly log: Log;
}

/** Throws a ProviderError where the settings are wrong. */
export function openSession(configuration: Configuration): Session {
  const settings = readSettings(configuration, process.env);
  const onWait = (message: string) => void engineLog("progress", message);
  const client = createClient({ ...settings, userAgent: `pulumi-clouddb/${version}`, onWait });
  return {
    client,
    listing: sharedListing(client),
    retryPolicy: { ...defaultRetries, onWait },
    log: engineLog,
  };
}
