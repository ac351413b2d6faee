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
  kindOf,
  readSettings,
  secretKeys,
  settingKeys,
  suggestion,
} from "../../provider/src/pluginApi";

/** What the engine adds to the settings of a provider. */
const engineKeys = ["version", "pluginDownloadURL", "pluginChecksums", "__internal"];

/** Validates the settings with the environment variables. Values that are unknown in a preview count as valid. */
export function checkSettings(
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
  const known = Object.entries(settings).filter(([, value]) => !containsUnknown(value));
  const source = settingsSource(Object.fromEntries(known));
  if (known.length < Object.keys(settings).length) {
    // The preview would show the value of a secret that is passed as another setting.
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

/** Does not name the property, because the engine would print its value, which may be a credential. */
function unknownSetting(key: string): CheckFailure {
  const reason = `there is no setting ${escapeText(key)}; ${suggestion(key, settingKeys)}`;
  return { property: "", reason };
}

export function settingsSource(settings: PropertyBag): SettingsSource {
  return {
    owner: { kind: "stack" },
    get: (key) => textOf(settings[key]),
    // The engine passes no unknown key after `checkSettings`.
    keys: () => [],
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" ? String(value) : undefined;
}

/** Describes each setting of the wrong type, without its value. */
function typeProblems(settings: PropertyBag): string[] {
  return settingKeys.flatMap((key) => {
    const found = kindOf(settings[key]);
    const isNumber = numericKeys.has(key);
    if (found === "text" || found === "missing" || (isNumber && found === "a number")) return [];
    return [`the setting ${key} must be ${isNumber ? "a number" : "text"}, not ${found}`];
  });
}

const numericKeys: ReadonlySet<string> = new Set(
  Object.entries(defaultSettings).flatMap(([key, value]) =>
    typeof value === "number" ? [key] : [],
  ),
);

export async function warnOfUnencryptedSecrets(
  settings: PropertyBag,
  secretNames: readonly string[],
  log: Log,
): Promise<void> {
  for (const key of secretKeys) {
    if (settings[key] === undefined || secretNames.includes(key)) continue;
    await log(
      "warning",
      `the setting ${key} is stored in plain text. Pass a secret to clouddb.Provider, or remove it from Pulumi.yaml if it is there, and run:\n  pulumi config set --secret clouddb:${key}`,
      "plain-text-secret",
    );
  }
}
