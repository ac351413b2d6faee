/**
 * Runs all lifecycles in one process, which is that of the dynamic provider or the plugin, and keeps what they share.
 */
import { setTimeout as sleep } from "node:timers/promises";
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

/** How long the end of a process waits for changes that were sent, in seconds. The engine kills it after 5 s. */
const closingSeconds = 4;

/** The time in which a process writes the result of an operation to the engine, in milliseconds. */
const writingTime = 500;

/**
 * Hosts the lifecycles of one process, which share one session. The first operation that needs the session opens it,
 * because a `configure` that fails for a wrong setting would leave the lifecycles unconfigured. An explicit provider has a
 * process of its own, and so another host.
 */
export class RuntimeHost {
  readonly privateIpMode: Lifecycle;
  readonly clusterConnectionStrings: Lifecycle;
  readonly databaseUrl: Lifecycle;
  /** Set by the first call of the engine, and read for the first operation that sends a request. */
  settings: SettingsSource = environmentOnly;
  readonly #options: RuntimeHostOptions;
  #cancellation = new AbortController();
  /** Aborts when this process no longer waits for changes that were sent. */
  readonly #end = new AbortController();
  /** The creations and updates of modes that have not ended. */
  readonly #changes = new Set<Promise<unknown>>();
  #session: Session | undefined;
  /** The resource that declares each project's mode (docs/internals/decisions.md#0012-who-manages-a-mode). */
  readonly #declared = new Map<string, string>();

  constructor(options: RuntimeHostOptions) {
    this.#options = options;
    const session = () => this.session();
    const mode = withReportedErrors(
      privateIpModeLifecycle({
        session,
        engine: new EngineWatch(options.engineAddress),
        declared: this.#declared,
        end: this.#end.signal,
      }),
    );
    this.privateIpMode = {
      ...mode,
      create: (...parameters) => this.#track(mode.create(...parameters)),
      update: (...parameters) => this.#track(mode.update(...parameters)),
    };
    this.clusterConnectionStrings = withReportedErrors(clusterConnectionStringsLifecycle(session));
    this.databaseUrl = withReportedErrors(databaseUrlLifecycle(options.log));
  }

  /** Returns the session, which all operations share. Throws a ProviderError if a setting is missing or invalid. */
  session(): Session {
    const { log, environment = process.env } = this.#options;
    const { signal } = this.#cancellation;
    return (this.#session ??= openSession(readSettings(this.settings, environment), log, signal));
  }

  /**
   * Receives the settings of a run. Cancels and forgets an earlier one, because a plugin started by hand serves several,
   * and an operation of an earlier engine would find that the engine still runs, which is the next one.
   */
  startRun(settings: SettingsSource): void {
    this.cancel();
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

  /**
   * Cancels all operations, and ends the session before the process ends; see `Client.close`. Changes that were sent get
   * 4 s for their response. Then their outcome is unknown. The engine records either result.
   */
  async close(): Promise<void> {
    this.cancel();
    const changes = [...this.#changes];
    const timer = setTimeout(() => {
      this.#end.abort();
    }, closingSeconds * 1000);
    await Promise.allSettled(changes);
    clearTimeout(timer);
    const written = changes.length > 0 ? sleep(writingTime) : undefined;
    await Promise.all([this.#session?.client.close(), written]);
  }

  async #track<T>(change: Promise<T>): Promise<T> {
    this.#changes.add(change);
    try {
      return await change;
    } finally {
      this.#changes.delete(change);
    }
  }
}
