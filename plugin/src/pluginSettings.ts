/** The plugin's settings, from the stack's configuration or the arguments of an explicit provider. */
import {
  type CheckFailure,
  type Log,
  type PropertyBag,
  type SettingsSource,
  UserError,
  containsUnknown,
  defaultSettings,
  escapeText,
  invalidSettings,
  isSettingKey,
  kindOfValue,
  readSettings,
  secret,
  secretKeys,
  settingKeys,
  suggestion,
} from "../../provider/src/pluginApi";

/** What the engine adds to the settings of a provider. */
const engineKeys = ["version", "pluginDownloadURL", "pluginChecksums", "__internal"];

/**
 * Returns what is wrong with the settings, together with the environment variables. A value that a preview does not
 * know yet counts as valid.
 */
export function settingFailures(
  settings: PropertyBag,
  environment: NodeJS.ProcessEnv,
): CheckFailure[] {
  const unknownKeys = Object.keys(settings).filter(
    (key) => !isSettingKey(key) && !engineKeys.includes(key),
  );
  if (unknownKeys.length > 0) return unknownKeys.map(unknownSetting);
  const wrongTypes = typeProblems(settings);
  if (wrongTypes.length > 0)
    return wrongTypes.map((reason) => ({ property: "", reason, code: "settings" }));
  const entries = Object.entries(settings);
  const knownEntries = entries.filter(([, value]) => !containsUnknown(value));
  const source = settingsSource(Object.fromEntries(knownEntries));
  if (knownEntries.length < entries.length) {
    // A preview would show a secret that is passed as another setting, so it must not succeed.
    const problems = invalidSettings(source, environment);
    return problems.map((reason) => ({ property: "", reason, code: "settings" }));
  }
  try {
    readSettings(source, environment);
    return [];
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [{ property: "", reason: error.message, code: error.code }];
  }
}

/**
 * Returns the failure for a misspelled name. It names no property, because the engine would print the value, which may
 * be a credential.
 */
function unknownSetting(key: string): CheckFailure {
  const reason = `there is no setting ${escapeText(key)}; ${suggestion(key, settingKeys)}`;
  return { property: "", reason };
}

export function settingsSource(settings: PropertyBag): SettingsSource {
  return {
    owner: { kind: "stack" },
    get: (key) => numberOrText(settings[key]),
    // `settingFailures` has rejected misspelled keys, and the engine passes none after that.
    keys: () => [],
  };
}

function numberOrText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : undefined;
}

/** Describes each setting of the wrong type, without its value. */
function typeProblems(settings: PropertyBag): string[] {
  return settingKeys.flatMap((key) => {
    const kind = kindOfValue(settings[key]);
    const isNumber = numericKeys.has(key);
    if (kind === "text" || kind === "missing" || (isNumber && kind === "a number")) return [];
    return [`the setting ${key} must be ${isNumber ? "a number" : "text"}, not ${kind}`];
  });
}

const numericKeys: ReadonlySet<string> = new Set(
  Object.entries(defaultSettings).flatMap(([key, value]) =>
    typeof value === "number" ? [key] : [],
  ),
);

/** Marks the secret settings, and those that the engine passed with a mark. */
export function withSecretMarks(
  settings: PropertyBag,
  secretNames: readonly string[],
): PropertyBag {
  const marked: readonly string[] = [...secretKeys, ...secretNames];
  return Object.fromEntries(
    Object.entries(settings).map(([key, value]) => [
      key,
      marked.includes(key) ? secret(value) : value,
    ]),
  );
}

/** Warns about secret settings that the engine passes without a mark, because they are stored in plain text. */
export async function warnOfUnencryptedSecrets(
  settings: PropertyBag,
  secretNames: readonly string[],
  log: Log,
): Promise<void> {
  for (const key of secretKeys) {
    const value = settings[key];
    // A preview marks no value that it does not know yet.
    if (value === undefined || containsUnknown(value) || secretNames.includes(key)) continue;
    await log(
      "warning",
      `the setting ${key} is stored in plain text. Pass a secret to clouddb.Provider, or remove it from Pulumi.yaml if it is there, and run:\n  pulumi config set --secret clouddb:${key}`,
      "plain-text-secret",
    );
  }
}
