/** The session that all resources of a provider process share: the client, cluster lists and the log. */
import { type Client, createClient } from "./api/client";
import { type RetryPolicy, defaultRetries } from "./api/retry";
import { type SharedListing, sharedListing } from "./api/sharedListing";
import { type Log, engineLog } from "./engine/log";
import { readSettings } from "./engine/settings";
import type { SettingsSource } from "./engine/settingsSource";
import { version } from "./version";

export interface Session {
  readonly client: Client;
  readonly listing: SharedListing;
  /** For requests that the client does not retry. */
  readonly retryPolicy: RetryPolicy;
  readonly log: Log;
}

/**
 * Opens a session, and warns of settings that are probably misspelled.
 *
 * @param source the source of settings in addition to the environment
 * @param log receives warnings and progress. Default: the engine, as in a provider process.
 * @throws {@link ProviderError} if the settings are invalid
 */
export function openSession(source: SettingsSource, log: Log = engineLog): Session {
  const { client: settings, warnings } = readSettings(source, process.env);
  for (const warning of warnings) void log("warning", warning);
  const onWait = (message: string) => void log("progress", message);
  const client = createClient({ ...settings, userAgent: `pulumi-clouddb/${version}`, onWait });
  const retryPolicy = { ...defaultRetries, onWait };
  return { client, listing: sharedListing(client), retryPolicy, log };
}
