/**
 * Finds settings that are probably misspelled. A stack may have other keys in the `clouddb` namespace,
 * so an unknown name only counts if it is close to the name of a setting.
 */
import { escapeText } from "../api/text";
import { nearestName } from "./nearest";
import { environmentVariable, settingKeys } from "./settingNames";

/**
 * Returns a sentence for each probably misspelled setting. Never includes values.
 *
 * @param keys all keys in the configuration, as `namespace:key`
 * @param environment the environment variables
 * @returns sentences such as `clouddb:baseURL is not a setting; did you mean clouddb:baseUrl?`
 */
export function misspelledSettings(
  keys: readonly string[],
  environment: NodeJS.ProcessEnv,
): string[] {
  return [...misspelledKeys(keys), ...misspelledVariables(environment)];
}

function misspelledKeys(keys: readonly string[]): string[] {
  const valid = new Set<string>(settingKeys.map((key) => `clouddb:${key}`));
  return keys.flatMap((key) => {
    const [, namespace = "", name = ""] = /^([^:]+):(.+)$/s.exec(key) ?? [];
    if (valid.has(key) || namespace.toLowerCase() !== "clouddb") return [];
    const nearest = nearestName(name, settingKeys);
    if (nearest === undefined) return [];
    return [`${escapeText(key)} is not a setting; did you mean clouddb:${nearest}?`];
  });
}

/** Also finds a misspelled prefix: variables of other programs are not this close to ours. */
function misspelledVariables(environment: NodeJS.ProcessEnv): string[] {
  const valid = settingKeys.map(environmentVariable);
  return Object.keys(environment).flatMap((name) => {
    const nearest = valid.includes(name) ? undefined : nearestName(name, valid);
    // On Windows, names are case-insensitive: a variable in another case is the setting itself.
    if (nearest === undefined || environment[nearest] === environment[name]) return [];
    return [`${escapeText(name)} is not a setting; did you mean ${nearest}?`];
  });
}
