/** The settings of pulumi-clouddb for this simulator, as `exec`, the terminal and the status page show them. */
import { quoteForShell } from "./errors";
import type { SeedCredential, SeedOrganization } from "./seed/seed";
import { type SimulatorSettings, settingsSchema } from "./seed/settings";

/** The settings that the simulator and its clients have in common, under the same names. */
const sharedNames = [
  "apiPath",
  "tokenPath",
  "fieldPrefix",
  "pageParameter",
  "pageSizeParameter",
  "countParameter",
  "countField",
] as const;

/** Settings by name; undefined for one that keeps its default. */
export type ClientSettings = ReturnType<typeof clientSettings>;

/** The settings for a service account or an API key. */
export type Credential =
  | { readonly clientId: string; readonly clientSecret: string }
  | { readonly publicKey: string; readonly privateKey: string };

/** Returns the settings for a simulator; without a credential if the seed has none. */
export function clientSettings(url: string, settings: SimulatorSettings, credential?: Credential) {
  const { caFile, profile, ...actual } = settingsSchema.parse(settings);
  const defaults = settingsSchema.parse({ profile });
  return {
    baseUrl: url,
    caFile,
    ...credential,
    profile: profile === "default" ? undefined : profile,
    ...Object.fromEntries(
      sharedNames
        .filter((name) => actual[name] !== defaults[name])
        .map((name) => [name, actual[name]]),
    ),
  };
}

/**
 * Returns a service account and an API key, or only the one that exists: those of the first organization that has an
 * owner of a project, or else the first ones.
 */
export function credentialsIn(organizations: readonly SeedOrganization[] = []): Credential[] {
  const ofOwners = organizations.map((organization) => credentialsWith(isOwner, organization));
  const all = organizations.map((organization) => credentialsWith(() => true, organization));
  return [...ofOwners, ...all].find((credentials) => credentials.length > 0) ?? [];
}

function isOwner({ roles }: SeedCredential): boolean {
  return roles?.some(({ role }) => role === "owner") ?? false;
}

/** Returns the first service account and the first API key of an organization that meet a condition. */
function credentialsWith(
  condition: (credential: SeedCredential) => boolean,
  { serviceAccounts = [], apiKeys = [] }: SeedOrganization,
): Credential[] {
  const account = serviceAccounts.find(condition);
  const apiKey = apiKeys.find(condition);
  return [
    ...(account ? [{ clientId: account.clientId, clientSecret: account.clientSecret }] : []),
    ...(apiKey ? [{ publicKey: apiKey.publicKey, privateKey: apiKey.privateKey }] : []),
  ];
}

/** Returns the variables of a client's environment with these settings. */
export function toVariables(settings: ClientSettings): NodeJS.ProcessEnv {
  const variable = (name: string) => `CLOUDDB_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [variable(name), value]),
  );
}

/** A setting as the page and the terminal show it. */
export interface LabeledSetting {
  readonly label: string;
  readonly value: string;
}

/** Returns the address and the certificate, if it is in a file. */
export function labeledAddress({ baseUrl, caFile }: ClientSettings): LabeledSetting[] {
  const certificate = caFile === undefined ? [] : [{ label: "CA certificate", value: caFile }];
  return [{ label: "Base URL", value: baseUrl }, ...certificate];
}

/** Returns the two parts of a credential. */
export function labeledCredential(credential: Credential): LabeledSetting[] {
  if ("clientId" in credential) {
    return [
      { label: "Client ID", value: credential.clientId },
      { label: "Client secret", value: credential.clientSecret },
    ];
  }
  return [
    { label: "Public key", value: credential.publicKey },
    { label: "Private key", value: credential.privateKey },
  ];
}

/** Returns the commands that set the settings in a stack's configuration, secrets encrypted. */
export function configCommands(settings: ClientSettings): string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    const option = name === "privateKey" || name === "clientSecret" ? "--secret " : "";
    return value === undefined
      ? []
      : [`pulumi config set ${option}clouddb:${name} ${quoteForShell(value)}`];
  });
}
