/** The provider `clouddb`, with its resources and functions by token. */
import { AsyncLocalStorage } from "node:async_hooks";
import { ConnectionStringError } from "clouddb-connection-strings";
import {
  type CheckFailure,
  type CheckResult,
  type DiffResult,
  type EngineModules,
  type HiddenInputs,
  type Lifecycle,
  type Log,
  type PropertyBag,
  type ReadResult,
  InitializationError,
  ProviderError,
  RuntimeHost,
  UserError,
  createEngineLog,
  escapeText,
  isChangedOutside,
  providerText,
  suggestion,
  version,
} from "../../provider/src/pluginApi";
import { functions } from "./pluginFunctions";
import {
  settingFailures,
  settingsSource,
  warnOfUnencryptedSecrets,
  withSecretMarks,
} from "./pluginSettings";

const privateIpModeToken = "clouddb:index:PrivateIpMode";

/** The names of the lifecycles, by the token of the resource. */
const lifecycleNames: ReadonlyMap<string, Parameters<typeof providerText>[0]> = new Map([
  [privateIpModeToken, "privateIpMode"],
  ["clouddb:index:ClusterConnectionStrings", "clusterConnectionStrings"],
  ["clouddb:index:DatabaseUrl", "databaseUrl"],
]);

export interface ProviderHost {
  /** The address of the engine; undefined if the engine did not start this process. */
  readonly engineAddress: string | undefined;
  readonly modules: EngineModules;
  readonly environment: NodeJS.ProcessEnv;
}

export interface PluginDiff extends DiffResult {
  /**
   * The properties that an update sets again, because the service no longer has the recorded values, or none is
   * recorded.
   */
  readonly drift: readonly string[];
}

export interface InvokeResult {
  /** The outputs; secret ones are marked as secrets. */
  readonly outputs?: PropertyBag;
  /** The call fails with these, if there are any. */
  readonly failures?: readonly CheckFailure[];
}

export interface ChangeOptions {
  readonly preview: boolean;
  readonly timeoutSeconds: number | undefined;
}

/**
 * The provider as plain functions, which run the same lifecycles as a dynamic provider's process
 * (docs/internals/decisions.md#0015-provider-plugin). Each operation of a resource receives its URN. In a preview,
 * `create` and `update` change nothing, and return the outputs that are known.
 */
export class CloudDbProvider {
  readonly version = version;
  readonly #environment: NodeJS.ProcessEnv;
  readonly #log: Log;
  readonly #host: RuntimeHost;
  /** The resources whose mode was changed outside the stack, according to their last check. */
  readonly #changedOutside = new Set<string>();
  readonly #currentResource = new AsyncLocalStorage<string>();
  #engineAddress: string | undefined;

  constructor({ engineAddress, modules, environment }: ProviderHost) {
    this.#engineAddress = engineAddress;
    this.#environment = environment;
    this.#log = createEngineLog({
      engineAddress: () => this.#engineAddress,
      resource: () => this.#currentResource.getStore(),
      modules: () => modules,
    });
    this.#host = new RuntimeHost({
      log: this.#log,
      engineAddress: () => this.#engineAddress,
      environment,
    });
  }

  schema(): string {
    // The bundle contains the file, because an executable has no files beside it.
    return JSON.stringify(require("../schema.json"));
  }

  /** Receives the address of an engine that did not start this process. */
  attach(engineAddress: string): void {
    this.#engineAddress = engineAddress;
  }

  /**
   * Validates the settings, and marks the secret ones, because the state records what this returns. Those that a preview
   * does not know yet are validated when the update calls this.
   *
   * @param secretNames the names of the settings that are marked already
   */
  async checkConfig(settings: PropertyBag, secretNames: readonly string[]): Promise<CheckResult> {
    const failures = settingFailures(settings, this.#environment);
    if (failures.length === 0) await warnOfUnencryptedSecrets(settings, secretNames, this.#log);
    return { inputs: withSecretMarks(settings, secretNames), failures };
  }

  configure(settings: PropertyBag): void {
    this.#host.startRun(settingsSource(settings));
  }

  async check(urn: string, olds: PropertyBag, news: PropertyBag): Promise<CheckResult> {
    const checked = await this.#callLifecycle(urn, (lifecycle) =>
      lifecycle.check(olds, withIdentity(urn, news)),
    );
    // Nothing is recorded that the program does not have: the plugin's diff shows drift, and its previews create URLs.
    const { changesFrom, url, ...inputs } = checked.inputs ?? {};
    if (isChangedOutside(changesFrom)) this.#changedOutside.add(urn);
    else this.#changedOutside.delete(urn);
    return { ...checked, inputs };
  }

  async diff(urn: string, id: string, olds: PropertyBag, news: PropertyBag): Promise<PluginDiff> {
    const diff = await this.#callLifecycle(urn, (lifecycle) => lifecycle.diff(id, olds, news));
    // After a change whose outcome is not known.
    const isUnconfirmed = tokenOf(urn) === privateIpModeToken && !("enabled" in olds);
    const isOutside = !diff.changes && this.#changedOutside.has(urn);
    if (!isUnconfirmed && !isOutside) return { ...diff, drift: [] };
    return { ...diff, changes: true, drift: ["enabled"] };
  }

  async create(urn: string, inputs: PropertyBag, { preview, timeoutSeconds }: ChangeOptions) {
    // `check` already found the outputs that a preview can know.
    if (preview && !isLocal(urn)) return { id: "", outs: inputs };
    const { id, outs } = await this.#callLifecycle(urn, (lifecycle) =>
      lifecycle.create(inputs, timeoutSeconds),
    );
    return { id: preview ? "" : id, outs: toRecord(urn, outs) };
  }

  /** Reads a resource. There are no recorded properties for an import. */
  async read(urn: string, id: string, properties: PropertyBag): Promise<ReadResult> {
    const read = await this.#callLifecycle(urn, (lifecycle) => lifecycle.read(id, properties));
    if (read.props === undefined) return {};
    return { ...read, props: toRecord(urn, read.props) };
  }

  async update(
    urn: string,
    id: string,
    olds: PropertyBag,
    news: PropertyBag,
    { preview, timeoutSeconds }: ChangeOptions,
  ) {
    if (preview && !isLocal(urn)) return { outs: news };
    const { outs } = await this.#callLifecycle(urn, (lifecycle) =>
      lifecycle.update(id, olds, news, timeoutSeconds),
    );
    return { outs: toRecord(urn, outs) };
  }

  async delete(
    urn: string,
    id: string,
    properties: PropertyBag,
    timeoutSeconds: number | undefined,
  ): Promise<void> {
    await this.#callLifecycle(urn, (lifecycle) => lifecycle.delete(id, properties, timeoutSeconds));
  }

  async invoke(token: string, args: PropertyBag): Promise<InvokeResult> {
    const call = entryFor(functions, token, "function");
    try {
      return { outputs: await call(() => this.#host.session(), args) };
    } catch (error) {
      if (!(error instanceof UserError) && !(error instanceof ConnectionStringError)) throw error;
      const property = error instanceof ProviderError ? error.property : "";
      const code = error instanceof UserError ? error.code : undefined;
      return { failures: [{ property, reason: error.message, code }] };
    }
  }

  cancel(): void {
    this.#host.cancel();
  }

  async close(): Promise<void> {
    await this.#host.close();
  }

  /**
   * Calls the lifecycle of a resource, which is then the subject of all messages in the log. Also adds the provider
   * text to what is recorded after a change whose outcome is not known.
   */
  async #callLifecycle<T>(urn: string, work: (lifecycle: Lifecycle) => Promise<T>): Promise<T> {
    const lifecycle = this.#host[lifecycleNameOf(urn)];
    try {
      return await this.#currentResource.run(urn, () => work(lifecycle));
    } catch (error) {
      if (!(error instanceof InitializationError)) throw error;
      const { id, message, code, properties } = error;
      throw new InitializationError(message, { id, code, properties: toRecord(urn, properties) });
    }
  }
}

/**
 * Adds the identity of a PrivateIpMode in its run, which the npm package's class adds in a program
 * (docs/internals/decisions.md#0012-who-manages-a-mode). Replaces a property of this name that a program passes.
 */
function withIdentity(urn: string, properties: PropertyBag): PropertyBag {
  if (tokenOf(urn) !== privateIpModeToken) return properties;
  const hidden: HiddenInputs = { __resource: `${resourceNameIn(urn)}\n${urn}` };
  return { ...properties, ...hidden };
}

/**
 * Adds the provider text, without which a stack could not move back to the npm package
 * (docs/internals/decisions.md#0015-provider-plugin).
 */
function toRecord(urn: string, outputs: PropertyBag): PropertyBag {
  return { ...outputs, __provider: providerText(lifecycleNameOf(urn)) };
}

/** Returns whether `create` and `update` only compute outputs, so that a preview can call them, too. */
function isLocal(urn: string): boolean {
  return lifecycleNameOf(urn) === "databaseUrl";
}

function lifecycleNameOf(urn: string) {
  return entryFor(lifecycleNames, tokenOf(urn), "resource type");
}

/** Returns the type token in a URN, `urn:pulumi:<stack>::<project>::<parents>$<token>::<name>`. */
function tokenOf(urn: string): string {
  return urn.split("::")[2]?.split("$").at(-1) ?? "";
}

/** Returns the name of the resource in a URN, which may contain `::`. */
function resourceNameIn(urn: string): string {
  return urn.split("::").slice(3).join("::");
}

/** Throws a ProviderError for a token that this version does not have, such as one of a newer SDK. */
function entryFor<T>(all: ReadonlyMap<string, T>, token: string, what: string): T {
  const value = all.get(token);
  if (value !== undefined) return value;
  throw new ProviderError(
    `this version of the plugin has no ${what} ${escapeText(token)}; ${suggestion(token, [...all.keys()])}`,
    { code: "plugin-version" },
  );
}
