/** A session with the service: the client, the shared cluster lists and the log. */
import { type Client, createClient } from "../api/client";
import { type RetryPolicy, defaultRetries } from "../api/retry";
import { type SharedListing, sharedListing } from "../api/sharedListing";
import type { Log } from "./log";
import { readSettings } from "./settings";
import type { SettingsSource } from "./settingsSource";
import { version } from "../version";

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
 * @param log receives warnings and progress
 * @throws {@link ProviderError} if the settings are invalid
 */
export function openSession(source: SettingsSource, log: Log): Session {
  const { client: settings, warnings } = readSettings(source, process.env);
  for (const warning of warnings) void log("warning", warning);
  const onWait = (message: string) => void log("progress", message);
  const client = createClient({ ...settings, userAgent: `pulumi-clouddb/${version}`, onWait });
  const retryPolicy = { ...defaultRetries, onWait };
  return { client, listing: sharedListing(client), retryPolicy, log };
}
