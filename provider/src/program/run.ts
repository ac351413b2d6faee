/** The errors, log, state and settings of one run. With the Automation API, several runs may share a process. */
import type * as LogModule from "@pulumi/pulumi/log";
import { type Code, type Log, withCode } from "../messages/errors";
import { escapeMessage, escapeText } from "../messages/text";
import type { Session } from "../service/session";
import { type SettingKey, secretKeys, settingKeys } from "../settings/settings";
import * as pulumi from "./sdk";

/**
 * Creates a `RunError` with a code, and without a stack trace, which Pulumi does not print, although it reads the
 * source maps of every file in it, which can take half a minute.
 */
export function runError(message: string, code?: Code): pulumi.RunError {
  const safe = withCode(escapeMessage(message), code);
  return Object.assign(new pulumi.RunError(safe), { stack: safe, code });
}

/** What the resources and the calls of one run share. */
interface RunState {
  readonly warnings: Set<string>;
  /** The sessions, keyed by settings, so that the calls in a run share credentials and lists of clusters. */
  readonly sessions: Map<string, Session>;
}

const states = new WeakMap<object, RunState>();

/** Returns the state of the current run; undefined outside a run, as in unit tests with mocks. */
export function runState(): RunState | undefined {
  const run = pulumi.getStackResource();
  if (run === undefined) return undefined;
  const state = states.get(run) ?? { warnings: new Set(), sessions: new Map() };
  states.set(run, state);
  return state;
}

/** Returns whether this is a unit test with `pulumi.runtime.setMocks`. */
export function isMocked(): boolean {
  const monitor = pulumi.getMonitor();
  return monitor !== undefined && "mocks" in monitor;
}

/** Logs each distinct warning once per run, and nothing outside, where the SDK would write to standard error. */
export const programLog: Log = async (severity, message, code) => {
  const warned = runState()?.warnings;
  if (warned === undefined || (severity === "warning" && warned.has(message))) return;
  // oxlint-disable-next-line typescript/no-unsafe-assignment -- loaded for the first message
  const log: typeof LogModule = require("@pulumi/pulumi/log");
  const text = withCode(escapeMessage(message), code);
  if (severity === "progress") {
    await log.info(text, undefined, undefined, true);
  } else {
    warned.add(message);
    await log.warn(text);
  }
};

type ProviderOptions = Pick<pulumi.InvokeOptions, "provider" | "parent">;

/** Returns the provider in the options, or else the one that the parent passes on. */
export function providerOf(options: ProviderOptions = {}): pulumi.ProviderResource | undefined {
  return options.provider ?? options.parent?.getProvider("pulumi-nodejs:dynamic/clouddb:Any");
}

/**
 * Returns the settings of a call. Throws a `RunError` for a provider of any other class than `clouddb.Provider`,
 * because its credentials cannot be read, and those of the stack may be for another organization
 * (docs/internals/decisions.md#0006-explicit-providers). Throws one without a provider, too, if the stack requires
 * providers.
 */
export function programSettings(options: ProviderOptions | undefined): SettingOutputs {
  const provider = providerOf(options);
  if (provider === undefined) {
    rejectDisabledProvider();
    return stackSettings(settingKeys);
  }
  const settings = explicitSettings.get(provider);
  if (settings !== undefined) return settings;
  const origin =
    options?.provider === undefined ? "inherited from the parent" : "passed to this call";
  throw runError(
    `the provider ${quotedName(provider)}, which is ${origin}, is not a clouddb.Provider of this copy of pulumi-clouddb, so its credentials cannot be read. Pass a clouddb.Provider. If it is one, install only one copy; npm ls pulumi-clouddb lists all of them.`,
    "other-provider",
  );
}

/**
 * Throws a `RunError` if the stack has the setting by which the engine rejects resources without a provider. The engine
 * does not see the call.
 */
function rejectDisabledProvider(): void {
  const config = new pulumi.Config("pulumi");
  const key = "disable-default-providers";
  const disabled = config.get(key) ? [config.getObject<unknown>(key)].flat() : [];
  const names = disabled.map((name) => String(name).trim());
  if (!names.includes("*") && !names.includes("pulumi-nodejs")) return;
  throw runError(
    `the stack disables the default provider (pulumi:${key}), so its settings cannot be used for this call. Pass a clouddb.Provider in the option provider.`,
    "disabled-provider",
  );
}

/** Returns the name of a resource, which Pulumi stores in an undeclared property. */
function quotedName(resource: pulumi.ProviderResource): string {
  const name = "__name" in resource ? resource.__name : undefined;
  return typeof name === "string" ? `"${escapeText(name)}"` : "without a name";
}

/**
 * Returns settings of the stack's configuration. All are secrets, because the SDK declares no function that returns
 * which ones the stack stores as secrets.
 */
export function stackSettings(keys: readonly SettingKey[]): SettingOutputs {
  const config = new pulumi.Config("clouddb");
  return Object.fromEntries(
    keys.flatMap((key) => {
      const value = config.getSecret(key);
      return value === undefined ? [] : [[key, value]];
    }),
  );
}

/** Settings that may depend on resources. */
export type SettingOutputs = Readonly<
  Partial<Record<SettingKey, pulumi.Output<string | undefined>>>
>;

/** The settings of each `clouddb.Provider`. */
export const explicitSettings = new WeakMap<pulumi.ProviderResource, SettingOutputs>();

/**
 * Warns about secret settings that the stack's configuration stores in plain text, which only a program can detect.
 * Called for every resource, provider and function call, so that importing the package alone logs nothing.
 */
export function warnOfUnencryptedSecrets(): void {
  const config = new pulumi.Config("clouddb");
  for (const key of secretKeys) {
    const name = `clouddb:${key}`;
    if (!config.get(key) || isStoredAsSecret(name)) continue;
    void programLog(
      "warning",
      `${name} is stored in plain text in Pulumi.${pulumi.getStack()}.yaml or Pulumi.yaml. Remove it from Pulumi.yaml if it is there, and run:\n  pulumi config set --secret ${name}`,
      "plain-text-secret",
    );
  }
}

/**
 * Returns whether the stack stores a setting as a secret. Uses an undeclared function of the SDK, or else assumes so.
 */
function isStoredAsSecret(name: string): boolean {
  const module: object = pulumi.runtimeConfig;
  if (!("isConfigSecret" in module) || typeof module.isConfigSecret !== "function") return true;
  return Reflect.apply(module.isConfigSecret, undefined, [name]) !== false;
}
