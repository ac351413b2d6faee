/** Finds the provider of a resource or call, and its settings. */
import { escapeText } from "../api/text";
import { type SettingsOwner, environmentVariable, settingKeys } from "../session/settings";
import { type SettingOutputs, recordedSettings } from "./recordedSettings";
import { runError } from "./runError";
import * as pulumi from "./sdk";
import { stackSettings } from "./stackSettings";

/** The options that determine the provider of a resource or a call. */
type ProviderOptions = Pick<pulumi.InvokeOptions, "provider" | "parent">;

/**
 * Returns the provider of a resource or call, which may be inherited from its parent.
 *
 * @param options the options of the resource or call
 * @returns the provider; undefined for the stack's default provider
 */
export function explicitProvider(
  options: ProviderOptions | undefined,
): pulumi.ProviderResource | undefined {
  const type = "pulumi-nodejs:dynamic/clouddb:Any";
  return options?.provider ?? options?.parent?.getProvider(type);
}

/** Settings for a call of a program, and their owner. */
export interface ProgramSettings {
  /** The provider or stack that the settings belong to, for error messages. */
  readonly owner: SettingsOwner;
  /** The settings that have a value. */
  readonly settings: SettingOutputs;
}

/**
 * Returns the settings for a call: those of its explicit or inherited provider, or else the stack's.
 *
 * @param options the options of the call
 * @returns the settings, and their owner for error messages
 * @throws `RunError` if that provider is not a `clouddb.Provider`: its credentials cannot be read, and
 *   the stack's credentials may be for another organization
 */
export function programSettings(options: ProviderOptions | undefined): ProgramSettings {
  const provider = explicitProvider(options);
  if (provider === undefined) {
    return { owner: { kind: "stack" }, settings: stackSettings(settingKeys) };
  }
  const recorded = recordedSettings(provider);
  const origin =
    options?.provider === undefined ? "inherited from the parent" : "passed to this call";
  const subject = `the provider ${quotedName(provider)}, which is ${origin},`;
  if (recorded === "none") {
    throw runError(
      `${subject} is not a clouddb.Provider, so its credentials cannot be read. Pass a clouddb.Provider.`,
    );
  }
  if (recorded === "unreadable") {
    throw runError(
      `${subject} was created by another version of pulumi-clouddb, whose settings this version cannot read. Install only one version: npm ls pulumi-clouddb lists all of them.`,
    );
  }
  return { owner: { kind: "provider", name: recorded.name }, settings: recorded.settings };
}

/**
 * Returns a value that is only equal for two providers if they are certain to use the same service: the
 * origin of the base URL, the output that the URL comes from, or, for a provider whose base URL is not
 * accessible because it is not a `clouddb.Provider`, the provider itself.
 *
 * @param provider the resource's provider; undefined for the stack's default one
 * @returns a value to compare with ===
 */
export function serviceOf(provider: pulumi.ProviderResource | undefined): unknown {
  const recorded = provider === undefined ? undefined : recordedSettings(provider);
  if (recorded === "none" || recorded === "unreadable") return provider;
  const inherited = () =>
    new pulumi.Config("clouddb").get("baseUrl") || process.env[environmentVariable("baseUrl")];
  const service = recorded?.baseUrl ?? inherited();
  return typeof service === "string" && URL.canParse(service) ? new URL(service).origin : service;
}

/** Returns the name of a resource, which Pulumi stores in an undeclared property. */
function quotedName(resource: pulumi.ProviderResource): string {
  const name = "__name" in resource ? resource.__name : undefined;
  return typeof name === "string" ? `"${escapeText(name)}"` : "without a name";
}
