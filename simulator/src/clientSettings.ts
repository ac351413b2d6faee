/** The settings of pulumi-clouddb for this simulator, as `exec`, the terminal and the status page show them. */
import { quoteForShell } from "./errors";
import type { SeedOrganization } from "./seed/seed";
import { type SimulatorSettings, settingsSchema } from "./seed/settings";

/** What the settings are called for people. */
const labels = {
  baseUrl: "Base URL",
  caFile: "CA certificate",
  publicKey: "Public key",
  privateKey: "Private key",
  clientId: "Client ID",
  clientSecret: "Client secret",
  apiPath: "API path",
  tokenPath: "Token path",
  revokePath: "Revocation path",
  fieldPrefix: "Field prefix",
  mediaType: "Media type",
} as const;

type SomeSettings = { readonly [Name in keyof typeof labels]?: string | undefined };

/** Settings by name; undefined for one that keeps its default. */
export type ClientSettings = SomeSettings & { readonly baseUrl: string };

/** Returns the settings for a simulator; `preferred` is the kind of credential to use if the owner has both. */
export function clientSettings(
  url: string,
  { caFile, versions, ...settings }: SimulatorSettings,
  organizations: readonly SeedOrganization[] | undefined,
  preferred: "apiKey" | "serviceAccount",
): ClientSettings {
  const defaults = settingsSchema.parse({});
  const changed = (name: "apiPath" | "tokenPath" | "fieldPrefix") =>
    settings[name] === defaults[name] ? undefined : settings[name];
  const date = versions?.dates
    .filter((each) => !versions.ended?.includes(each))
    .sort()
    .at(-1);
  return {
    baseUrl: url,
    caFile,
    ...credentialIn(organizations, preferred),
    apiPath: changed("apiPath"),
    tokenPath: changed("tokenPath"),
    revokePath: settings.revokePath,
    fieldPrefix: changed("fieldPrefix"),
    mediaType: date && `application/vnd.${versions?.vendor ?? "clouddb"}.${date}+json`,
  };
}

/** Returns the settings of the first owner in a seed, or else of the first credential. */
function credentialIn(
  organizations: readonly SeedOrganization[] = [],
  preferred: "apiKey" | "serviceAccount",
): Omit<SomeSettings, "baseUrl"> {
  const credentials = organizations.flatMap(({ serviceAccounts = [], apiKeys = [] }) => {
    const accounts = serviceAccounts.map(({ clientId, clientSecret, roles }) => ({
      roles,
      settings: { clientId, clientSecret },
    }));
    const keys = apiKeys.map(({ publicKey, privateKey, roles }) => ({
      roles,
      settings: { publicKey, privateKey },
    }));
    return preferred === "apiKey" ? [...keys, ...accounts] : [...accounts, ...keys];
  });
  const owner = credentials.find(({ roles }) => roles?.some(({ role }) => role === "owner"));
  return (owner ?? credentials[0])?.settings ?? {};
}

/** Returns the variables of a client's environment with these settings. */
export function toVariables(settings: ClientSettings): NodeJS.ProcessEnv {
  const variable = (name: string) => `CLOUDDB_${name.replace(/[A-Z]/g, "_$&").toUpperCase()}`;
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [variable(name), value]),
  );
}

/** Returns the settings that are set, with their labels. */
export function labeled(settings: ClientSettings): { label: string; value: string }[] {
  return Object.entries(labels).flatMap(([name, label]) => {
    const value = settings[name as keyof typeof labels];
    return value === undefined ? [] : [{ label, value }];
  });
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
