/**
 * The lifecycles of all resources, and what they share in one process. The dynamic provider's process
 * and the plugin both serve them.
 */
import type * as ClusterConnectionStrings from "./clusterConnectionStrings/lifecycle";
import type * as PrivateIpMode from "./privateIpMode/lifecycle";
import { Managers } from "./privateIpMode/modeManagers";
import { PeeringWarning } from "./privateIpMode/peeringWarning";
import { EngineWatch } from "./engine/engine";
import { type Lifecycle, withReportedErrors } from "./engine/lifecycle";
import type { Log } from "./service/session";
import type * as SessionModule from "./service/session";
import type { SettingsSource } from "./settings/settings";

/* oxlint-disable typescript/no-require-imports, typescript/no-unsafe-assignment --
   The client and each lifecycle are loaded only if a stack needs them (docs/internals/decisions/0014-measured-optimizations.md). */

export interface LifecycleHost {
  /** Returns the settings. Called for the first operation that sends a request. */
  readonly settings: () => SettingsSource;
  readonly log: Log;
  /** Returns the address of the engine; undefined if there is none, as in a unit test. */
  readonly engineAddress: () => string | undefined;
  /** The environment variables. Default: those of this process. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
}

/**
 * The lifecycles of a process. They share one session, which is opened on first use: a failing `configure`
 * would leave the lifecycles unconfigured, and an operation without requests does not need the client.
 */
export class Lifecycles {
  readonly #host: LifecycleHost;
  readonly #warning: PeeringWarning;
  readonly #cancellation = new AbortController();
  #session: SessionModule.Session | undefined;
  #managers: Managers | undefined;
  #privateIpMode: Lifecycle | undefined;
  #clusterConnectionStrings: Lifecycle | undefined;

  constructor(host: LifecycleHost) {
    this.#host = host;
    this.#warning = new PeeringWarning(host.log);
  }

  /** Returns the session, which all lifecycles share. Throws a ProviderError if the settings are invalid. */
  session(): SessionModule.Session {
    if (this.#session !== undefined) return this.#session;
    const { openSession }: typeof SessionModule = require("./service/session");
    const { settings, log, environment } = this.#host;
    const { signal: cancelled } = this.#cancellation;
    this.#session = openSession(settings(), log, { environment, cancelled });
    return this.#session;
  }

  /** Ends waits and retries. No further request is sent. */
  cancel(): void {
    this.#cancellation.abort();
  }

  /** Cancels all operations, and ends the session before the process ends; see `Client.close`. */
  async close(): Promise<void> {
    this.cancel();
    this.#managers?.close();
    await this.#session?.client.close();
  }

  get privateIpMode(): Lifecycle {
    if (this.#privateIpMode !== undefined) return this.#privateIpMode;
    const { privateIpModeLifecycle }: typeof PrivateIpMode = require("./privateIpMode/lifecycle");
    const run = this.#host.engineAddress();
    const lifecycle = privateIpModeLifecycle({
      open: () => this.session(),
      managers: () =>
        (this.#managers ??= new Managers({ run, service: this.session().client.apiRoot })),
      warning: this.#warning,
      engine: new EngineWatch(run),
      states: new Map(),
      created: new Map(),
    });
    this.#privateIpMode = withReportedErrors(lifecycle);
    return this.#privateIpMode;
  }

  get clusterConnectionStrings(): Lifecycle {
    if (this.#clusterConnectionStrings !== undefined) return this.#clusterConnectionStrings;
    const {
      clusterConnectionStringsLifecycle,
    }: typeof ClusterConnectionStrings = require("./clusterConnectionStrings/lifecycle");
    const lifecycle = clusterConnectionStringsLifecycle({
      open: () => this.session(),
      warning: this.#warning,
      log: this.#host.log,
    });
    this.#clusterConnectionStrings = withReportedErrors(lifecycle);
    return this.#clusterConnectionStrings;
  }
}
