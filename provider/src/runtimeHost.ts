/**
 * Runs all lifecycles in one process, which is that of the dynamic provider or the plugin, and keeps what they share.
 */
import { clusterConnectionStringsLifecycle } from "./clusterConnectionStrings/lifecycle";
import { databaseUrlLifecycle } from "./databaseUrl/lifecycle";
import { EngineWatch } from "./host/engine";
import { type Lifecycle, withReportedErrors } from "./host/lifecycle";
import type { Log } from "./messages/errors";
import { privateIpModeLifecycle } from "./privateIpMode/lifecycle";
import { type Session, openSession } from "./service/session";
import { readSettings } from "./settings/readSettings";
import { type SettingsSource, environmentOnly } from "./settings/settings";

export interface RuntimeHostOptions {
  readonly log: Log;
  /** Returns the address of the engine; undefined if there is none, as in a unit test. */
  readonly engineAddress: () => string | undefined;
  /** The environment variables. Default: those of this process. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
}

/**
 * Hosts the lifecycles of one process, which share one session. The first operation that needs the session opens it,
 * because a `configure` that fails for a wrong setting would leave the lifecycles unconfigured.
 */
export class RuntimeHost {
  readonly privateIpMode: Lifecycle;
  readonly clusterConnectionStrings: Lifecycle;
  readonly databaseUrl: Lifecycle;
  /** Set by the first call of the engine, and read for the first operation that sends a request. */
  settings: SettingsSource = environmentOnly;
  readonly #options: RuntimeHostOptions;
  #cancellation = new AbortController();
  #session: Session | undefined;
  /** The resource that declares each project's mode (docs/internals/decisions.md#0012-who-manages-a-mode). */
  readonly #declared = new Map<string, string>();

  constructor(options: RuntimeHostOptions) {
    this.#options = options;
    const session = () => this.session();
    this.privateIpMode = withReportedErrors(
      privateIpModeLifecycle({
        session,
        engine: new EngineWatch(options.engineAddress),
        declared: this.#declared,
      }),
    );
    this.clusterConnectionStrings = withReportedErrors(clusterConnectionStringsLifecycle(session));
    this.databaseUrl = withReportedErrors(databaseUrlLifecycle(options.log));
  }

  /** Returns the session, which all operations share. Throws a ProviderError if a setting is missing or invalid. */
  session(): Session {
    const { log, environment = process.env } = this.#options;
    const { signal } = this.#cancellation;
    return (this.#session ??= openSession(readSettings(this.settings, environment), log, signal));
  }

  /** Receives the settings of a run, and forgets an earlier one, because a plugin started by hand serves several. */
  startRun(settings: SettingsSource): void {
    this.settings = settings;
    this.#declared.clear();
    void this.#session?.client.close();
    this.#session = undefined;
    this.#cancellation = new AbortController();
  }

  /** Ends the waits and requests of all operations, except for a change whose response is pending. */
  cancel(): void {
    this.#cancellation.abort();
  }

  /** Cancels all operations, and ends the session before the process ends; see `Client.close`. */
  async close(): Promise<void> {
    this.cancel();
    await this.#session?.client.close();
  }
}
