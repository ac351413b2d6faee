/** The settings of pulumi-clouddb for this simulator, as `exec`, the terminal and the status page show them. */
import { quoteForShell } from "./errors";
import type { SeedOrganization } from "./seed/seed";
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

/** An API key or a service account, or neither if the seed has no credentials. */
interface Credential {
  readonly publicKey?: string;
  readonly privateKey?: string;
  readonly clientId?: string;
  readonly clientSecret?: string;
}

/** Returns the settings for a simulator; `preferred` is the kind of credential to use if the owner has both. */
export function clientSettings(
  url: string,
  settings: SimulatorSettings,
  organizations: readonly SeedOrganization[] | undefined,
  preferred: "apiKey" | "serviceAccount",
) {
  const { caFile, profile, ...actual } = settingsSchema.parse(settings);
  const defaults = settingsSchema.parse({ profile });
  return {
    baseUrl: url,
    caFile,
    ...credentialIn(organizations, preferred),
    profile: profile === "default" ? undefined : profile,
    ...Object.fromEntries(
      sharedNames
        .filter((name) => actual[name] !== defaults[name])
        .map((name) => [name, actual[name]]),
    ),
  };
}

/** Returns the settings of the first owner in a seed, or else of the first credential. */
function credentialIn(
  organizations: readonly SeedOrganization[] = [],
  preferred: "apiKey" | "serviceAccount",
): Credential {
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

/** Returns the address and the credential with labels, for the page and the terminal. */
export function labeledSettings(settings: ClientSettings): { label: string; value: string }[] {
  const entries = [
    ["Base URL", settings.baseUrl],
    ["CA certificate", settings.caFile],
    ["Public key", settings.publicKey],
    ["Private key", settings.privateKey],
    ["Client ID", settings.clientId],
    ["Client secret", settings.clientSecret],
  ] as const;
  return entries.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]));
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
